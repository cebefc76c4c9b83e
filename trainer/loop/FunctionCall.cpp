#include "trainer/loop/FunctionCall.h"

#include "common/Error.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace raf::trainer {

FunctionCall::FunctionCall(runtime::Session &session, std::string name)
    : session(session), function(std::move(name)) {
  if (!session.hasFunction(function))
    throw Error(fmt::format("executable: expected a function '{}'", function));
  for (const runtime::NamedTensor &input : session.inputs(function)) {
    runtime::TensorView argument = input.view;
    if (input.name == "lr") {
      if (input.view.dtype != DType::F32 || !input.view.shape.empty())
        throw ShapeError(fmt::format("{}: expected input 'lr' to be a scalar f32", function));
      argument.data = &lr;
    } else if (input.name == "key") {
      if (input.view.dtype != DType::I64 || input.view.shape != std::vector<int64_t>{2})
        throw ShapeError(fmt::format("{}: expected input 'key' to be 2 x i64", function));
      argument.data = key.data();
    } else {
      batchSlots.push_back(arguments.size());
      batch.push_back(input);
    }
    arguments.push_back(std::move(argument));
  }
}

void FunctionCall::run(std::span<const runtime::TensorView> views, float rate, uint64_t seed,
                       int64_t step) {
  if (views.size() != batchSlots.size())
    throw ShapeError(fmt::format("{}: expected {} batch inputs, but got {}", function,
                                 batchSlots.size(), views.size()));
  for (size_t i = 0; i < views.size(); ++i)
    arguments[batchSlots[i]] = views[i];
  lr = rate;
  key = {std::bit_cast<int64_t>(seed), step};
  session.run(function, arguments);
}

const runtime::TensorView &FunctionCall::output(std::string_view name) const {
  std::string known;
  for (const runtime::NamedTensor &output : session.outputs(function)) {
    if (output.name == name)
      return output.view;
    known += (known.empty() ? "'" : ", '") + output.name + "'";
  }
  throw Error(fmt::format("{}: expected an output '{}', but it has {}", function, name,
                          known.empty() ? "none" : known));
}

double FunctionCall::scalar(std::string_view name) const {
  const runtime::TensorView &view = output(name);
  if (view.numElements() != 1 || (view.dtype != DType::F32 && view.dtype != DType::F64))
    throw ShapeError(
        fmt::format("{}: expected output '{}' to be a scalar f32 or f64", function, name));
  if (view.dtype == DType::F64)
    return *static_cast<const double *>(view.data);
  return static_cast<double>(*static_cast<const float *>(view.data));
}

} // namespace raf::trainer
