"""A PyTorch training step under the clock, driven over standard input like `raf bench --interactive`.

Prints one JSON line when ready; answers "step" with the step's seconds and loss, "facts" with memory, "quit" by ending.
"""

import argparse
import json
import pathlib
import sys
import time

import psutil
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from benchmarks import models  # noqa: E402

CLEAR_PEAK = "5"  # see proc(5), clear_refs


def reset_peak_resident():
    pathlib.Path("/proc/self/clear_refs").write_text(CLEAR_PEAK)


def peak_resident():
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


class Step:
    """The model, its batch and its optimizer; `run` is one update."""

    def __init__(self, args):
        self.dtype = args.dtype
        model = models.build(args.model, args.seed)
        self.model = torch.compile(model) if args.mode == "compile" else model
        self.batch = models.batch(args.model, args.seed)
        self.optimizer = models.adamw(model)

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.dtype == "bf16"):
            loss, _ = self.model(**self.batch)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def answer(record):
    print(json.dumps(record), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--mode", choices=["eager", "compile"], required=True)
    parser.add_argument("--dtype", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    torch.ones(512, 512) @ torch.ones(512, 512)  # starts threads and library before the memory is counted
    before = psutil.Process().memory_info().rss
    step, first = Step(args), None
    facts = lambda: {"rss_before_bytes": before, "peak_rss_bytes": peak_resident(), "threads": torch.get_num_threads(),
                     "first_step_seconds": first}
    answer({"event": "ready", **facts()})
    for line in sys.stdin:
        command = line.strip()
        if command == "step":
            begun = time.perf_counter()
            loss = step.run()
            seconds = time.perf_counter() - begun
            if first is None:
                first = seconds
                reset_peak_resident()  # what compiling took is not what a step takes
            answer({"seconds": seconds, "loss": loss})
        elif command == "facts":
            answer(facts())
        elif command == "quit":
            return 0
        else:
            print(f"torch_worker: expected step, facts or quit, but got '{command}'", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
