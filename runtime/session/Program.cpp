#include "runtime/session/Program.h"

#include "common/Error.h"
#include "runtime/memory/Arena.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace raf::runtime {
namespace {

template <class T> std::span<const T> spanOf(const flatbuffers::Vector<T> *v) {
  return v ? std::span<const T>(v->data(), v->size()) : std::span<const T>();
}

std::string text(const flatbuffers::String *s) { return s ? s->str() : std::string(); }

OperandInfo infoOf(const fb::Operand &operand) {
  return {static_cast<DType>(operand.dtype()), spanOf(operand.shape()), spanOf(operand.strides()),
          *operand.ref()};
}

/// Where the commands's result came from, as far as the file knows.
std::string nameOf(const fb::Command &command, size_t index) {
  std::string name = text(command.source());
  name += name.empty() ? "" : ": ";
  name += fmt::format("command {} ({})", index, text(command.label()));
  if (const std::string path = text(command.module_path()); !path.empty())
    name += fmt::format(" of {}", path);
  return name;
}

bool isContiguous(const TensorView &view) {
  int64_t expected = 1;
  for (size_t d = view.shape.size(); d-- > 0;) {
    if (view.shape[d] != 1 && view.strides[d] != expected)
      return false;
    expected *= view.shape[d];
  }
  return true;
}

void checkInput(const NamedTensor &expected, const TensorView &got) {
  auto fail = [&](const std::string &what) {
    throw ShapeError(fmt::format("input \"{}\": {}", expected.name, what));
  };
  if (got.dtype != expected.view.dtype)
    fail(fmt::format("expected {}, but got {}", raf::nameOf(expected.view.dtype),
                     raf::nameOf(got.dtype)));
  if (got.shape != expected.view.shape)
    fail(fmt::format("expected shape [{}], but got [{}]", fmt::join(expected.view.shape, ", "),
                     fmt::join(got.shape, ", ")));
  if (got.numElements() == 0)
    return;
  if (!got.strides.empty() && (got.strides.size() != got.shape.size() || !isContiguous(got)))
    fail(fmt::format("expected contiguous elements, but got strides [{}] for shape [{}]",
                     fmt::join(got.strides, ", "), fmt::join(got.shape, ", ")));
  if (!got.data)
    fail("expected data, but got a null pointer");
  if (reinterpret_cast<uintptr_t>(got.data) % sizeOf(got.dtype) != 0)
    fail(fmt::format("expected an address that is a multiple of {}, but got {}", sizeOf(got.dtype),
                     got.data));
}

} // namespace

TensorView viewOf(const fb::Tensor &tensor, void *data) {
  const std::span<const int64_t> shape = spanOf(tensor.shape());
  return {data, static_cast<DType>(tensor.dtype()), {shape.begin(), shape.end()}, {}};
}

Program::Program(const fb::Function &source, const CodeImage &code, const KernelContext &context,
                 std::string_view where)
    : function(&source), threads(context.threads) {
  auto signature = [](const auto *tensors, std::vector<NamedTensor> &out) {
    if (tensors)
      for (const fb::Tensor *tensor : *tensors)
        out.push_back({tensor->name()->str(), viewOf(*tensor)});
  };
  signature(source.inputs(), inputTensors);
  signature(source.outputs(), outputTensors);
  if (!source.commands())
    return;
  size_t operands = 0;
  for (const fb::Command *command : *source.commands())
    operands += command->operands()->size();
  addresses.resize(operands);
  void **next = addresses.data();
  for (const fb::Command *command : *source.commands()) {
    Command &prepared = commands.emplace_back();
    prepared.source = command;
    prepared.operands = next;
    try {
      prepare(prepared, code, context);
    } catch (const InvalidFileError &error) {
      throw InvalidFileError(fmt::format("{}: function \"{}\": {}: {}", where,
                                         source.name()->string_view(),
                                         nameOf(*command, commands.size() - 1), error.what()));
    }
    for (const fb::Operand *operand : *command->operands()) {
      if (operand->ref()->space() == fb::Space::Input)
        inputSlots.push_back({next, operand->ref()->offset(), operand->ref()->index()});
      ++next;
    }
  }
}

void Program::prepare(Command &command, const CodeImage &code, const KernelContext &context) {
  if (const fb::KernelCall *call = command.source->call_as_KernelCall()) {
    command.code = code.entry(call->kernel());
    command.params = spanOf(call->params()).data();
    command.work = call->work();
    command.grain = call->grain();
    const auto workers = static_cast<uint64_t>(threads.count());
    if (call->scratch_bytes() > std::numeric_limits<uint64_t>::max() / workers / 2)
      throw InvalidFileError(
          fmt::format("expected less scratch than {} bytes per thread", call->scratch_bytes()));
    command.scratch = roundUp(call->scratch_bytes(), 64);
    workspaceSize = std::max(workspaceSize, command.scratch * workers);
    return;
  }
  const fb::LibraryCall &call = *command.source->call_as_LibraryCall();
  LibraryCallInfo info{call.name()->string_view(),
                       spanOf(call.ints()),
                       spanOf(call.floats()),
                       {},
                       command.source->num_results()};
  for (const fb::Operand *operand : *command.source->operands())
    info.operands.push_back(infoOf(*operand));
  command.library = prepareLibraryCall(info, context);
  workspaceSize = std::max<uint64_t>(workspaceSize, command.library->workspaceBytes());
}

