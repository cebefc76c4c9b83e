// Executables made by hand, for tests of what reads and runs them.
#pragma once

#include "common/DType.h"
#include "common/Philox.h"
#include "runtime/executable/Executable.h"
#include "runtime/session/Session.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace raf::test {

using Shape = std::vector<int64_t>;

inline Shape contiguous(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

inline int64_t count(const Shape &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

struct Operand {
  fb::Space space;
  uint32_t index = 0;
  uint64_t offset = 0;
  DType dtype;
  Shape shape, strides;

  Operand transposed() const {
    Operand t = *this;
    std::swap(t.shape[shape.size() - 1], t.shape[shape.size() - 2]);
    std::swap(t.strides[shape.size() - 1], t.strides[shape.size() - 2]);
    return t;
  }
};

/// An executable with one function, "main", unless more are begun.
class TestExecutable {
public:
  fb::ExecutableT file;

  TestExecutable() { begin("main"); }

  fb::FunctionT &begin(const std::string &name) {
    file.functions.push_back(std::make_unique<fb::FunctionT>());
    file.functions.back()->name = name;
    return *file.functions.back();
  }
  fb::FunctionT &function() { return *file.functions.back(); }

  Operand input(DType dtype, const Shape &shape) {
    const auto index = static_cast<uint32_t>(function().inputs.size());
    Operand operand{fb::Space::Input, index, 0, dtype, shape, contiguous(shape)};
    function().inputs.push_back(tensor("input" + std::to_string(index), operand));
    return operand;
  }
  Operand arena(DType dtype, const Shape &shape) {
    return take(fb::Space::Arena, function().arena_bytes, dtype, shape);
  }
  Operand state(DType dtype, const Shape &shape, const std::string &init = "zeros") {
    const Operand operand = take(fb::Space::State, file.state_bytes, dtype, shape);
    auto entry = std::make_unique<fb::StateTensorT>();
    entry->tensor = tensor("state" + std::to_string(file.state.size()), operand);
    entry->init = init;
    file.state.push_back(std::move(entry));
    return operand;
  }
  Operand constant(const std::vector<float> &values) {
    const size_t offset = (file.constants.size() + 63) / 64 * 64;
    file.constants.resize(offset + values.size() * 4);
    std::memcpy(file.constants.data() + offset, values.data(), values.size() * 4);
    const Shape shape{static_cast<int64_t>(values.size())};
    return {fb::Space::Constant, 0, offset, DType::F32, shape, {1}};
  }
  void output(const Operand &operand) {
    function().outputs.push_back(
        tensor("output" + std::to_string(function().outputs.size()), operand));
  }

  fb::CommandT &library(const std::string &name, std::vector<int64_t> ints,
                        const std::vector<Operand> &operands, uint32_t results) {
    fb::LibraryCallT call;
    call.name = name;
    call.ints = std::move(ints);
    fb::CommandT &made = command(operands, results);
    made.call.Set(std::move(call));
    made.label = name;
    return made;
  }
  fb::CommandT &kernel(uint32_t index, std::vector<int64_t> params, int64_t work,
                       const std::vector<Operand> &operands, uint32_t results) {
    fb::KernelCallT call;
    call.kernel = index;
    call.params = std::move(params);
    call.work = work;
    fb::CommandT &made = command(operands, results);
    made.call.Set(call);
    made.label = "kernel" + std::to_string(index);
    return made;
  }
  uint32_t code(const std::vector<uint8_t> &bytes,
                const std::vector<std::pair<std::string, uint64_t>> &imports = {}) {
    auto made = std::make_unique<fb::KernelT>();
    made->name = "k" + std::to_string(file.kernels.size());
    made->code = bytes;
    for (const auto &[symbol, slot] : imports) {
      auto import = std::make_unique<fb::ImportT>();
      import->symbol = symbol;
      import->slot = slot;
      made->imports.push_back(std::move(import));
    }
    file.kernels.push_back(std::move(made));
    return static_cast<uint32_t>(file.kernels.size() - 1);
  }

  std::vector<std::byte> seal() const {
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishExecutableBuffer(builder, fb::Executable::Pack(builder, &file));
    return executable::seal(builder);
  }
  std::unique_ptr<runtime::Session> load(const runtime::SessionOptions &options = {}) const {
    return runtime::Session::load(seal(), options);
  }

private:
  static std::unique_ptr<fb::TensorT> tensor(const std::string &name, const Operand &operand) {
    auto made = std::make_unique<fb::TensorT>();
    made->name = name;
    made->dtype = static_cast<uint8_t>(operand.dtype);
    made->shape = operand.shape;
    made->ref = std::make_unique<fb::Ref>(operand.offset, operand.index, operand.space);
    return made;
  }
  static Operand take(fb::Space space, uint64_t &used, DType dtype, const Shape &shape) {
    const uint64_t offset = (used + 63) / 64 * 64;
    used = offset + static_cast<uint64_t>(count(shape)) * sizeOf(dtype);
    return {space, 0, offset, dtype, shape, contiguous(shape)};
  }
  fb::CommandT &command(const std::vector<Operand> &operands, uint32_t results) {
    function().commands.push_back(std::make_unique<fb::CommandT>());
    fb::CommandT &made = *function().commands.back();
    for (const Operand &operand : operands) {
      auto entry = std::make_unique<fb::OperandT>();
      entry->ref = std::make_unique<fb::Ref>(operand.offset, operand.index, operand.space);
      entry->dtype = static_cast<uint8_t>(operand.dtype);
      entry->shape = operand.shape;
      entry->strides = operand.strides;
      made.operands.push_back(std::move(entry));
    }
    made.num_results = results;
    made.dialect = "test";
    return made;
  }
};

template <class T> runtime::TensorView view(std::vector<T> &data, DType dtype, const Shape &shape) {
  return {data.data(), dtype, shape, {}};
}

/// Uniform in [-1, 1).
inline std::vector<float> randomValues(int64_t n, uint32_t stream) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 2 * philox::uniform({1, 0, stream}, i) - 1;
  return values;
}

/// Element `index`, in row-major order, of an operand that lies at `offset` 0 of its space.
inline int64_t offsetOf(const Shape &shape, const Shape &strides, int64_t index) {
  int64_t offset = 0;
  for (size_t d = shape.size(); d-- > 0; index /= shape[d])
    offset += index % shape[d] * strides[d];
  return offset;
}

} // namespace raf::test
