// Llama: RMS norm, rotary positions, grouped key/value heads, SwiGLU. Names are those of the usual
// checkpoints.
#include "compiler/import/zoo/Options.h"

#include "common/Error.h"

#include <fmt/format.h>

#include <cmath>

namespace raf::zoo {

using namespace build;

namespace {

constexpr double kEps = 1e-5, kTheta = 10000;

/// cos and sin (T, D) of position t times theta^(-2 (i mod D/2) / D).
struct Rotary {
  Tensor cos, sin;

  Rotary(Graph &g, int64_t time, int64_t head) {
    Tensor frequency = exp(iota(g, {head / 2}, 0, DType::F32) * (-2 * std::log(kTheta) / head));
    Tensor position = iota(g, {time, 1}, 0, DType::F32);
    Tensor angle = position * frequency; // (T, D/2)
    Tensor both = concat({angle, angle}, 1);
    cos = build::cos(both);
    sin = build::sin(both);
  }

  // x (B, H, T, D): x cos + (-second half, first half) sin
  Tensor operator()(Tensor x) const {
    int64_t half = x.dim(-1) / 2;
    Tensor turned = concat({-slice(x, 3, half, 2 * half), slice(x, 3, 0, half)}, 3);
    return x * cos + turned * sin;
  }
};

Tensor selfAttention(Graph &g, Tensor x, int64_t heads, int64_t kvHeads, const Rotary &rotary) {
  Graph::Scope scope(g, "self_attn");
  int64_t batch = x.dim(0), time = x.dim(1), width = x.dim(2), size = width / heads;
  auto project = [&](llvm::StringRef name, int64_t count) { // (B, count, T, D)
    return transpose(
        reshape(linear(g, name, x, count * size, {.bias = false}), {batch, time, count, size}),
        {0, 2, 1, 3});
  };
  Tensor q = rotary(project("q_proj", heads)), k = rotary(project("k_proj", kvHeads));
  Tensor y = attention(q, k, project("v_proj", kvHeads), {.causal = true});
  return linear(g, "o_proj", reshape(transpose(y, {0, 2, 1, 3}), {batch, time, width}), width,
                {.bias = false});
}

Tensor feedForward(Graph &g, Tensor x, int64_t hidden) {
  Graph::Scope scope(g, "mlp");
  Tensor gate = silu(linear(g, "gate_proj", x, hidden, {.bias = false}));
  Tensor up = linear(g, "up_proj", x, hidden, {.bias = false});
  return linear(g, "down_proj", gate * up, x.dim(-1), {.bias = false});
}

void build(Graph &g, const Options &o) {
  o.requireMultiple("width", "heads");
  o.requireMultiple("heads", "kv_heads");
  int64_t batch = o.size("batch"), time = o.size("context"), width = o.size("width"),
          vocab = o.size("vocab"), heads = o.size("heads");
  if (width / heads % 2 != 0)
    throw UsageError(
        fmt::format("llama: expected width / heads to be even for rotary positions, but got {}",
                    width / heads));
  Tensor tokens = g.input("tokens", {batch, time}, DType::I64);
  Tensor labels = g.input("labels", {batch, time}, DType::I64);
  Rotary rotary(g, time, width / heads);
  Tensor x;
  {
    Graph::Scope scope(g, "model");
    x = embedding(embeddingTable(g, "embed_tokens", vocab, width), tokens);
    for (int64_t i = 0; i < o.size("layers"); ++i) {
      Graph::Scope layer(g, fmt::format("layers.{}", i));
      x = x + selfAttention(g, rmsNorm(g, "input_layernorm", x, kEps), heads, o.size("kv_heads"),
                            rotary);
      x = x + feedForward(g, rmsNorm(g, "post_attention_layernorm", x, kEps), o.size("hidden"));
    }
    x = rmsNorm(g, "norm", x, kEps);
  }
  Tensor logits = linear(g, "lm_head", x, vocab, {.bias = false});
  g.output("loss", crossEntropy(logits, labels));
  g.output("logits", logits);
}

} // namespace

Model llama() {
  return {"llama",
          "Llama language model",
          {{"layers", "12"},
           {"width", "768"},
           {"heads", "12"},
           {"kv_heads", "4"},
           {"hidden", "2048"},
           {"context", "512"},
           {"vocab", "32000"},
           {"batch", "4"}},
          build};
}

} // namespace raf::zoo
