#include "tools/raf/Flags.h"

#include "common/Error.h"
#include "runtime/threads/Threads.h"
#include "tools/raf/Checks.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace raf::tool {
namespace {

double parseNumber(std::string_view text, std::string_view what) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw UsageError(fmt::format("{}: expected a number, but got '{}'", what, text));
  return value;
}

std::string defaultCache() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  // The base directory specification: relative values are to be ignored.
  if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/'))
    return cache + "/raf";
  if (std::string home = variable("HOME"); !home.empty())
    return home + "/.cache/raf";
  return {};
}

// A launcher's ranks; training on several is not what one process of this build does.
int worldSize() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE"})
    if (const char *value = std::getenv(name))
      return std::atoi(value);
  return 1;
}

} // namespace

uint64_t parseSize(const std::string &text) {
  size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  std::string unit = digits == std::string::npos ? "" : text.substr(digits);
  std::erase(unit, ' ');
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  double factor = 0;
  if (unit.empty() || unit == "b")
    factor = 1;
  else if (unit.size() <= 3 && unit.back() == 'b' && (unit.size() == 2 || unit[1] == 'i')) {
    const size_t power = std::string_view("kmgt").find(unit[0]);
    if (power != std::string_view::npos)
      factor = std::pow(unit.size() == 2 ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  double value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (factor == 0 || number.empty() || error != std::errc() ||
      end != number.data() + number.size() || value * factor >= 0x1p63)
    throw UsageError(fmt::format("expected a size such as 4GiB or 500MB, but got '{}'", text));
  return static_cast<uint64_t>(std::llround(value * factor));
}

void CompileFlags::add(CLI::App &app, bool training) {
  const char *group = "Compiler";
  auto *losses = app.add_option("--loss", loss,
                                "Loss to append to the model's first output against the input "
                                "'labels' (default: the model's own)");
  losses->group(group);
  if (training) {
    app.add_option("--optimizer", optimizer, "sgd, adam, adamw, lamb, lans, adagrad, rmsprop, lion")
        ->capture_default_str()
        ->check(
            CLI::IsMember({"sgd", "adam", "adamw", "lamb", "lans", "adagrad", "rmsprop", "lion"}))
        ->group(group);
    app.add_option("--weight-decay", weightDecay,
                   "Weight decay; none on biases and norms (default: the optimizer's)")
        ->check(atLeast(0))
        ->group(group);
    app.add_option("--hyper", hyper, "Optimizer hyper-parameter KEY=VALUE, as torch.optim names it")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group(group);
    app.add_option("--clip", clip, "Clip gradients to this global norm; 0: off")
        ->check(atLeast(0))
        ->group(group);
    app.add_option("--grad-accum", gradAccum, "Micro-batches that the batch is divided into")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str()
        ->group(group);
    app.add_option("--zero", zero,
                   "ZeRO stage; in one process, which holds everything, all are the same")
        ->check(CLI::Range(0, 3))
        ->group(group);
    app.add_option("--memory-budget", memoryBudget,
                   "Bound of the planned peak, e.g. 4GiB; recomputes what does not fit")
        ->group(group);
  }
  app.add_option("--amp", amp, "Mixed precision: bf16 or fp16")
      ->check(CLI::IsMember({"bf16", "fp16"}))
      ->group(group);
  app.add_option("--dialects", dialects, "Comma list of kernel dialects, preferred first")
      ->group(group);
  app.add_option("--cpu", cpu, "Instructions to compile for")
      ->check(CLI::IsMember({"native", "avx2", "avx512", "amx"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--cache", cache, "Folder of compiled code (default: raf in the user's cache)")
      ->group(group);
  app.add_flag("--no-cache", noCache, "Keep no compiled code on disk")->group(group);
  app.add_option("--print-ir-after", printIrAfter,
                 "Print the program after this phase, or after 'all', on stderr")
      ->group(group);
}

OptimizerSpec CompileFlags::optimizerSpec() const {
  OptimizerSpec spec;
  spec.name = optimizer;
  for (const std::string &pair : hyper) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--hyper: expected KEY=VALUE, but got '{}'", pair));
    const std::string key = pair.substr(0, equals);
    if (key == "lr")
      throw UsageError("--hyper: the learning rate is given by --lr");
    spec.hyper[key] = parseNumber(std::string_view(pair).substr(equals + 1), "--hyper " + key);
  }
  if (weightDecay)
    spec.hyper["weight_decay"] = *weightDecay;
  return spec;
}

CompileOptions CompileFlags::options(std::vector<std::string> functions,
                                     const RunFlags &run) const {
  CompileOptions options;
  options.functions = std::move(functions);
  options.optimizer = optimizerSpec();
  options.loss = loss;
  options.clipGradNorm = clip;
  options.gradAccum = gradAccum;
  options.amp = amp;
  options.memoryBudget = memoryBudget.empty() ? 0 : parseSize(memoryBudget);
  options.dialects = dialects;
  options.cpu = cpu;
  options.threads = run.threads > 0 ? run.threads : runtime::availableCores();
  options.deterministic = run.deterministic;
  options.cacheDir = noCache ? "" : cache.empty() ? defaultCache() : cache;
  options.printIrAfter = printIrAfter;
  if (!printIrAfter.empty())
    options.printer = [](const std::string &phase, const std::string &text) {
      fmt::print(stderr, "// ---- {} ----\n{}\n", phase, text);
    };
  return options;
}

void RunFlags::add(CLI::App &app) {
  const char *group = "Execution";
  app.add_option("--threads", threads, "Threads; 0: one per core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--deterministic", deterministic, "Bits do not depend on the number of threads")
      ->group(group);
  app.add_flag("--check-numerics", checkNumerics,
               "Stop at the first kernel that makes a NaN or infinity (slow)")
      ->group(group);
  app.add_option("--device", device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str()
      ->group(group);
}

runtime::SessionOptions RunFlags::sessionOptions() const {
  if (device != "cpu")
    throw UnsupportedError(fmt::format("--device {}: this build runs on cpu only", device));
  if (int ranks = worldSize(); ranks > 1)
    throw DistributedError(
        fmt::format("launched as one of {} ranks: this build trains in one process only", ranks));
  runtime::SessionOptions options;
  options.threads = threads;
  options.deterministic = deterministic;
  options.checkNumerics = checkNumerics;
  return options;
}

void DataFlags::add(CLI::App &app, bool required) {
  app.add_option("--data", path,
                 "Text file, token ids (.bin of uint16, .npy), folder of IDX files, or "
                 ".safetensors/.npz with tensors named after the model's inputs")
      ->required(required)
      ->group("Data");
  app.add_option("--tokenizer", tokenizer, "SentencePiece model for a text file (default: bytes)")
      ->group("Data");
}

void LoopFlags::add(CLI::App &app, bool fixedBatch) {
  const char *group = "Training";
  app.add_option("--steps", steps, "Updates of the whole run, resumed ones included")
      ->check(atLeast(0))
      ->capture_default_str()
      ->group(group);
  if (!fixedBatch)
    app.add_option("--batch", batch, "Samples of one update")
        ->check(atLeast(1))
        ->capture_default_str()
        ->group(group);
  app.add_option("--seed", seed, "Of initial parameters, data order and dropout")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lr", lr, "Learning rate after the warm-up")
      ->check(atLeast(0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--schedule", schedule, "constant, linear, cosine or inverse_sqrt")
      ->check(CLI::IsMember({"constant", "linear", "cosine", "inverse_sqrt"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--warmup", warmup, "Updates of linear warm-up")
      ->check(atLeast(0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--least-lr", leastLr, "What linear and cosine decay to")
      ->check(atLeast(0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--checkpoint", checkpoint, "Folder of this run's checkpoints")->group(group);
  app.add_option("--checkpoint-every", checkpointEvery,
                 "Updates between checkpoints; 0: only at the end")
      ->check(atLeast(0))
      ->group(group);
  app.add_option("--keep", keep, "Newest checkpoints kept")
      ->check(atLeast(1))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--resume", resume, "Go on from the newest checkpoint")->group(group);
  app.add_option("--eval-every", evalEvery, "Updates between evaluations on held-out data; 0: none")
      ->check(atLeast(0))
      ->group(group);
  app.add_option("--log-every", logEvery, "Updates between lines of text")
      ->check(atLeast(1))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--json", json, "One JSON object per line on stdout")->group(group);
}

trainer::Schedule LoopFlags::scheduleOf() const {
  trainer::Schedule result;
  result.kind = trainer::scheduleFromName(schedule);
  result.peak = lr;
  result.least = leastLr;
  result.warmup = warmup;
  result.total = steps;
  return result;
}

} // namespace raf::tool
