// Vision transformer. Patches do not overlap, so their projection is a matrix product. Names are
// torchvision's.
#include "compiler/import/zoo/Options.h"

#include "common/Error.h"

#include <fmt/format.h>

namespace raf::zoo {

using namespace build;

namespace {

// (B, C, S, S) -> (B, patches, W); weight (W, C, P, P)
Tensor patchEmbedding(Graph &g, Tensor x, int64_t patch, int64_t width) {
  Graph::Scope scope(g, "conv_proj");
  int64_t batch = x.dim(0), channels = x.dim(1), side = x.dim(2) / patch;
  Tensor weight = g.parameter("weight", {width, channels, patch, patch}, "normal(0,0.02)");
  Tensor bias = g.parameter("bias", {width}, "zeros", {.decay = false});
  Tensor patches = transpose(reshape(x, {batch, channels, side, patch, side, patch}),
                             {0, 2, 4, 1, 3, 5}); // (B, side, side, C, P, P)
  patches = reshape(patches, {batch, side * side, channels * patch * patch});
  return linearWith(patches, reshape(weight, {width, channels * patch * patch})) + bias;
}

Tensor selfAttention(Graph &g, Tensor x, int64_t heads, double p) {
  Graph::Scope scope(g, "self_attention");
  int64_t batch = x.dim(0), time = x.dim(1), width = x.dim(2);
  Tensor weight = g.parameter("in_proj_weight", {3 * width, width}, "normal(0,0.02)");
  Tensor bias = g.parameter("in_proj_bias", {3 * width}, "zeros", {.decay = false});
  Tensor qkv = linearWith(x, weight) + bias;
  auto head = [&](int64_t part) { // (B, H, T, D)
    return transpose(reshape(slice(qkv, 2, part * width, (part + 1) * width),
                             {batch, time, heads, width / heads}),
                     {0, 2, 1, 3});
  };
  Tensor y = attention(head(0), head(1), head(2), {.dropout = p});
  return linear(g, "out_proj", reshape(transpose(y, {0, 2, 1, 3}), {batch, time, width}), width);
}

// Tokens (B, T, W) -> (B, T, W)
Tensor encode(Graph &g, Tensor x, const Options &o) {
  Graph::Scope encoder(g, "encoder");
  const int64_t width = x.dim(2);
  const double p = o.probability("dropout");
  x = dropout(x + g.parameter("pos_embedding", {1, x.dim(1), width}, "normal(0,0.02)"), p);
  for (int64_t i = 0; i < o.size("layers"); ++i) {
    Graph::Scope scope(g, fmt::format("layers.encoder_layer_{}", i));
    x = x + dropout(selfAttention(g, layerNorm(g, "ln_1", x, 1e-6), o.size("heads"), p), p);
    Tensor h = layerNorm(g, "ln_2", x, 1e-6);
    Graph::Scope mlp(g, "mlp");
    h = dropout(gelu(linear(g, "0", h, o.size("hidden"))), p);
    x = x + dropout(linear(g, "3", h, width), p);
  }
  return layerNorm(g, "ln", x, 1e-6);
}

void build(Graph &g, const Options &o) {
  o.requireMultiple("width", "heads");
  o.requireMultiple("image", "patch");
  int64_t batch = o.size("batch"), image = o.size("image"), width = o.size("width");
  Tensor pixels = g.input("x", {batch, o.size("channels"), image, image});
  Tensor labels = g.input("labels", {batch}, DType::I64);
  Tensor x = patchEmbedding(g, pixels, o.size("patch"), width);
  Tensor cls = g.parameter("class_token", {1, 1, width}, "zeros", {.decay = false});
  x = concat({broadcastTo(cls, {batch, 1, width}), x}, 1);
  x = reshape(slice(encode(g, x, o), 1, 0, 1), {batch, width});
  Graph::Scope head(g, "heads");
  Tensor logits = linear(g, "head", x, o.size("classes"));
  g.output("loss", crossEntropy(logits, labels));
  g.output("logits", logits);
}

} // namespace

Model vit() {
  return {"vit-b-16",
          "vision transformer with a classification head",
          {{"layers", "12"},
           {"width", "768"},
           {"heads", "12"},
           {"hidden", "3072"},
           {"image", "224"},
           {"patch", "16"},
           {"channels", "3"},
           {"classes", "1000"},
           {"batch", "8"},
           {"dropout", "0"}},
          build};
}

} // namespace raf::zoo
