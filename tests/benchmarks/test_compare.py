"""compare.py reports what the programs said, and says so when one of them died."""

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")
from benchmarks import compare as program  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = pathlib.Path(__file__).resolve().parent / "fake_raf.py"


def compare(*arguments):
    return subprocess.run([sys.executable, ROOT / "benchmarks" / "compare.py", *arguments, "--raf", FAKE, "--threads", "1"],
                          capture_output=True, text=True, timeout=300)


def test_rows_are_medians_of_the_steps_after_the_warm_up():
    """With RAF's steps of 1, 2, 3 ... ms, the median of three after two is 4 ms; the peer's ratio refers to it."""
    done = compare("mlp:width=8,input=4,batch=2", "--against", "torch-eager", "--steps", "3", "--json")
    assert done.returncode == 0, done.stderr
    raf, eager = json.loads(done.stdout)["rows"]
    assert (raf["median_seconds"], raf["least_seconds"], raf["ratio"]) == (0.004, 0.003, 1.0)
    assert raf["memory_bytes"] == 2 * 2**20
    assert raf["first_step_seconds"] == pytest.approx(0.501)
    assert eager["name"] == "torch-eager" and eager["steps"] == 3
    assert eager["ratio"] == eager["median_seconds"] / raf["median_seconds"]
    assert eager["last_loss"] < eager["first_loss"], "the peer must be training"


def test_a_program_that_dies_is_named():
    """The exit code is 1 and one line names the program and how it ended."""
    done = compare("mlp:layers=9", "--against", "torch-eager", "--steps", "3")
    assert (done.returncode, done.stderr.strip()) == (1, "compare: raf: ended with exit code 3")


@pytest.mark.parametrize("arguments, complaint", [
    (["gpt3"], "no twin of 'gpt3'"),
    (["gpt2:depth=3"], "unknown key 'depth'"),
    (["nano", "--against", "jax"], "but got 'jax'"),
    (["nano", "--steps", "0"], "--steps: expected 1 or more"),
])
def test_wrong_requests_are_named(arguments, complaint, monkeypatch, capsys):
    """A usage error is exit code 2 and says what was expected."""
    monkeypatch.setattr(sys, "argv", ["compare.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        program.parse_arguments()
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
