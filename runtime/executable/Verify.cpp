#include "runtime/executable/Verify.h"

#include "common/DType.h"
#include "common/Error.h"
#include "runtime/executable/Executable.h"
#include "runtime/executable/Extent.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

namespace raf::executable {
namespace {

template <class T> uint64_t sizeOrZero(const T *v) { return v ? v->size() : 0; }

class Verifier {
public:
  Verifier(const fb::Executable &file, size_t payloadBytes, std::string_view where)
      : file(file), where(where), budget(uint64_t{64} * payloadBytes + (1 << 20)) {}

  void run() {
    checkConstants();
    checkKernels();
    checkState();
    spend(sizeOrZero(file.cpu_features()));
    if (file.cpu_features())
      for (const auto *name : *file.cpu_features())
        spend(name->size());
    std::set<std::string_view> names;
    for (const auto *function : *file.functions()) {
      if (!names.insert(function->name()->string_view()).second)
        fail("two functions are named \"{}\"", function->name()->string_view());
      checkFunction(*function);
    }
  }

private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args &&...args) {
    throw InvalidFileError(fmt::format("{}: executable is malformed: {}{}", where, context,
                                       fmt::format(what, std::forward<Args>(args)...)));
  }

  /// Tables may be shared within a file, so its size alone does not bound the work of reading it.
  void spend(uint64_t entries) {
    if (entries > budget)
      fail("it repeats its tables too often");
    budget -= entries;
  }

  /// FlatBuffers' own verifier checks where a vector lies, not that its elements are aligned.
  template <class T> std::span<const T> spanOf(const flatbuffers::Vector<T> *v) {
    // A writer need not align what has no elements.
    if (!v || v->size() == 0)
      return {};
    if (reinterpret_cast<uintptr_t>(v->Data()) % sizeof(T) != 0)
      fail("a vector of {}-byte elements is not aligned", sizeof(T));
    return {reinterpret_cast<const T *>(v->Data()), v->size()};
  }

  void checkConstants() {
    const auto *constants = file.constants();
    // Payload and header keep the alignment of the file's first byte, which `open` asks to be 64.
    if (sizeOrZero(constants) > 0 && reinterpret_cast<uintptr_t>(constants->data()) % 64 != 0)
      fail("constants do not start at a 64-byte boundary");
  }

  void checkKernels() {
    if (!file.kernels())
      return;
    for (const auto *kernel : *file.kernels()) {
      const std::string_view name = kernel->name()->string_view();
      spend(1 + name.size());
      const uint64_t bytes = sizeOrZero(kernel->code());
      spend(bytes);
      if (kernel->entry() >= bytes)
        fail("kernel \"{}\": expected an entry below {}, but got {}", name, bytes, kernel->entry());
      if (!kernel->imports())
        continue;
      for (const auto *import : *kernel->imports()) {
        spend(1);
        if (import->slot() % 8 != 0 || bytes < 8 || import->slot() > bytes - 8)
          fail("kernel \"{}\": import slot {} of \"{}\" is not an aligned place within {} bytes",
               name, import->slot(), import->symbol()->string_view(), bytes);
      }
    }
  }

