#!/usr/bin/env python3
"""Stands for build/bin/raf: answers as the command line's contract says, at a speed given by the model's size.

Appends its arguments to calls.jsonl beside itself. FAIL in a file of that name beside it makes that command fail.
"""

import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
command, model, *rest = sys.argv[1:]
with (here / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\n")
failing = here / "FAIL"
if failing.exists() and failing.read_text() == command:
    print(f"raf: {command}: it is Tuesday", file=sys.stderr)
    sys.exit(1)
option = lambda name: rest[rest.index(name) + 1]
if command == "bench":
    layers, width = (int(re.search(rf"{key}=(\d+)", model)[1]) for key in ("layers", "width"))
    per_second = float((here / "parameter_bytes_per_second").read_text())
    seconds = int(option("--batch")) * 128 * 12 * layers * width**2 / per_second
    print("compiling")
    print(json.dumps({"event": "done", "step_seconds": seconds, "state_bytes": 2**20, "planned_peak_bytes": 3 * 2**20}))
elif command == "train":
    pathlib.Path(option("--checkpoint")).mkdir()
elif command == "eval":
    print(json.dumps({"event": "done", "held_out_loss": 1.25, "samples": 3}))
elif command == "generate":
    print(option("--prompt") + " ...")
