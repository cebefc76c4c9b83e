// The command line. Every failure ends as one line on stderr: exit code 2 for a request that makes
// no sense, 1 for everything else.
#include "common/Error.h"
#include "common/Version.h"
#include "tools/raf/Bench.h"
#include "tools/raf/Compile.h"
#include "tools/raf/Eval.h"
#include "tools/raf/Generate.h"
#include "tools/raf/Inspect.h"
#include "tools/raf/Profile.h"
#include "tools/raf/Report.h"
#include "tools/raf/Run.h"
#include "tools/raf/Train.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <utility>
#include <vector>

using namespace raf;
using namespace raf::tool;

namespace {

int fail(std::string message, int code) {
  while (!message.empty() && message.back() == '\n')
    message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "raf: {}\n", message);
  return code;
}

} // namespace

int main(int argc, char **argv) {
  // A closed pipe and a file that may grow no further are failed writes, which have a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app("Compiles and runs the training of neural networks.", "raf");
  app.set_version_flag("--version", std::string("raf ") + version());
  app.option_defaults()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast); // the last one counts
  std::vector<std::pair<CLI::App *, Action>> commands;
  auto command = [&](const char *name, const char *text, Action (*add)(CLI::App &)) {
    CLI::App *sub = app.add_subcommand(name, text);
    commands.emplace_back(sub, add(*sub));
  };
  command("train", "Train a model on data", addTrain);
  command("eval", "Loss of a model on held-out data", addEval);
  command("generate", "Continue a text with a language model", addGenerate);
  command("compile", "Compile a model to an executable file", addCompile);
  command("run", "Train or evaluate with an executable file", addRun);
  command("inspect", "Say what a model, executable or checkpoint holds", addInspect);
  command("bench", "Time training steps", addBench);
  command("profile", "Time every kernel of a training step", addProfile);
  command("report", "Write a page about a training step", addReport);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &asked) { // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    std::string where;
    for (const auto &[sub, action] : commands)
      if (sub->parsed())
        where = sub->get_name() + ": ";
    return fail(where + error.what(), 2);
  }

  try {
    for (const auto &[sub, action] : commands)
      if (sub->parsed())
        return action();
  } catch (const UsageError &error) {
    return fail(error.what(), 2);
  } catch (const std::bad_alloc &) {
    return fail("out of memory", 1);
  } catch (const std::exception &error) {
    return fail(error.what(), 1);
  }
  return fail("expected a subcommand; raf --help lists them", 2);
}