  void checkState() {
    if (!file.state())
      return;
    std::set<std::string_view> names;
    struct Placed {
      uint64_t begin, end;
      std::string_view name;
    };
    std::vector<Placed> placed;
    for (const auto *entry : *file.state()) {
      const std::string_view name = entry->tensor()->name()->string_view();
      context = fmt::format("state \"{}\": ", name);
      if (!names.insert(name).second)
        fail("the name is used twice");
      if (entry->kind() > fb::StateKind::MAX)
        fail("unknown kind {}", static_cast<int>(entry->kind()));
      spend(sizeOrZero(entry->init()));
      const fb::Ref &ref = *entry->tensor()->ref();
      if (ref.space() != fb::Space::State)
        fail("expected a place in the state, but got space {}", static_cast<int>(ref.space()));
      checkTensor(*entry->tensor(), nullptr);
      const uint64_t bytes = *elementCount(spanOf(entry->tensor()->shape())) *
                             sizeOf(static_cast<DType>(entry->tensor()->dtype()));
      if (bytes > 0)
        placed.push_back({ref.offset(), ref.offset() + bytes, name});
    }
    std::sort(placed.begin(), placed.end(),
              [](const Placed &a, const Placed &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < placed.size(); ++i)
      if (placed[i].begin < placed[i - 1].end) {
        context = fmt::format("state \"{}\": ", placed[i].name);
        fail("it overlaps \"{}\"", placed[i - 1].name);
      }
    context.clear();
  }

  /// Bytes of the space a reference points into.
  uint64_t capacity(const fb::Ref &ref, const fb::Function *function) {
    switch (ref.space()) {
    case fb::Space::Arena:
      return function ? function->arena_bytes() : 0;
    case fb::Space::State:
      return file.state_bytes();
    case fb::Space::Constant:
      return sizeOrZero(file.constants());
    case fb::Space::Input: {
      const uint64_t inputs = function ? sizeOrZero(function->inputs()) : 0;
      if (ref.index() >= inputs)
        fail("input {} does not exist: the function has {}", ref.index(), inputs);
      const fb::Tensor &input = *function->inputs()->Get(ref.index());
      return *elementCount(spanOf(input.shape())) * sizeOf(static_cast<DType>(input.dtype()));
    }
    }
    fail("unknown space {}", static_cast<int>(ref.space()));
  }

  void checkPlace(const fb::Ref &ref, uint8_t dtype, std::span<const int64_t> shape,
                  std::span<const int64_t> strides, const fb::Function *function) {
    if (dtype >= kNumDTypes)
      fail("unknown dtype {}", dtype);
    const auto size = static_cast<uint64_t>(sizeOf(static_cast<DType>(dtype)));
    const std::optional<ByteRange> range = touchedBytes(shape, strides, static_cast<DType>(dtype));
    if (!range)
      fail("shape [{}] with strides [{}] overflows or does not fit", fmt::join(shape, ", "),
           fmt::join(strides, ", "));
    const uint64_t bytes = capacity(ref, function);
    // Offsets are compared without adding: they come from the file and may be near 2^64.
    const bool inside = ref.offset() <= bytes &&
                        0 - static_cast<uint64_t>(range->low) <= ref.offset() &&
                        static_cast<uint64_t>(range->high) <= bytes - ref.offset();
    if (!inside)
      fail("bytes [{} + {}, {} + {}) lie outside of space {} of {} bytes", ref.offset(), range->low,
           ref.offset(), range->high, fb::EnumNameSpace(ref.space()), bytes);
    if (ref.offset() % size != 0)
      fail("offset {} is not a multiple of the element size {}", ref.offset(), size);
  }

  /// A tensor of a signature: contiguous.
  void checkTensor(const fb::Tensor &tensor, const fb::Function *function) {
    const std::span<const int64_t> shape = spanOf(tensor.shape());
    spend(1 + tensor.name()->size() + shape.size());
    if (shape.size() > kMaxRank)
      fail("expected a rank of at most {}, but got {}", kMaxRank, shape.size());
    if (tensor.dtype() >= kNumDTypes)
      fail("unknown dtype {}", tensor.dtype());
    const std::optional<int64_t> count = elementCount(shape);
    if (!count)
      fail("shape [{}] overflows or is negative", fmt::join(shape, ", "));
    const int64_t flat[] = {*count}, one[] = {1};
    checkPlace(*tensor.ref(), tensor.dtype(), flat, one, function);
  }

  void checkFunction(const fb::Function &function) {
    const std::string_view name = function.name()->string_view();
    spend(1 + name.size());
    if (function.inputs())
      for (uint32_t i = 0; i < function.inputs()->size(); ++i) {
        const fb::Tensor &input = *function.inputs()->Get(i);
        context = fmt::format("function \"{}\", input {}: ", name, i);
        if (input.ref()->space() != fb::Space::Input || input.ref()->index() != i ||
            input.ref()->offset() != 0)
          fail("expected the place (Input, {}, 0)", i);
        // Its own capacity is its size, so its shape must be sound before it is looked up.
        if (input.dtype() >= kNumDTypes || !elementCount(spanOf(input.shape())))
          fail("unknown dtype {} or bad shape [{}]", input.dtype(),
               fmt::join(spanOf(input.shape()), ", "));
        checkTensor(input, &function);
      }
    if (function.outputs())
      for (uint32_t i = 0; i < function.outputs()->size(); ++i) {
        context = fmt::format("function \"{}\", output {}: ", name, i);
        checkTensor(*function.outputs()->Get(i), &function);
      }
    if (function.commands())
      for (uint32_t i = 0; i < function.commands()->size(); ++i) {
        context = fmt::format("function \"{}\", command {}: ", name, i);
        checkCommand(*function.commands()->Get(i), function);
      }
    context.clear();
  }

  void checkCommand(const fb::Command &command, const fb::Function &function) {
    spend(1 + sizeOrZero(command.label()) + sizeOrZero(command.dialect()) +
          sizeOrZero(command.source()) + sizeOrZero(command.module_path()) +
          sizeOrZero(command.runner_up()));
    const uint64_t operands = command.operands()->size();
    if (command.num_results() > operands)
      fail("it has {} results, but {} operands", command.num_results(), operands);
    const std::string commandContext = context;
    for (uint32_t i = 0; i < operands; ++i) {
      const fb::Operand &operand = *command.operands()->Get(i);
      const std::span<const int64_t> shape = spanOf(operand.shape());
      const std::span<const int64_t> strides = spanOf(operand.strides());
      context = fmt::format("{}operand {}: ", commandContext, i);
      spend(1 + shape.size() + strides.size());
      if (shape.size() > kMaxRank || strides.size() != shape.size())
        fail("expected as many strides as extents and at most {}, but got {} and {}", kMaxRank,
             strides.size(), shape.size());
      checkPlace(*operand.ref(), operand.dtype(), shape, strides, &function);
      if (i < operands - command.num_results())
        continue;
      const fb::Space space = operand.ref()->space();
      if (space != fb::Space::Arena && space != fb::Space::State)
        fail("a result cannot lie in space {}", fb::EnumNameSpace(space));
      if (!isInjective(shape, strides))
        fail("a result with shape [{}] and strides [{}] overlaps itself", fmt::join(shape, ", "),
             fmt::join(strides, ", "));
    }
    context = commandContext;
    switch (command.call_type()) {
    case fb::Call::KernelCall:
      return checkKernelCall(*command.call_as_KernelCall());
    case fb::Call::LibraryCall:
      return checkLibraryCall(*command.call_as_LibraryCall());
    case fb::Call::NONE:
      break;
    }
    fail("unknown kind of call {}", static_cast<int>(command.call_type()));
  }

  void checkKernelCall(const fb::KernelCall &call) {
    spend(1 + spanOf(call.params()).size());
    if (call.kernel() >= sizeOrZero(file.kernels()))
      fail("kernel {} does not exist: the file has {}", call.kernel(), sizeOrZero(file.kernels()));
    if (call.work() < 0 || call.grain() < 1)
      fail("expected work >= 0 and grain >= 1, but got {} and {}", call.work(), call.grain());
  }

  void checkLibraryCall(const fb::LibraryCall &call) {
    spend(1 + call.name()->size() + spanOf(call.ints()).size() + spanOf(call.floats()).size());
    if (call.strings())
      for (const auto *text : *call.strings())
        spend(1 + text->size());
  }

  const fb::Executable &file;
  std::string_view where;
  std::string context; // what is being looked at, for messages
  uint64_t budget;
};

} // namespace

void verify(const fb::Executable &file, size_t payloadBytes, std::string_view where) {
  Verifier(file, payloadBytes, where).run();
}

} // namespace raf::executable
