"""quickstart drives the command line in the right order, fits the time given, and fails with one line."""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture
def quickstart(tmp_path, monkeypatch):
    """The module, over a fake raf; `calls()` lists what it was asked, `main(...)` runs it."""
    spec = importlib.util.spec_from_file_location("quickstart", ROOT / "scripts" / "quickstart.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "quickstart", module)
    spec.loader.exec_module(module)
    fake = tmp_path / "raf"
    shutil.copy(HERE / "fake_raf.py", fake)
    fake.chmod(0o755)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "RAF", fake)
    (tmp_path / "parameter_bytes_per_second").write_text("1e9")
    (tmp_path / "data.txt").write_text("In the beginning\n" * 100)
    module.calls = lambda: [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["quickstart", "--data", str(tmp_path / "data.txt"), "--out",
                                          str(tmp_path / "out"), *arguments])
        return module.main()

    module.start = run
    return module


def option(call, name):
    return call[call.index(name) + 1]


def test_trains_evaluates_writes_and_profiles_and_ends_with_the_loss(quickstart, capfd):
    """The commands come in this order, on the checkpoint of this run, and the last line is the held-out loss."""
    assert quickstart.start() == 0
    commands = [call[0] for call in quickstart.calls() if call[0] != "bench"]
    assert commands == ["train", "eval", "generate", "profile"]
    train, evaluate, generate, _ = [call for call in quickstart.calls() if call[0] != "bench"]
    assert evaluate[1] == generate[1] == option(train, "--checkpoint")
    assert [option(train, name) for name in ("--optimizer", "--schedule", "--clip")] == ["adamw", "cosine", "1.0"]
    assert "dropout=0." in train[1]
    assert capfd.readouterr().out.splitlines()[-1] == "held-out loss 1.2500 nats per byte"


@pytest.mark.parametrize("minutes", [0.5, 5, 60])
def test_steps_fill_the_time_given(quickstart, minutes):
    """Steps times their measured seconds is the time asked for, to a step."""
    quickstart.start("--minutes", str(minutes))
    train = next(call for call in quickstart.calls() if call[0] == "train")
    size = next(size for size in quickstart.SIZES if size.spec == train[1])
    seconds = size.batch * 128 * 12 * size.layers * size.width**2 / 1e9
    assert 60 * minutes - seconds <= int(option(train, "--steps")) * seconds <= 60 * minutes + 1e-6


def test_a_faster_machine_or_more_time_trains_a_larger_model(quickstart, tmp_path):
    """The size grows with what can be computed in the time, through the whole list."""
    widths = []
    for speed in (1e5, 1e9, 3e9, 1e13):
        (tmp_path / "parameter_bytes_per_second").write_text(str(speed))
        (tmp_path / "calls.jsonl").unlink(missing_ok=True)
        quickstart.start()
        train = next(call for call in quickstart.calls() if call[0] == "train")
        widths.append(next(size.width for size in quickstart.SIZES if size.spec == train[1]))
    assert widths == sorted(widths)
    assert widths[0] == quickstart.SIZES[0].width and widths[-1] == quickstart.SIZES[-1].width


def test_an_earlier_run_is_left_alone(quickstart, tmp_path):
    """A second run gets a folder of its own."""
    quickstart.start()
    quickstart.start()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["run-1", "run-2"]


@pytest.mark.parametrize("command", ["bench", "train", "eval", "generate", "profile"])
def test_a_command_that_fails_ends_the_run(quickstart, tmp_path, command):
    """No later command runs after a failure, and the failure names the command."""
    (tmp_path / "FAIL").write_text(command)
    with pytest.raises(quickstart.Failure, match=f"raf {command} ended with exit code 1"):
        quickstart.start()
    assert quickstart.calls()[-1][0] == command


def test_the_text_is_plain_english(quickstart, tmp_path):
    """The package's text comes out one verse a line, without book, chapter and verse."""
    if not shutil.which("bible"):
        pytest.skip("bible-kjv is not installed")
    quickstart.english_text(tmp_path / "text.txt")
    text = (tmp_path / "text.txt").read_text()
    assert text.startswith("In the beginning God created the heaven and the earth.\nAnd the earth was without form")
    assert text.count("\n") == 31102
    assert not any(character.isdigit() for character in text)


@pytest.mark.parametrize("arguments, complaint", [
    (["--minutes", "0"], "--minutes: expected a number above 0"),
    (["--minutes", "nan"], "--minutes: expected a number above 0"),
    (["--threads", "-1"], "--threads: expected 0 or more"),
    (["--data", "/nowhere/at/all"], "/nowhere/at/all: no such file"),
])
def test_wrong_options_are_named(arguments, complaint):
    """A usage error is exit code 2 and says what was expected."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "quickstart.py", *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_help_explains_every_option_without_set_up():
    """--help needs nothing but python3 and names each option."""
    done = subprocess.run([ROOT / "quickstart", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    for name in ("--minutes", "--data", "--threads", "--out", "--seed", "--prompt", "--characters"):
        assert name in done.stdout


def test_every_option_used_exists(quickstart):
    """The fake raf takes anything; the real one has every option that quickstart gives it."""
    quickstart.start()
    for command, _, *rest in quickstart.calls():
        text = subprocess.run([ROOT / "build" / "bin" / "raf", command, "--help"], capture_output=True, text=True, check=True).stdout
        for name in (argument for argument in rest if argument.startswith("-")):
            assert re.search(rf"(?<!\S){name}\b", text), f"raf {command} has no {name}"


@pytest.mark.slow
def test_a_short_real_run_learns(tmp_path):
    """A few seconds of the real thing go below what counting bytes without context gives on this text (3.0 nats)."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "quickstart.py", "--minutes", "0.3", "--out", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    last = re.fullmatch(r"held-out loss (\d\.\d+) nats per byte", done.stdout.splitlines()[-1])
    assert last and float(last[1]) < 2.7
    assert "And it came to pass" in done.stdout
    assert (tmp_path / "run-1" / "trace.json").stat().st_size > 1000
    assert list((tmp_path / "run-1" / "checkpoints").iterdir())