void Program::place(const Spaces &spaces) {
  auto addressOf = [&](const fb::Ref &ref) -> void * {
    switch (ref.space()) {
    case fb::Space::Arena:
      return spaces.arena + ref.offset();
    case fb::Space::State:
      return spaces.state + ref.offset();
    case fb::Space::Constant:
      return const_cast<std::byte *>(spaces.constants) + ref.offset();
    case fb::Space::Input:
      break; // known at each call
    }
    return nullptr;
  };
  for (const Command &command : commands)
    for (uint32_t i = 0; i < command.source->operands()->size(); ++i)
      command.operands[i] = addressOf(*command.source->operands()->Get(i)->ref());
  for (uint32_t i = 0; i < outputTensors.size(); ++i)
    outputTensors[i].view.data = addressOf(*function->outputs()->Get(i)->ref());
}

void Program::bind(std::span<const TensorView> values) {
  if (values.size() != inputTensors.size())
    throw ShapeError(fmt::format("function \"{}\": expected {} inputs, but got {}",
                                 function->name()->string_view(), inputTensors.size(),
                                 values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    checkInput(inputTensors[i], values[i]);
  auto addressOf = [&](uint32_t input, uint64_t offset) {
    return static_cast<std::byte *>(values[input].data) + offset;
  };
  for (const InputSlot &slot : inputSlots)
    *slot.address = addressOf(slot.input, slot.offset);
  for (uint32_t i = 0; i < outputTensors.size(); ++i)
    if (const fb::Ref &ref = *function->outputs()->Get(i)->ref(); ref.space() == fb::Space::Input)
      outputTensors[i].view.data = addressOf(ref.index(), ref.offset());
}

void Program::execute(const Command &command, std::byte *workspace) const {
  if (command.library)
    return command.library->run(command.operands, workspace);
  threads.parallelFor(command.work, command.grain, [&](int64_t begin, int64_t end, int thread) {
    command.code(command.operands, command.params, begin, end,
                 workspace + static_cast<size_t>(thread) * command.scratch);
  });
}

void Program::run(const RunOptions &options) {
  const Threads::Scope scope(threads.count());
  if (!options.profile && !options.checkNumerics) {
    for (const Command &command : commands)
      execute(command, options.workspace);
    return;
  }
  const Clock::time_point origin = Clock::now();
  for (size_t i = 0; i < commands.size(); ++i) {
    Command &command = commands[i];
    const Clock::time_point begin = Clock::now();
    execute(command, options.workspace);
    if (options.profile) {
      command.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      command.start = std::chrono::duration<double>(begin - origin).count();
      ++command.calls;
    }
    if (options.checkNumerics)
      checkResults(command, i);
  }
}

void Program::checkResults(const Command &command, size_t index) const {
  const uint32_t operands = command.source->operands()->size(),
                 results = command.source->num_results();
  for (uint32_t i = 0; i < results; ++i) {
    const uint32_t at = operands - results + i;
    const OperandInfo result = infoOf(*command.source->operands()->Get(at));
    if (!isFloat(result.dtype))
      continue;
    const NonFinite found = firstNonFinite(command.operands[at], result);
    if (found.index >= 0)
      throw Error(fmt::format("{}: result {} of shape [{}] is {} at element {}",
                              nameOf(*command.source, index), i, fmt::join(result.shape, ", "),
                              found.nan ? "NaN" : "infinite", found.index));
  }
}

void Program::clearProfile() {
  for (Command &command : commands)
    command.seconds = command.start = 0, command.calls = 0;
}

std::vector<CommandProfile> Program::profile() const {
  std::vector<CommandProfile> profiles;
  for (const Command &command : commands) {
    const fb::Command &source = *command.source;
    CommandProfile &p = profiles.emplace_back();
    p.label = text(source.label());
    p.dialect = text(source.dialect());
    p.source = text(source.source());
    p.modulePath = text(source.module_path());
    p.seconds = command.calls > 0 ? command.seconds / static_cast<double>(command.calls) : 0;
    p.flops = source.flops();
    p.bytes = source.bytes();
    p.predictedSeconds = source.predicted_seconds();
    p.calls = command.calls;
    p.startSeconds = command.start;
  }
  return profiles;
}

} // namespace raf::runtime
