#include "common/Error.h"
#include "trainer/data/Dataset.h"
#include "trainer/data/Shuffle.h"

#include <fmt/format.h>

namespace raf::trainer {

BatchBuffer::BatchBuffer(std::span<const runtime::NamedTensor> inputs, int64_t size) : rows(size) {
  for (const runtime::NamedTensor &input : inputs) {
    runtime::TensorView view = input.view;
    if (view.shape.empty())
      throw ShapeError(
          fmt::format("input '{}': expected a batch dimension, but got a scalar", input.name));
    view.shape[0] = size;
    view.strides.clear();
    storage.emplace_back(view.bytes());
    view.data = storage.back().data();
    tensors.push_back(std::move(view));
  }
}

void BatchBuffer::fillTraining(const Dataset &data, uint64_t seed, uint64_t position) {
  const int64_t samples = data.samples(Split::Train);
  for (int64_t row = 0; row < rows; ++row) {
    uint64_t at = position + static_cast<uint64_t>(row);
    uint64_t epoch = at / static_cast<uint64_t>(samples);
    int64_t inEpoch = static_cast<int64_t>(at % static_cast<uint64_t>(samples));
    data.read(Split::Train, epoch, shuffledIndex(seed, epoch, samples, inEpoch), row, tensors);
  }
}

void BatchBuffer::fillHeldOut(const Dataset &data, int64_t first) {
  for (int64_t row = 0; row < rows; ++row)
    data.read(Split::HeldOut, 0, first + row, row, tensors);
}

} // namespace raf::trainer
