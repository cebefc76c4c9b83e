// Arrays named after the model's inputs; row i of each makes sample i.
#include "common/Error.h"
#include "common/Safetensors.h"
#include "trainer/data/Npz.h"
#include "trainer/data/Sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace raf::trainer {
namespace {

// Where the array of one input lies, and how to make the input's dtype of it.
struct Column {
  std::string name;
  const std::byte *data = nullptr;
  DType dtype = DType::F32;
  bool isUnsigned = false;
  std::vector<int64_t> shape;
  int64_t perSample = 0; // elements
};

// Calls `use` with a value of the C++ type that `column` holds.
template <typename Use> auto withType(const Column &column, Use use) {
  const bool u = column.isUnsigned;
  switch (column.dtype) {
  case DType::F32:
    return use(float{});
  case DType::F64:
    return use(double{});
  case DType::F16:
    return use(_Float16{});
  case DType::I8:
    return use(int8_t{});
  case DType::I16:
    return u ? use(uint16_t{}) : use(int16_t{});
  case DType::I32:
    return u ? use(uint32_t{}) : use(int32_t{});
  case DType::I64:
    return use(int64_t{});
  default:
    return use(uint8_t{});
  }
}

template <typename T> T load(const std::byte *data, int64_t i) {
  T value;
  std::memcpy(&value, data + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

// Equal dtypes are copied; integers become other integers, floats f32 or f64.
bool convertible(const Column &from, DType to) {
  if (from.dtype == to && !from.isUnsigned)
    return true;
  if (isFloat(from.dtype))
    return from.dtype != DType::BF16 && (to == DType::F32 || to == DType::F64);
  return from.dtype != DType::I1 && (to == DType::I64 || to == DType::I32);
}

class NamedTensors : public Dataset {
public:
  NamedTensors(const DataOptions &options, Inputs inputs) : path(options.path) {
    std::vector<Column> found = open();
    for (const runtime::NamedTensor &input : inputs)
      columns.push_back(bind(input, found));
    if (columns.empty())
      throw ShapeError(fmt::format("{}: expected a model with inputs", path));
    total = columns[0].shape[0];
    for (const Column &column : columns)
      if (column.shape[0] != total)
        throw ShapeError(fmt::format("{}: expected {} samples in every tensor, but '{}' has {}",
                                     path, total, column.name, column.shape[0]));
    held = total / 10;
    if (total - held < 1)
      throw InvalidFileError(fmt::format("{}: expected at least one sample", path));
    for (size_t i = 0; i < columns.size(); ++i)
      checkIntegers(columns[i], inputs[i].view.dtype,
                    columns[i].name == "labels" ? options.vocabulary : 0);
  }

  int64_t samples(Split split) const override {
    return split == Split::Train ? total - held : held;
  }

  void read(Split split, uint64_t, int64_t index, int64_t row,
            std::span<const runtime::TensorView> batch) const override {
    const int64_t sample = split == Split::Train ? index : total - held + index;
    for (size_t i = 0; i < columns.size(); ++i)
      copy(columns[i], sample, batch[i], row);
  }

private:
  std::vector<Column> open() {
    std::vector<Column> found;
    if (path.ends_with(".npz")) {
      npz = readNpz(path);
      for (const auto &[name, array] : npz.arrays)
        found.push_back({name, array.data.data(), array.dtype, array.isUnsigned, array.shape, 0});
      return found;
    }
    file.emplace(path);
    for (const SafetensorsEntry &tensor : file->tensors())
      found.push_back({tensor.name, tensor.data.data(), tensor.dtype, false, tensor.shape, 0});
    return found;
  }

  Column bind(const runtime::NamedTensor &input, const std::vector<Column> &found) const {
    const std::vector<int64_t> &want = input.view.shape;
    for (Column column : found) {
      if (column.name != input.name)
        continue;
      const std::vector<int64_t> &got = column.shape;
      if (got.empty() || got.size() != want.size() ||
          !std::equal(got.begin() + 1, got.end(), want.begin() + 1))
        throw ShapeError(fmt::format(
            "{}: tensor '{}': expected [samples,{}], but got [{}]", path, column.name,
            fmt::join(std::span(want).subspan(want.empty() ? 0 : 1), ","), fmt::join(got, ",")));
      if (!convertible(column, input.view.dtype))
        throw ShapeError(fmt::format("{}: tensor '{}': expected {}, but got {}", path, column.name,
                                     nameOf(input.view.dtype), nameOf(column.dtype)));
      column.perSample = 1;
      for (size_t d = 1; d < got.size(); ++d)
        column.perSample *= got[d];
      return column;
    }
    std::vector<std::string> names;
    for (const Column &column : found)
      names.push_back(column.name);
    throw ShapeError(fmt::format(
        "{}: expected a tensor '{}' for the model's input, but it has {}", path, input.name,
        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }

  // -100 marks a label that is not counted, as everywhere.
  void checkIntegers(const Column &column, DType to, int64_t limit) const {
    if (isFloat(column.dtype))
      return;
    const bool isBool = column.dtype == DType::I1;
    if (!isBool && limit == 0 && to != DType::I32)
      return;
    const int64_t count = column.shape[0] * column.perSample;
    withType(column, [&]<typename T>(T) {
      for (int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<int64_t>(load<T>(column.data, i));
        if (isBool ? value > 1 : limit > 0 && (value < 0 || value >= limit) && value != -100)
          throw InvalidFileError(fmt::format("{}: tensor '{}': {} at element {} is outside [0,{})",
                                             path, column.name, value, i, isBool ? 2 : limit));
        if (to == DType::I32 && value != static_cast<int32_t>(value))
          throw InvalidFileError(fmt::format("{}: tensor '{}': {} at element {} does not fit i32",
                                             path, column.name, value, i));
      }
    });
  }

  static void copy(const Column &column, int64_t sample, const runtime::TensorView &to,
                   int64_t row) {
    const int64_t count = column.perSample;
    if (column.dtype == to.dtype && !column.isUnsigned) {
      const size_t bytes = static_cast<size_t>(count) * sizeOf(to.dtype);
      if (bytes > 0)
        std::memcpy(static_cast<std::byte *>(to.data) + static_cast<size_t>(row) * bytes,
                    column.data + static_cast<size_t>(sample) * bytes, bytes);
      return;
    }
    withType(column, [&]<typename From>(From) {
      auto write = [&]<typename To>(To *out) {
        for (int64_t i = 0; i < count; ++i)
          out[row * count + i] = static_cast<To>(load<From>(column.data, sample * count + i));
      };
      switch (to.dtype) {
      case DType::F32:
        return write(static_cast<float *>(to.data));
      case DType::F64:
        return write(static_cast<double *>(to.data));
      case DType::I32:
        return write(static_cast<int32_t *>(to.data));
      default:
        return write(static_cast<int64_t *>(to.data));
      }
    });
  }

  std::string path;
  NpzFile npz;
  std::optional<SafetensorsFile> file;
  std::vector<Column> columns; // one per input
  int64_t total = 0, held = 0;
};

} // namespace

std::unique_ptr<Dataset> openNamedTensors(const DataOptions &options, Inputs inputs) {
  return std::make_unique<NamedTensors>(options, inputs);
}

} // namespace raf::trainer
