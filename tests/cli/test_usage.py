"""Requests that make no sense end with exit code 2, failures with 1, both with one line that says what is wrong."""

import subprocess

import pytest

from conftest import MODEL, RAF

COMMANDS = ["train", "eval", "generate", "compile", "run", "inspect", "bench", "profile", "report"]


@pytest.mark.parametrize("command", [[], *[[c] for c in COMMANDS]])
def test_help_is_printed_and_succeeds(raf, command):
    assert "Usage: raf" in raf(*command, "--help")


def test_running_needs_no_llvm():
    libraries = subprocess.run(["ldd", RAF], capture_output=True, text=True, check=True).stdout
    assert "libraf_runtime" in libraries
    assert "LLVM" not in libraries and "MLIR" not in libraries and "libraf_compiler" not in libraries


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "expected a subcommand"),
        (["frobnicate"], "frobnicate"),
        (["train"], "model is required"),
        (["train", MODEL], "--data is required"),
        (["train", MODEL, "--data", "text.txt", "--step", "3"], "not expected"),
        (["train", MODEL, "--data", "text.txt", "--steps", "-1"], "--steps: expected a number of at least 0, but got '-1'"),
        (["train", MODEL, "--data", "text.txt", "--steps", "many"], "--steps"),
        (["train", MODEL, "--data", "text.txt", "--batch", "0"], "--batch: expected a number of at least 1"),
        (["train", MODEL, "--data", "text.txt", "--lr", "nan"], "--lr: expected a number of at least 0, but got 'nan'"),
        (["train", MODEL, "--data", "text.txt", "--optimizer", "magic"], "--optimizer"),
        (["train", MODEL, "--data", "text.txt", "--schedule", "cosinus"], "--schedule"),
        (["train", MODEL, "--data", "text.txt", "--amp", "fp8"], "--amp"),
        (["train", MODEL, "--data", "text.txt", "--memory-budget", "lots"], "expected a size such as 4GiB or 500MB, but got 'lots'"),
        (["train", MODEL, "--data", "text.txt", "--hyper", "beta1"], "--hyper: expected KEY=VALUE, but got 'beta1'"),
        (["train", MODEL, "--data", "text.txt", "--hyper", "lr=1"], "--lr"),
        (["train", MODEL, "--data", "text.txt", "--resume"], "--resume: expected --checkpoint DIR"),
        (["train", MODEL, "--data", "text.txt", "--checkpoint-every", "2"], "expected --checkpoint DIR"),
        (["train", MODEL, "--data", "text.txt", "--batch", "8", "--grad-accum", "3"], "expected a multiple of --grad-accum 3"),
        (["inspect"], "expected a model, executable or checkpoint"),
        (["compile", MODEL, "--functions", "backward"], "--functions"),
    ],
)
def test_usage_errors_exit_with_2(raf, text, arguments, message):
    assert message in raf.fails(2, *arguments)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["train", MODEL, "--data", "absent.txt"], "absent.txt: cannot open: No such file or directory"),
        (["train", MODEL, "--data", "text.txt", "--device", "cuda"], "this build runs on cpu only"),
        (["inspect", "absent.rafx"], "absent.rafx: cannot open: No such file or directory"),
        (["inspect", "empty"], "empty: expected a checkpoint, but found none"),
        (["eval", "empty", "--data", "text.txt"], "empty: expected a checkpoint, but found none"),
        (["run", "text.txt", "--data", "text.txt"], "text.txt: "),
    ],
)
def test_failures_exit_with_1(raf, text, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    assert message in raf.fails(1, *arguments)


def test_several_ranks_are_refused_rather_than_trained_apart(raf, text):
    raf.environment["OMPI_COMM_WORLD_SIZE"] = "2"
    assert "one of 2 ranks" in raf.fails(1, "train", MODEL, "--data", text)
