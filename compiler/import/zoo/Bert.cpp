// BERT with its masked-language-model head: post-norm encoder, exact GELU. Names are those of the
// usual checkpoints.
#include "compiler/import/zoo/Options.h"

#include <fmt/format.h>

namespace raf::zoo {

using namespace build;

namespace {

constexpr double kEps = 1e-12;

Tensor layer(Graph &g, Tensor x, int64_t heads, int64_t hidden, double p) {
  int64_t batch = x.dim(0), time = x.dim(1), width = x.dim(2);
  Tensor y;
  {
    Graph::Scope scope(g, "attention");
    {
      Graph::Scope self(g, "self");
      auto head = [&](llvm::StringRef name) { // (B, H, T, D)
        return transpose(reshape(linear(g, name, x, width), {batch, time, heads, width / heads}),
                         {0, 2, 1, 3});
      };
      Tensor q = head("query"), k = head("key"), v = head("value");
      y = reshape(transpose(attention(q, k, v, {.dropout = p}), {0, 2, 1, 3}),
                  {batch, time, width});
    }
    Graph::Scope output(g, "output");
    x = layerNorm(g, "LayerNorm", dropout(linear(g, "dense", y, width), p) + x, kEps);
  }
  {
    Graph::Scope scope(g, "intermediate");
    y = gelu(linear(g, "dense", x, hidden));
  }
  Graph::Scope scope(g, "output");
  return layerNorm(g, "LayerNorm", dropout(linear(g, "dense", y, width), p) + x, kEps);
}

void build(Graph &g, const Options &o) {
  o.requireMultiple("width", "heads");
  int64_t batch = o.size("batch"), time = o.size("context"), width = o.size("width"),
          vocab = o.size("vocab");
  double p = o.probability("dropout");
  Tensor tokens = g.input("tokens", {batch, time}, DType::I64);
  Tensor labels = g.input("labels", {batch, time}, DType::I64); // -100: not predicted
  Tensor words, x;
  {
    Graph::Scope scope(g, "bert.embeddings");
    words = embeddingTable(g, "word_embeddings", vocab, width);
    Tensor positions = embeddingTable(g, "position_embeddings", time, width);
    // One segment: every token is of type 0.
    Tensor types = embeddingTable(g, "token_type_embeddings", 2, width);
    x = embedding(words, tokens) + slice(types, 0, 0, 1) + positions;
    x = dropout(layerNorm(g, "LayerNorm", x, kEps), p);
  }
  for (int64_t i = 0; i < o.size("layers"); ++i) {
    Graph::Scope scope(g, fmt::format("bert.encoder.layer.{}", i));
    x = layer(g, x, o.size("heads"), o.size("hidden"), p);
  }
  Graph::Scope scope(g, "cls.predictions");
  {
    Graph::Scope transform(g, "transform");
    x = layerNorm(g, "LayerNorm", gelu(linear(g, "dense", x, width)), kEps);
  }
  Tensor logits = linearWith(x, words) + g.parameter("bias", {vocab}, "zeros", {.decay = false});
  g.output("loss", crossEntropy(logits, labels));
  g.output("logits", logits);
}

} // namespace

Model bert() {
  return {"bert-base",
          "BERT masked language model",
          {{"layers", "12"},
           {"width", "768"},
           {"heads", "12"},
           {"hidden", "3072"},
           {"context", "128"},
           {"vocab", "30522"},
           {"batch", "8"},
           {"dropout", "0.1"}},
          build};
}

} // namespace raf::zoo
