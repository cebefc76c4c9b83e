// The frame of a kernel's LLVM function (runtime/abi/KernelAbi.h) and loops in it.
#pragma once

#include "compiler/lower/to_loops/Body.h"
#include "compiler/lower/to_loops/Codegen.h"

#include "llvm/IR/Module.h"

namespace raf::gen {

class KernelFunction {
public:
  using Value = llvm::Value;
  using Values = llvm::SmallVector<Value *, 4>;

  /// Begins the function in `module`; the insertion point is where work items exist.
  KernelFunction(llvm::Module &module, const Target &target, unsigned numOperands,
                 unsigned numParams);
  void finish();

  /// for (i = low; i < high; i += step): `body` takes i and the carried values and gives their
  /// next ones; the result is what they are in the end.
  Values loop(Value *low, Value *high, Value *step, llvm::ArrayRef<Value *> carried,
              llvm::function_ref<Values(Value *, llvm::ArrayRef<Value *>)> body);
  void loop(Value *low, Value *high, Value *step, llvm::function_ref<void(Value *)> body);
  /// if (condition) body
  void when(Value *condition, llvm::function_ref<void()> body);

  Value *i64(int64_t value) { return ir.getInt64(value); }
  Value *loadVector(llvm::Type *scalar, Value *address, unsigned lanes, Value *mask);
  void storeVector(Value *value, Value *address, Value *mask);

  llvm::IRBuilder<> ir;
  BodyBuilder b;
  llvm::Function *function;
  llvm::SmallVector<Value *> operands, params;
  Value *begin, *end, *scratch;

private:
  llvm::BasicBlock *exit;
};

} // namespace raf::gen
