#include "compiler/decompose/Decompose.h"

#include "compiler/decompose/Term.h"

#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace raf {

void registerDecompositions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RafDialect *) {
    decompose::attachElementwise(*context);
    decompose::attachReduce(*context);
    decompose::attachNormalization(*context);
    decompose::attachAttention(*context);
    decompose::attachRandom(*context);
    decompose::attachLoss(*context);
    decompose::attachOptimizer(*context);
  });
}

void decomposeAll(Operation *root, llvm::function_ref<bool(Operation *)> wanted) {
  llvm::SmallVector<Operation *> work;
  root->walk([&](DecomposableOpInterface op) { work.push_back(op); });
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!wanted(op))
      continue;
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    auto values = cast<DecomposableOpInterface>(op).decompose(builder);
    if (failed(values))
      continue;
    for (Operation *made = before ? before->getNextNode() : &op->getBlock()->front(); made != op;
         made = made->getNextNode())
      if (isa<DecomposableOpInterface>(made))
        work.push_back(made);
    op->replaceAllUsesWith(*values);
    op->erase();
  }
}

namespace {

struct DecomposePass : PassWrapper<DecomposePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DecomposePass)

  DecomposePass() = default;
  DecomposePass(const DecomposePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "raf-decompose"; }
  StringRef getDescription() const override {
    return "write composite ops (softmax, layer_norm, losses, optimizer updates, ...) with simpler "
           "ops";
  }

  void runOnOperation() override {
    llvm::StringSet<> names;
    for (const std::string &name : ops) {
      auto info = RegisteredOperationName::lookup("raf." + name, &getContext());
      if (!info || !info->hasInterface<DecomposableOpInterface>()) {
        getOperation()->emitError()
            << "raf-decompose: expected a composite op of the raf dialect in ops=, but got "
            << name;
        return signalPassFailure();
      }
      names.insert("raf." + name);
    }
    decomposeAll(getOperation(), [&](Operation *op) {
      return names.empty() || names.contains(op->getName().getStringRef());
    });
  }

  ListOption<std::string> ops{*this, "ops",
                              llvm::cl::desc("names without the dialect; all when empty")};
};

} // namespace

void registerDecomposePass() { PassRegistration<DecomposePass>(); }

} // namespace raf
