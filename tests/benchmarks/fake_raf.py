#!/usr/bin/env python3
"""Answers as `raf bench --interactive` does; a model named mlp:layers=9 dies in its third step."""

import json
import sys

dies = sys.argv[2] == "mlp:layers=9"
facts = {"compile_seconds": 0.5, "first_step_seconds": 0.01, "planned_peak_bytes": 2**20, "rss_before_bytes": 10 * 2**20,
         "peak_rss_bytes": 12 * 2**20, "threads": 1, "flops": 1e6}
print(json.dumps({**facts, "event": "ready"}), flush=True)
steps = 0
for line in sys.stdin:
    if line == "step\n":
        steps += 1
        if dies and steps == 3:
            sys.exit(3)
        print(json.dumps({"seconds": 0.001 * steps, "loss": 1.0 / steps}), flush=True)
    elif line == "facts\n":
        print(json.dumps(facts), flush=True)
    else:
        break
