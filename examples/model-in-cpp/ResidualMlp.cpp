// A model of one's own in C++: prints it as text that `raf train residual-mlp.mlir` takes.
// docs/guides/write-a-model.md explains it line by line.
#include "compiler/import/builder/Builder.h"

#include "common/Error.h"

#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>

#include <cstdio>

using namespace raf;
using namespace raf::build;

namespace {

// x (B, W) -> (B, W): x + W2 gelu(W1 norm(x))
Tensor block(Graph &g, Tensor x, int64_t hidden) {
  Tensor h = gelu(linear(g, "up", layerNorm(g, "norm", x), hidden));
  return x + dropout(linear(g, "down", h, x.dim(-1)), 0.1);
}

} // namespace

int main() {
  try {
    mlir::MLIRContext context;
    Graph g(context);
    Tensor pixels = g.input("x", {64, 784});
    Tensor labels = g.input("labels", {64}, DType::I64);
    Tensor x = linear(g, "stem", pixels, 128);
    for (int i = 0; i < 2; ++i) {
      Graph::Scope scope(g, fmt::format("blocks.{}", i));
      x = block(g, x, 256);
    }
    Tensor logits = linear(g, "head", x, 10);
    g.output("loss", crossEntropy(logits, labels));
    g.output("logits", logits);
    llvm::outs() << *g.finish();
  } catch (const Error &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
