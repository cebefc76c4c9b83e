#include "tools/raf/SyntheticBatch.h"

#include "common/Philox.h"
#include "trainer/data/Shuffle.h"
#include "trainer/loop/InitializeState.h"

namespace raf::tool {

SyntheticBatch::SyntheticBatch(std::span<const runtime::NamedTensor> inputs, int64_t limit,
                               uint64_t seed) {
  for (size_t n = 0; n < inputs.size(); ++n) {
    runtime::TensorView view = inputs[n].view;
    view.strides.clear();
    storage.emplace_back(view.bytes());
    view.data = storage.back().data();
    const int64_t most = view.dtype == DType::I1 ? 2 : limit;
    trainer::fillTensor(view, [&](int64_t i) -> double {
      if (isFloat(view.dtype))
        return philox::normal({seed, 0, static_cast<uint32_t>(n)}, static_cast<uint64_t>(i));
      const uint64_t bits = trainer::mixBits(seed, n, static_cast<uint64_t>(i));
      return most > 0 ? static_cast<double>(bits % static_cast<uint64_t>(most)) : 0;
    });
    tensors.push_back(std::move(view));
  }
}

} // namespace raf::tool
