"""A checkpoint is a model of its own: evaluated, continued and inspected without saying again what it is."""

import json
import math

import pytest

from conftest import MODEL

TRAIN = ["--batch", 4, "--lr", 3e-3, "--seed", 5, "--steps", 30]


@pytest.fixture
def trained(raf, text, tmp_path):
    raf("train", MODEL, "--data", text, *TRAIN, "--checkpoint", tmp_path / "run")
    return tmp_path / "run"


def test_evaluation_says_the_held_out_loss_and_counts_every_sample(raf, text, trained):
    line = raf.lines("eval", trained, "--data", text, "--json")[-1]
    assert line["samples"] == (2000 - 1) // 16 and line["tokens"] == line["samples"] * 16
    assert line["perplexity"] == pytest.approx(math.exp(line["held_out_loss"]))
    assert line["held_out_loss"] < math.log(256) - 1
    assert "nats per byte" in raf("eval", trained, "--data", text)


def test_the_held_out_loss_does_not_depend_on_the_batch(raf, text, trained):
    results = [raf.lines("eval", trained, "--data", text, "--json", "--batch", b)[-1] for b in (1, 7, 64)]
    assert len({line["samples"] for line in results}) == 1
    assert [line["held_out_loss"] for line in results] == pytest.approx([results[0]["held_out_loss"]] * 3, rel=1e-5)


def test_evaluation_has_no_dropout_and_is_the_one_that_training_reports(raf, text, tmp_path):
    lines = raf.lines("train", MODEL, "--data", text, "--json", *TRAIN, "--eval-every", 30, "--checkpoint", tmp_path / "r")
    reported = next(line for line in lines if line.get("event") == "evaluate")["held_out_loss"]
    evaluated = raf.lines("eval", tmp_path / "r", "--data", text, "--json")[-1]["held_out_loss"]
    assert evaluated == pytest.approx(reported, rel=1e-6)


def test_generation_continues_the_prompt_and_repeats_with_its_seed(raf, trained):
    command = ["generate", trained, "--prompt", "the word", "--tokens", 40, "--temperature", 0.8]
    outputs = [raf(*command, "--seed", seed) for seed in (1, 1, 2)]
    assert all(output.startswith("the word") for output in outputs)
    assert outputs[0] == outputs[1] != outputs[2]


def test_a_checkpoint_is_inspected(raf, trained):
    info = json.loads(raf("inspect", trained, "--json"))
    assert info["kind"] == "checkpoint" and info["step"] == 30 and info["seed"] == 5
    assert info["config"]["model"] == MODEL and info["config"]["batch"] == 4
    names = [tensor["name"] for tensor in info["tensors"]]
    assert "wte.weight" in names and "wte.weight/exp_avg" in names
    assert "every checksum fits" in raf("inspect", trained)


def test_a_model_is_inspected_without_compiling(raf):
    info = json.loads(raf("inspect", MODEL, "--json"))
    assert info["parameter_count"] == sum(math.prod(p["shape"]) for p in info["parameters"])
    assert {"tokens", "labels"} <= {tensor["name"] for tensor in info["inputs"]}
    assert "func.func @forward" in raf("inspect", MODEL, "--ir")
    assert raf("inspect", MODEL, "--dot").startswith("digraph")
    assert "gpt2" in raf("inspect", "--zoo")


def test_an_unknown_model_is_named(raf):
    assert "gtp2" in raf.fails(2, "inspect", "gtp2")
    assert "layerz" in raf.fails(2, "inspect", "gpt2:layerz=3")


def test_an_executable_trains_without_the_compiler(raf, text, tmp_path):
    raf("compile", MODEL, "--batch", 4, "-o", tmp_path / "step.rafx")
    info = json.loads(raf("inspect", tmp_path / "step.rafx", "--json"))
    assert {function["name"] for function in info["functions"]} == {"train_step", "evaluate"}
    run = raf.lines("run", tmp_path / "step.rafx", "--data", text, "--json", "--lr", 3e-3, "--seed", 5, "--steps", 5)
    train = raf.lines("train", MODEL, "--data", text, "--json", *TRAIN[:-1], 5)
    assert [line["loss"] for line in run if "loss" in line] == [line["loss"] for line in train if "loss" in line]


def test_a_cut_executable_is_refused(raf, text, tmp_path):
    raf("compile", MODEL, "-o", tmp_path / "step.rafx")
    content = (tmp_path / "step.rafx").read_bytes()
    (tmp_path / "cut.rafx").write_bytes(content[: len(content) // 2])
    assert "cut.rafx" in raf.fails(1, "run", tmp_path / "cut.rafx", "--data", text)


def test_profiles_name_kernels_and_their_trace_is_json(raf, tmp_path):
    line = raf.lines("profile", MODEL, "--batch", 4, "--json", "-o", tmp_path / "trace.json")[-1]
    assert line["kernel_seconds"] == pytest.approx(sum(kernel["seconds"] for kernel in line["kernels"]))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len(events) == sum(kernel["calls"] for kernel in line["kernels"])
    assert "GFLOP/s" in raf("profile", MODEL, "--batch", 4, "--top", 3)


def test_the_report_is_one_page_with_every_kernel(raf, tmp_path):
    raf("report", MODEL, "--batch", 4, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    kernels = raf.lines("profile", MODEL, "--batch", 4, "--json")[-1]["kernels"]
    assert page.count("class=\"bar\"") == len(kernels)
    assert "planned peak" in page and page.endswith("</html>\n")


def test_bench_answers_step_by_step(raf):
    done = raf.run("bench", MODEL, "--batch", 4, "--interactive", input="step\nstep\nfacts\nquit\n")
    ready, first, second, facts = map(json.loads, done.stdout.splitlines())
    assert ready["event"] == "ready" and first["seconds"] > 0 and second["loss"] != first["loss"]
    assert facts["peak_rss_bytes"] > 0 and facts["planned_peak_bytes"] > 0 and facts["first_step_seconds"] > 0
    assert raf.run("bench", MODEL, "--interactive", input="jump\n").returncode == 2


def test_compiled_code_is_kept_between_runs(raf, tmp_path):
    raf.environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    first, second = (raf.lines("compile", MODEL, "--batch", 4, "--json")[-1] for _ in range(2))
    assert first["kernels_compiled"] > 0 and first["kernels_from_cache"] == 0
    assert second["kernels_compiled"] == 0 and second["kernels_from_cache"] == first["kernels_compiled"]
    assert (tmp_path / "cache" / "raf").is_dir()
    assert raf.lines("compile", MODEL, "--batch", 4, "--json", "--no-cache")[-1]["kernels_from_cache"] == 0
