#include "tests/unit/trainer/Support.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace raf::test {
namespace {

struct Fake {
  int64_t batch = kFakeBatch, nanAt = -1;
};
Fake next;

} // namespace

std::vector<runtime::NamedTensor> languageInputs(int64_t batch, int64_t context) {
  return {{"tokens", {nullptr, DType::I64, {batch, context}, {}}},
          {"labels", {nullptr, DType::I64, {batch, context}, {}}}};
}

std::unique_ptr<runtime::Session> makeFakeSession(int64_t batch, int64_t nanAt) {
  next = {batch, nanAt};
  return runtime::Session::load({});
}

std::string stateBytes(runtime::Session &session) {
  std::string bytes;
  for (const runtime::StateInfo &state : session.state())
    bytes.append(static_cast<const char *>(state.view.data), state.view.bytes());
  return bytes;
}

} // namespace raf::test

namespace raf::runtime {

using namespace raf::test;

struct Session::Impl {
  explicit Impl(Fake fake) : fake(fake) {
    step = languageInputs(fake.batch, kFakeContext);
    eval = step;
    step.push_back({"lr", {nullptr, DType::F32, {}, {}}});
    step.push_back({"key", {nullptr, DType::I64, {2}, {}}});
    forward = {{"tokens", {nullptr, DType::I64, {1, kFakeContext}, {}}}};
    scalars = {{"loss", {&loss, DType::F32, {}, {}}}, {"grad_norm", {&norm, DType::F32, {}, {}}}};
    logitsOutput = {
        {"logits", {logits.data(), DType::F32, {1, kFakeContext, kFakeVocabulary}, {}}}};
    state = {{"w", {w.data(), DType::F32, {6}, {}}, StateKind::Parameter, false, "normal(0,0.02)"},
             {"seen", {&seen, DType::I64, {}, {}}, StateKind::Buffer, false, "zeros"},
             {"w/momentum",
              {momentum.data(), DType::F32, {6}, {}},
              StateKind::OptimizerState,
              false,
              "zeros"}};
  }

  void trainStep(std::span<const TensorView> inputs) {
    const auto *tokens = static_cast<const int64_t *>(inputs[0].data);
    const auto *labels = static_cast<const int64_t *>(inputs[1].data);
    const float lr = *static_cast<const float *>(inputs[2].data);
    const auto *key = static_cast<const int64_t *>(inputs[3].data);
    loss = norm = 0;
    for (size_t i = 0; i < w.size(); ++i) {
      float gradient = w[i] * 0.1f + static_cast<float>(key[0] + key[1]) * 1e-3f;
      for (int64_t t = 0; t < inputs[0].numElements(); ++t)
        gradient = gradient * 0.9f + static_cast<float>(tokens[t] * (t + 1) - labels[t]) * 1e-3f;
      momentum[i] = 0.9f * momentum[i] + gradient;
      w[i] -= lr * momentum[i];
      norm += gradient * gradient;
      loss += w[i] * w[i];
    }
    norm = std::sqrt(norm);
    seen += inputs[0].shape[0];
    if (key[1] == fake.nanAt)
      loss = std::numeric_limits<float>::quiet_NaN();
  }

  void evaluate(const TensorView &tokens) {
    double sum = 0;
    for (int64_t t = 0; t < tokens.numElements(); ++t)
      sum += static_cast<double>(static_cast<const int64_t *>(tokens.data)[t]);
    loss = static_cast<float>(sum / static_cast<double>(tokens.numElements()));
  }

  void predict(const TensorView &tokens) {
    logits.fill(0);
    for (int64_t t = 0; t < kFakeContext; ++t)
      logits[static_cast<size_t>(t * kFakeVocabulary +
                                 (static_cast<const int64_t *>(tokens.data)[t] + 1) %
                                     kFakeVocabulary)] = 30;
  }

  Fake fake;
  std::array<float, 6> w{}, momentum{};
  int64_t seen = 0;
  float loss = 0, norm = 0;
  std::array<float, kFakeContext * kFakeVocabulary> logits{};
  std::vector<NamedTensor> step, eval, forward, scalars, logitsOutput;
  std::vector<StateInfo> state;
};

Session::Session() = default;
Session::~Session() = default;

std::unique_ptr<Session> Session::load(std::span<const std::byte>, const SessionOptions &) {
  std::unique_ptr<Session> session(new Session);
  session->impl = std::make_unique<Impl>(next);
  return session;
}

bool Session::hasFunction(std::string_view name) const {
  return name == "train_step" || name == "evaluate" || name == "forward";
}

const std::vector<NamedTensor> &Session::inputs(std::string_view function) const {
  return function == "train_step" ? impl->step
         : function == "evaluate" ? impl->eval
                                  : impl->forward;
}

const std::vector<NamedTensor> &Session::outputs(std::string_view function) const {
  return function == "forward" ? impl->logitsOutput : impl->scalars;
}

std::vector<StateInfo> &Session::state() { return impl->state; }

void Session::run(std::string_view function, std::span<const TensorView> inputs) {
  if (function == "train_step")
    impl->trainStep(inputs);
  else if (function == "evaluate")
    impl->evaluate(inputs[0]);
  else
    impl->predict(inputs[0]);
}

double Session::flops(std::string_view) const { return 1e6; }

} // namespace raf::runtime
