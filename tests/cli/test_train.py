"""`raf train`: what it prints, what it refuses, and that a run is the same however it is cut, killed or repeated."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest

from conftest import MODEL, steps_of, tensors_of

FAST = ["--batch", 4, "--lr", 3e-3, "--seed", 5]


def train(raf, text, *arguments):
    return raf.lines("train", MODEL, "--data", text, "--json", *FAST, *arguments)


def losses(lines):
    return [line["loss"] for line in steps_of(lines)]


def test_the_loss_falls_from_that_of_a_guess(raf, text):
    lines = train(raf, text, "--steps", 60, "--clip", 1.0)
    curve = losses(lines)
    assert abs(curve[0] - np.log(256)) < 0.2  # logits near zero at the start
    assert curve[-1] < curve[0] - 1


def test_every_step_is_a_line_and_the_last_line_sums_up(raf, text):
    lines = train(raf, text, "--steps", 4, "--schedule", "linear", "--warmup", 2)
    steps = steps_of(lines)
    assert [line["step"] for line in steps] == [1, 2, 3, 4]
    assert [line["lr"] for line in steps] == [3e-3 / 2, 3e-3, 3e-3, 3e-3 / 2]
    for line in steps:
        assert line["grad_norm"] > 0 and line["step_seconds"] > 0 and line["samples_per_second"] > 0
        assert float(np.float32(line["loss"])) == line["loss"]  # reads back as the very float it was
    done = lines[-1]
    assert done["event"] == "done" and done["final_loss"] == steps[-1]["loss"]
    assert done["compile_seconds"] > 0 and done["peak_rss_bytes"] > done["planned_peak_bytes"] > 0


def test_the_last_of_a_repeated_option_counts(raf, text):
    assert len(steps_of(train(raf, text, "--steps", 9, "--steps", 2, "--hyper", "beta1=0.8", "--hyper", "beta2=0.9"))) == 2


def test_the_same_seed_twice_is_the_same_run_and_another_seed_is_not(raf, text):
    first, again = (losses(train(raf, text, "--steps", 6)) for _ in range(2))
    assert first == again
    assert first != losses(train(raf, text, "--steps", 6, "--seed", 6))


def test_deterministic_runs_do_not_depend_on_the_number_of_threads(raf, text, tmp_path):
    curves = []
    for threads in (1, 2, 3):
        run = tmp_path / f"run{threads}"
        curves.append(losses(train(raf, text, "--steps", 5, "--threads", threads, "--deterministic", "--checkpoint", run)))
    assert curves[0] == curves[1] == curves[2]
    states = [tensors_of(tmp_path / f"run{threads}" / "step-00000005") for threads in (1, 2, 3)]
    assert states[0] == states[1] == states[2]


def test_a_resumed_run_is_the_unbroken_one_bit_by_bit(raf, text, tmp_path):
    options = ["--schedule", "cosine", "--warmup", 3, "--checkpoint-every", 4]
    whole = train(raf, text, "--steps", 12, "--checkpoint", tmp_path / "whole", *options)
    # Ends after 7 of 12 by a signal that lets the step finish.
    run = tmp_path / "run"
    process = raf.start("train", MODEL, "--data", text, "--json", *FAST, "--steps", 12, "--checkpoint", run, *options)
    seen = []
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1].get("step") == 7 and "loss" in seen[-1]:
            process.send_signal(signal.SIGINT)
    assert process.wait() == 128 + signal.SIGINT
    assert seen[-1]["event"] == "interrupted" and seen[-1]["signal"] == "SIGINT"
    process.stderr.close()
    process.stdout.close()
    rest = train(raf, text, "--steps", 12, "--checkpoint", run, "--resume", *options)
    assert losses(seen) + losses(rest) == losses(whole)
    assert tensors_of(run / "step-00000012") == tensors_of(tmp_path / "whole" / "step-00000012")


@pytest.mark.slow
def test_a_run_killed_at_any_moment_goes_on_as_if_nothing_had_been(raf, text, tmp_path):
    options = ["--steps", 40, "--checkpoint-every", 1]
    whole = losses(train(raf, text, *options, "--checkpoint", tmp_path / "whole"))
    run, by_step, kills = tmp_path / "run", {}, 0
    while len(by_step) < 40:
        resume = ["--resume"] if kills else []
        process = raf.start("train", MODEL, "--data", text, "--json", *FAST, *options, "--checkpoint", run, *resume)
        count = 0
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # cut by the kill
            record = json.loads(line)
            if "loss" in record and "step" in record:
                count += 1
                by_step.setdefault(record["step"], record["loss"])
                assert by_step[record["step"]] == record["loss"], "a repeated step differs"
            if count == 11 + 3 * kills:
                process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
        kills += 1
        assert kills < 10
    assert kills > 2
    assert [by_step[step] for step in range(1, 41)] == whole


def test_resume_without_a_checkpoint_starts_from_the_beginning_and_says_so(raf, text, tmp_path):
    arguments = ["train", MODEL, "--data", text, "--json", *FAST, "--steps", 2, "--checkpoint", tmp_path / "run", "--resume"]
    done = raf.run(*arguments)
    assert done.returncode == 0
    assert "no checkpoint to resume, starting from the beginning" in done.stderr
    assert [line["step"] for line in steps_of(map(json.loads, done.stdout.splitlines()))] == [1, 2]


def test_a_finished_run_resumes_to_its_end_at_once(raf, text, tmp_path):
    first = train(raf, text, "--steps", 3, "--checkpoint", tmp_path / "run")
    again = train(raf, text, "--steps", 3, "--checkpoint", tmp_path / "run", "--resume")
    assert steps_of(again) == []
    assert again[-1]["final_loss"] == first[-1]["final_loss"]


def test_another_run_in_the_same_folder_is_refused(raf, text, tmp_path):
    run = tmp_path / "run"
    command = ["train", MODEL, "--data", text, *FAST, "--steps", 2, "--checkpoint", run]
    raf(*command)
    assert "give --resume to go on from it" in raf.fails(2, *command)
    assert "made with --seed 5, but this run has 6" in raf.fails(2, *command, "--resume", "--seed", 6)
    assert "--batch '4', but this run has '8'" in raf.fails(2, *command, "--resume", "--batch", 8)
    assert "--optimizer 'adamw', but this run has 'sgd'" in raf.fails(2, *command, "--resume", "--optimizer", "sgd")
    other = ["train", MODEL + ",dropout=0", *command[2:]]
    assert "made with model" in raf.fails(2, *other, "--resume")


def test_a_damaged_checkpoint_is_named_not_used(raf, text, tmp_path):
    run = tmp_path / "run"
    raf("train", MODEL, "--data", text, *FAST, "--steps", 2, "--checkpoint", run)
    file = run / "step-00000002" / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    done = raf.run("train", MODEL, "--data", text, *FAST, "--steps", 3, "--checkpoint", run, "--resume")
    assert done.returncode == 1
    assert "model.safetensors: tensor '" in done.stderr and "checksum differs from the manifest" in done.stderr


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("short.txt", b"too short", "short.txt: too short: expected at least 17 training tokens"),
        ("empty.txt", b"", "empty.txt: file is empty"),
        ("odd.bin", b"abc", "odd.bin: expected uint16 token ids, but the size of 3 bytes is odd"),
        ("large.bin", b"\xff\xff" * 500, "large.bin: token 65535 at position 0 is outside the model's vocabulary of 256"),
        ("bad.npy", b"no array", "bad.npy: expected a .npy file"),
        ("bad.safetensors", b"\xff" * 100, "bad.safetensors: expected a safetensors file"),
        ("bad.npz", b"no zip", "bad.npz: expected a .npz file"),
    ],
)
def test_data_that_do_not_fit_are_named(raf, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert message in raf.fails(1, "train", MODEL, "--data", tmp_path / name, *FAST, "--steps", 1)


def test_token_files_give_the_run_that_their_text_gives(raf, text, tmp_path):
    tokens = np.frombuffer(text.read_bytes(), np.uint8)
    tokens.astype("<u2").tofile(tmp_path / "tokens.bin")
    np.save(tmp_path / "tokens.npy", tokens.astype(np.int64))
    expected = losses(train(raf, text, "--steps", 3))
    for name in ("tokens.bin", "tokens.npy"):
        assert losses(train(raf, tmp_path / name, "--steps", 3)) == expected


def test_tensors_named_after_the_inputs_are_data(raf, tmp_path):
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(3, 8))
    labels = generator.integers(0, 3, 200)
    x = (centres[labels] + 0.1 * generator.normal(size=(200, 8))).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, labels=labels)
    lines = raf.lines("train", "mlp:input=8,width=16,classes=3", "--data", tmp_path / "data.npz", "--json", "--steps", 80,
                      "--lr", 1e-2, "--batch", 16)
    assert losses(lines)[-1] < 0.3 < losses(lines)[0]


def test_text_output_names_the_steps_and_no_bar_disturbs_a_pipe(raf, text):
    done = raf.run("train", MODEL, "--data", text, *FAST, "--steps", 4, "--log-every", 2)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[0].startswith("step 2/4  loss ") and lines[2].startswith("done after 4 steps")
    assert done.stderr == ""


def test_a_closed_pipe_ends_the_run_with_a_message(raf, text):
    process = raf.start("train", MODEL, "--data", text, "--json", *FAST, "--steps", 100000)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert "standard output: cannot write" in process.stderr.read()
    process.stderr.close()


def test_held_out_evaluation_runs_along_and_changes_nothing(raf, text):
    plain = train(raf, text, "--steps", 6)
    lines = train(raf, text, "--steps", 6, "--eval-every", 3)
    assert losses(lines) == losses(plain)
    evaluations = [line for line in lines if line.get("event") == "evaluate"]
    assert [line["step"] for line in evaluations] == [3, 6]
    assert all(0 < line["held_out_loss"] < 6 for line in evaluations)
