"""Seconds and memory of a training step, RAF beside PyTorch, in one run on one machine.

Every program is a child process that makes one step when told to; the programs take turns, so that what slows the
machine down for a while slows all of them. Reported are medians, their ratio to RAF's (above 1: RAF is faster), the peak
of resident memory above what the process held before it had the model, and the first step with what it compiles.

    benchmarks/compare.py nano --against torch-eager,torch-compile --steps 10
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks import models  # noqa: E402

PEERS = ("torch-eager", "torch-compile")
# Steps before the clock counts: the first compiles and touches memory, the second still warms caches.
WARM_UP = 2


class Failure(Exception):
    """What the user reads as one line."""


class Program:
    """A child process that makes steps on request."""

    def __init__(self, name, command):
        self.name = name
        try:
            self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            text=True, cwd=ROOT)
        except OSError as error:
            raise Failure(f"{name}: {command[0]}: {error.strerror}") from None
        self.seconds, self.losses = [], []
        self.ready = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{self.name}: ended with exit code {self.process.wait()}")
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            raise Failure(f"{self.name}: expected a JSON line, but got {line.strip()!r}") from None

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name}: ended with exit code {self.process.wait()}") from None
        return self.read()

    def step(self):
        record = self.ask("step")
        self.seconds.append(record["seconds"])
        self.losses.append(record["loss"])

    def close(self):
        if self.process.poll() is None:
            try:
                self.process.stdin.write("quit\n")
                self.process.stdin.close()
                self.process.wait(timeout=30)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    def result(self):
        """The numbers of one row, from all steps so far."""
        facts = self.ask("facts")
        timed = self.seconds[WARM_UP:]
        row = {"name": self.name, "median_seconds": statistics.median(timed), "least_seconds": min(timed),
               "steps": len(timed), "first_step_seconds": self.seconds[0] + facts.get("compile_seconds", 0.0),
               "memory_bytes": facts["peak_rss_bytes"] - facts["rss_before_bytes"], "threads": facts["threads"],
               "first_loss": self.losses[0], "last_loss": self.losses[-1]}
        for key in ("planned_peak_bytes", "compile_seconds", "flops"):
            if key in facts:
                row[key] = facts[key]
        return row


def raf_command(args, spec, options):
    command = [args.raf, "bench", spec, "--batch", options["batch"], "--weight-decay", 0.1, "--lr", 3e-4, "--threads",
               args.threads, "--no-cache", "--interactive"]
    if args.dtype == "bf16":
        command += ["--amp", "bf16"]
    if args.dialects:
        command += ["--dialects", args.dialects]
    return command


def torch_command(args, spec, mode):
    return [sys.executable, ROOT / "benchmarks" / "torch_worker.py", spec, "--mode", mode, "--dtype", args.dtype,
            "--threads", args.threads]


def measure(args):
    """One row per program, RAF first."""
    spec = models.resolve(args.model)
    _, options = models.parse(spec)
    programs = []
    try:
        programs.append(Program("raf", raf_command(args, spec, options)))
        for peer in args.against:
            programs.append(Program(peer, torch_command(args, spec, peer.removeprefix("torch-"))))
        for i in range(WARM_UP + args.steps):
            for program in programs:
                program.step()
            if sys.stderr.isatty():
                print(f"\r\033[Kstep {i + 1}/{WARM_UP + args.steps}", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        rows = [program.result() for program in programs]
    finally:
        for program in programs:
            program.close()
    for row in rows:
        row["ratio"] = row["median_seconds"] / rows[0]["median_seconds"]
    return spec, rows


def print_table(args, spec, rows):
    print(f"{args.model}{'' if spec == args.model else f' = {spec}'}, {args.dtype}, {args.threads} threads, {rows[0]['steps']} steps")
    print(f"{'':14} {'median s':>9} {'least s':>9} {'ratio':>6} {'MiB':>7} {'first step s':>13}")
    for row in rows:
        print(f"{row['name']:14} {row['median_seconds']:9.4f} {row['least_seconds']:9.4f} {row['ratio']:6.2f} "
              f"{row['memory_bytes'] / 2**20:7.0f} {row['first_step_seconds']:13.2f}")
    if "planned_peak_bytes" in rows[0]:
        print(f"raf planned a peak of {rows[0]['planned_peak_bytes'] / 2**20:.0f} MiB and compiled for "
              f"{rows[0]['compile_seconds']:.2f} s")


def parse_arguments():
    def peers(text):
        names = [name for name in text.split(",") if name]
        unknown = [name for name in names if name not in PEERS]
        if unknown:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(PEERS)}, but got '{unknown[0]}'")
        return names

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help=f"a preset ({', '.join(models.PRESETS)}) or a zoo name with options")
    parser.add_argument("--against", type=peers, default=list(PEERS), metavar="LIST", help="comma list of " + ", ".join(PEERS))
    parser.add_argument("--dtype", choices=["fp32", "bf16"], default="fp32", help="bf16: mixed precision in both")
    parser.add_argument("--steps", type=int, default=10, help="timed steps of each program (default 10)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of each program (default: cores)")
    parser.add_argument("--dialects", default="", help="comma list of RAF's kernel dialects")
    parser.add_argument("--raf", type=pathlib.Path, default=ROOT / "build" / "bin" / "raf", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps: expected 1 or more, but got {args.steps}")
    try:
        models.parse(args.model)
    except ValueError as error:
        parser.error(str(error))
    return args


def main():
    args = parse_arguments()
    try:
        spec, rows = measure(args)
    except Failure as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps({"model": args.model, "spec": spec, "dtype": args.dtype, "rows": rows}))
    else:
        print_table(args, spec, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
