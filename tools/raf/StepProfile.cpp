#include "tools/raf/StepProfile.h"

#include "tools/raf/SyntheticBatch.h"
#include "trainer/loop/FunctionCall.h"
#include "trainer/loop/InitializeState.h"

#include <algorithm>
#include <map>
#include <utility>

namespace raf::tool {

StepProfile profileStep(const std::string &model, int64_t batchSize, const std::string &function,
                        int64_t steps, uint64_t seed, const CompileOptions &options,
                        const runtime::SessionOptions &sessionOptions) {
  const int64_t vocabulary = vocabularyOf(inspectModel(model, batchSize));
  Program program = buildProgram(model, batchSize, options, sessionOptions);
  runtime::Session &session = *program.session;
  trainer::FunctionCall call(session, function);
  const SyntheticBatch batch(call.batchInputs(), vocabulary, seed);
  for (const runtime::StateInfo &state : session.state())
    trainer::initializeState(state, seed);

  constexpr float lr = 1e-4f;
  call.run(batch.views(), lr, seed, 0); // touches the memory
  session.startProfile();
  for (int64_t step = 1; step <= steps; ++step)
    call.run(batch.views(), lr, seed, step);

  StepProfile result;
  result.commands = session.stopProfile(function);
  result.memory = session.memory();
  result.compiled = std::move(program.compiled);
  for (const runtime::CommandProfile &command : result.commands)
    result.seconds += command.seconds;
  return result;
}

Profiles byLabel(const Profiles &commands) {
  std::map<std::pair<std::string, std::string>, runtime::CommandProfile> sums;
  for (const runtime::CommandProfile &p : commands) {
    runtime::CommandProfile &sum = sums[{p.label, p.dialect}];
    sum.label = p.label;
    sum.dialect = p.dialect;
    sum.seconds += p.seconds;
    sum.flops += p.flops;
    sum.bytes += p.bytes;
    sum.predictedSeconds += p.predictedSeconds;
    ++sum.calls;
  }
  Profiles rows;
  for (auto &[key, sum] : sums)
    rows.push_back(std::move(sum));
  std::sort(rows.begin(), rows.end(),
            [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  return rows;
}

} // namespace raf::tool
