// Attention and its gradients as loop nests that never store the score matrix (Dao et al.,
// "FlashAttention", 2022), laid out for vectors: scores are kept transposed, keys by queries, so
// that a vector holds one key's scores of neighbouring queries. Maxima and sums over keys are then
// vector operations without shuffles, and all five matrix products take one operand as broadcast
// scalars and the other as rows: only queries (and output gradients) are transposed, once per
// block.
#pragma once

#include "compiler/lower/to_loops/KernelFunction.h"

#include <array>
#include <cstdint>

namespace raf::gen {

/// What the machine code depends on.
struct AttentionForm {
  bool gradient = false;
  unsigned lanes = 8;                   // float32 elements of a vector: 8 or 16
  unsigned headSize = 0, valueSize = 0; // D of q and k, D of v
  bool causal = false;
  bool dropout = false;
  bool alignedKeys =
      false; // number of keys is a multiple of 4: four neighbours share a random block
  enum class Mask { None, Bool, Float } mask = Mask::None;
  bool maskPerQuery = false; // the mask varies over queries
  // Which operand of the kernel each tensor is; -1: absent.
  enum Tensor { Q, K, V, Out, Lse, Grad, MaskTensor, Key, DQ, DK, DV, NumTensors };
  std::array<int, NumTensors> operand;
};

/// Order of the 64-bit parameters. Strides are in elements: of batch, head and position for each
/// tensor of `AttentionForm` up to DV (`stride(t, 0..2)`; head elements lie one after the other),
/// of batch, head, query and key for the mask.
namespace attention_params {
enum : int {
  Heads,
  Group,
  Queries,
  Keys,
  Blocks,
  Scale,
  KeepScale,
  Threshold,
  RandomId,
  MaskStrides,
  Strides = MaskStrides + 4,
  Count = Strides + 3 * AttentionForm::NumTensors
};
constexpr int stride(int tensor, int dim) { return Strides + 3 * tensor + dim; }
} // namespace attention_params

/// Queries and keys of a block.
constexpr int64_t kAttentionBlock = 64;

/// Bytes of scratch per thread.
uint64_t attentionScratchBytes(const AttentionForm &form);

/// Emits the body of a kernel function. Work items: (batch, head, block of queries) of the forward,
/// (batch, key head) of the gradient, row-major.
void emitAttention(KernelFunction &kernel, const AttentionForm &form);

} // namespace raf::gen
