// Multi-layer perceptron classifier: ReLU layers fc0, fc1, ... and the head "out".
#include "compiler/import/zoo/Options.h"

#include <fmt/format.h>

#include <cmath>

namespace raf::zoo {

using namespace build;

namespace {

void build(Graph &g, const Options &o) {
  int64_t batch = o.size("batch");
  double p = o.probability("dropout");
  Tensor x = g.input("x", {batch, o.size("input")});
  Tensor labels = g.input("labels", {batch}, DType::I64);
  // He et al. 2015: ReLU layers keep their variance with std sqrt(2 / in).
  auto he = [](Tensor t) { return fmt::format("normal(0,{})", std::sqrt(2.0 / t.dim(-1))); };
  for (int64_t i = 0; i < o.size("layers"); ++i)
    x = dropout(relu(linear(g, fmt::format("fc{}", i), x, o.size("width"), {.init = he(x)})), p);
  Tensor logits = linear(g, "out", x, o.size("classes"));
  g.output("loss", crossEntropy(logits, labels));
  g.output("logits", logits);
}

} // namespace

Model mlp() {
  return {"mlp",
          "multi-layer perceptron classifier",
          {{"layers", "2"},
           {"width", "512"},
           {"input", "784"},
           {"classes", "10"},
           {"batch", "64"},
           {"dropout", "0"}},
          build};
}

} // namespace raf::zoo
