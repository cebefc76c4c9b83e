// GPT-2: pre-norm decoder with learned positions, tanh GELU and a head tied to the token embedding.
// Weights are (out, in).
#include "compiler/import/zoo/Options.h"

#include <fmt/format.h>

#include <cmath>

namespace raf::zoo {

using namespace build;

namespace {

struct Config {
  int64_t heads;
  double dropout;
  bool tanhGelu;
  std::string residualInit; // projections onto the residual stream: 0.02 / sqrt(2 layers)
};

// (B, T, W) -> (B, T, W)
Tensor selfAttention(Graph &g, Tensor x, const Config &c) {
  Graph::Scope scope(g, "attn");
  int64_t batch = x.dim(0), time = x.dim(1), width = x.dim(2);
  Tensor qkv = linear(g, "c_attn", x, 3 * width);
  auto head = [&](int64_t part) { // (B, H, T, D)
    return transpose(reshape(slice(qkv, 2, part * width, (part + 1) * width),
                             {batch, time, c.heads, width / c.heads}),
                     {0, 2, 1, 3});
  };
  Tensor y = attention(head(0), head(1), head(2), {.causal = true, .dropout = c.dropout});
  y = reshape(transpose(y, {0, 2, 1, 3}), {batch, time, width});
  return dropout(linear(g, "c_proj", y, width, {.init = c.residualInit}), c.dropout);
}

Tensor feedForward(Graph &g, Tensor x, const Config &c) {
  Graph::Scope scope(g, "mlp");
  Tensor h = gelu(linear(g, "c_fc", x, 4 * x.dim(-1)), c.tanhGelu);
  return dropout(linear(g, "c_proj", h, x.dim(-1), {.init = c.residualInit}), c.dropout);
}

void build(Graph &g, const Options &o) {
  o.requireMultiple("width", "heads");
  int64_t batch = o.size("batch"), time = o.size("context"), width = o.size("width"),
          vocab = o.size("vocab"), layers = o.size("layers");
  Config c{.heads = o.size("heads"),
           .dropout = o.probability("dropout"),
           .tanhGelu = o.choice("gelu", {"tanh", "erf"}) == "tanh",
           .residualInit =
               fmt::format("normal(0,{})", 0.02 / std::sqrt(2 * static_cast<double>(layers)))};
  Tensor tokens = g.input("tokens", {batch, time}, DType::I64);
  Tensor labels = g.input("labels", {batch, time}, DType::I64);
  Tensor wte = embeddingTable(g, "wte", vocab, width);
  Tensor wpe = embeddingTable(g, "wpe", time, width);
  Tensor x = dropout(embedding(wte, tokens) + wpe, c.dropout);
  for (int64_t i = 0; i < layers; ++i) {
    Graph::Scope layer(g, fmt::format("h.{}", i));
    x = x + selfAttention(g, layerNorm(g, "ln_1", x), c);
    x = x + feedForward(g, layerNorm(g, "ln_2", x), c);
  }
  Tensor logits = linearWith(layerNorm(g, "ln_f", x), wte);
  g.output("loss", crossEntropy(logits, labels));
  g.output("logits", logits);
}

} // namespace

Model gpt2() {
  return {"gpt2",
          "GPT-2 language model",
          {{"layers", "12"},
           {"width", "768"},
           {"heads", "12"},
           {"context", "1024"},
           {"vocab", "50257"},
           {"batch", "4"},
           {"dropout", "0.1"},
           {"gelu", "tanh"}},
          build};
}

} // namespace raf::zoo
