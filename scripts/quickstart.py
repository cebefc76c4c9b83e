"""Trains a byte-level GPT on real English text, evaluates it on held-out text, lets it write, and profiles a step.

Called by ./quickstart after set-up. The model is chosen so that the time given suffices for it on this machine: a
few steps are timed first. Everything goes through the `raf` command line, and the commands are printed.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAF = ROOT / "build" / "bin" / "raf"
LEAST_STEPS = 20


class Failure(Exception):
    """What the user reads as one line."""


@dataclasses.dataclass
class Size:
    """A model, and how many bytes of text it should see before a larger one would have been the better use of the time."""

    layers: int
    width: int
    context: int
    batch: int
    lr: float
    dropout: float

    @property
    def parameters(self):
        return 12 * self.layers * self.width**2 + 256 * self.width

    @property
    def bytes_per_step(self):
        return self.batch * self.context

    @property
    def least_bytes(self):
        return 1.5 * self.parameters

    @property
    def spec(self):
        return (f"gpt2:layers={self.layers},width={self.width},heads={self.width // 32},context={self.context},"
                f"vocab=256,dropout={self.dropout}")


# Smallest first. Dropout grows with the number of times that the text is read.
SIZES = [
    Size(layers=2, width=64, context=128, batch=16, lr=5e-3, dropout=0.01),
    Size(layers=4, width=128, context=128, batch=16, lr=3e-3, dropout=0.01),
    Size(layers=4, width=192, context=128, batch=16, lr=2e-3, dropout=0.01),
    Size(layers=6, width=256, context=256, batch=16, lr=1.5e-3, dropout=0.05),
    Size(layers=6, width=384, context=256, batch=16, lr=1e-3, dropout=0.1),
]


def say(text=""):
    print(text, flush=True)


def run(command, capture=False):
    """Runs a `raf` command; with `capture` its standard output is returned. Failure when it fails."""
    command = [str(part) for part in command]
    shown = [str(RAF.relative_to(ROOT)), *command[1:]]
    say(f"$ {shlex.join(shown)}")
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE if capture else None)
    if done.returncode:
        raise Failure(f"raf {command[1]} ended with exit code {done.returncode}")
    return done.stdout


def last_json(text, command):
    lines = text.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError) as error:
        raise Failure(f"raf {command}: expected a JSON line at the end, but got {lines[-1:]}") from error


def english_text(path):
    """Writes the text of the package bible-kjv-text to `path`, one verse a line, without verse numbers."""
    try:
        done = subprocess.run(["bible", "-f", "Gen1:1-Rev22:21"], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise Failure("the program 'bible' is missing; install bible-kjv and bible-kjv-text, or give --data FILE") from None
    except subprocess.CalledProcessError as error:
        raise Failure(f"bible: {error.stderr.strip() or 'failed'}") from None
    text = re.sub(r"^\w+:\d+ ", "", done.stdout, flags=re.MULTILINE)
    if len(text) < 4_000_000:
        raise Failure(f"bible: expected about 4.1 MB of text, but got {len(text)} bytes")
    path.write_text(text, encoding="utf-8")


def new_folder(out):
    """OUT/run-N with the least N that is free, so that an earlier run is never touched."""
    for number in range(1, 10_000):
        folder = out / f"run-{number}"
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            continue
    raise Failure(f"{out}: holds ten thousand runs already")


def measure(size, common):
    """What `raf bench` says of a training step of this size."""
    command = [RAF, "bench", size.spec, "--batch", size.batch, "--steps", 5, "--clip", 1.0, "--json", *common]
    return last_json(run(command, capture=True), "bench")


def choose(seconds, common):
    """The largest size that sees enough text in `seconds`, and its measurement."""
    best = None
    for size in SIZES:
        if best and best[0].bytes_per_step * seconds / best[1]["step_seconds"] < size.least_bytes:
            break  # a larger model is not faster
        measured = measure(size, common)
        if best and size.bytes_per_step * seconds / measured["step_seconds"] < size.least_bytes:
            break
        best = size, measured
    return best


def options():
    parser = argparse.ArgumentParser(
        prog="quickstart",
        description="Installs what is missing, builds, trains a byte-level GPT on English text, evaluates it on held-out "
        "text, prints a sample of what it writes and where the time went.")
    parser.add_argument("--minutes", type=float, default=5, help="minutes of training (default 5); size and steps follow")
    parser.add_argument("--data", type=pathlib.Path, metavar="FILE",
                        help="text to train on; the last tenth is held out (default: the King James Bible of the package "
                        "bible-kjv-text)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="threads (default: one per core)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "quickstart", metavar="DIR",
                        help="where runs, with their checkpoints, are kept (default out/quickstart)")
    parser.add_argument("--seed", type=int, default=0, help="of initial weights, order of data and dropout (default 0)")
    parser.add_argument("--prompt", default="And it came to pass", help="what the sample continues")
    parser.add_argument("--characters", type=int, default=400, help="length of the sample (default 400)")
    arguments = parser.parse_args()
    if not 0 < arguments.minutes < 1e5:
        parser.error(f"--minutes: expected a number above 0, but got {arguments.minutes}")
    if arguments.threads < 0:
        parser.error(f"--threads: expected 0 or more, but got {arguments.threads}")
    if arguments.characters < 1:
        parser.error(f"--characters: expected 1 or more, but got {arguments.characters}")
    if arguments.data and not arguments.data.is_file():
        parser.error(f"--data: {arguments.data}: no such file")
    return arguments


def main():
    arguments = options()
    if not RAF.exists():
        raise Failure(f"{RAF.relative_to(ROOT)} is missing; scripts/setup builds it")
    folder = new_folder(arguments.out.resolve())
    data = arguments.data.resolve() if arguments.data else folder / "text.txt"
    if not arguments.data:
        english_text(data)
    common = ["--threads", arguments.threads]

    say(f"\nText: {data} ({data.stat().st_size:,} bytes, the last tenth held out). Timing a few steps ...")
    seconds = 60 * arguments.minutes
    size, measured = choose(seconds, common)
    steps = max(LEAST_STEPS, int(seconds / measured["step_seconds"]))
    checkpoints = folder / "checkpoints"
    say(f"\nTraining a GPT of {size.layers} layers and width {size.width} ({size.parameters / 1e6:.2f} M parameters) for "
        f"{steps} steps of {size.bytes_per_step} bytes, {1e3 * measured['step_seconds']:.0f} ms each.")
    begun = time.monotonic()
    run([RAF, "train", size.spec, "--data", data, "--batch", size.batch, "--steps", steps, "--optimizer", "adamw",
         "--lr", size.lr, "--weight-decay", 0.1, "--schedule", "cosine", "--warmup", max(1, steps // 20), "--clip", 1.0,
         "--seed", arguments.seed, "--checkpoint", checkpoints, "--checkpoint-every", max(1, steps // 4),
         "--log-every", max(1, steps // 20), *common])
    trained = time.monotonic() - begun

    say("\nThe held-out tenth:")
    result = last_json(run([RAF, "eval", checkpoints, "--data", data, "--json", *common], capture=True), "eval")
    loss = float(result["held_out_loss"])

    say("\nA sample:")
    run([RAF, "generate", checkpoints, "--prompt", arguments.prompt, "--tokens", arguments.characters,
         "--temperature", 0.7, "--seed", arguments.seed, *common])

    say("\nWhere the time of a step goes:")
    run([RAF, "profile", size.spec, "--batch", size.batch, "--clip", 1.0, "--top", 15, "-o", folder / "trace.json", *common])

    mebibytes = lambda key: f"{measured[key] / 2**20:.1f} MiB"
    say(f"\nMemory of a step: {mebibytes('state_bytes')} of parameters and optimizer state, "
        f"{mebibytes('planned_peak_bytes')} with activations and workspace.")
    say(f"Trained for {trained / 60:.1f} minutes. Checkpoints: {checkpoints}. Trace for Perfetto: {folder / 'trace.json'}.")
    say(f"held-out loss {loss:.4f} nats per byte")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"quickstart: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("quickstart: stopped", file=sys.stderr)
        sys.exit(130)
