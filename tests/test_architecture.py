"""ARCHITECTURE.md shows what the compiler does today."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAF = ROOT / "build" / "bin" / "raf"
PHASES = ["import", "differentiate", "optimizer", "simplify", "cover", "schedule", "plan"]


def test_the_page_shows_every_phase():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert re.findall(r"<!-- after (\w+) -->", page) == PHASES


@pytest.mark.skipif(not RAF.exists(), reason="needs build/bin/raf")
def test_the_blocks_are_what_the_compiler_makes():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "architecture", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
