// --raf-emit-llvm: prints the LLVM IR of each gen.kernel, as written and before LLVM's passes, to
// standard error.
#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/Backend.h"
#include "compiler/lower/to_loops/Passes.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace raf::gen {

namespace {

struct EmitLlvmPass : PassWrapper<EmitLlvmPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitLlvmPass)
  EmitLlvmPass() = default;
  EmitLlvmPass(const EmitLlvmPass &) {}
  llvm::StringRef getArgument() const final { return "raf-emit-llvm"; }
  llvm::StringRef getDescription() const final { return "print the LLVM IR of each gen.kernel"; }
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("native, avx2, avx512 or amx"),
                          llvm::cl::init("avx2")};
  void runOnOperation() override {
    const Target target = parseTarget(cpu);
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      InputStrides strides;
      for (Value input : kernel.getInputs()) {
        ViewLayout layout = viewLayout(input);
        strides.push_back(layout.strides);
      }
      llvm::LLVMContext context;
      std::unique_ptr<llvm::Module> module = buildModule(context, kernel, strides, target);
      if (!module)
        return WalkResult::interrupt();
      module->print(llvm::errs(), nullptr);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

void registerEmitLlvmPass() { PassRegistration<EmitLlvmPass>(); }

} // namespace raf::gen
