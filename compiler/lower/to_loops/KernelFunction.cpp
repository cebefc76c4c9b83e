#include "compiler/lower/to_loops/KernelFunction.h"

#include "llvm/IR/Constants.h"

namespace raf::gen {

using llvm::Value;

KernelFunction::KernelFunction(llvm::Module &module, const Target &target, unsigned numOperands,
                               unsigned numParams)
    : ir(module.getContext()), b(ir) {
  llvm::Type *pointer = ir.getPtrTy(), *i64 = ir.getInt64Ty();
  auto *type =
      llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, i64, i64, pointer}, false);
  function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel", module);
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("target-features", target.features);
  const std::string width = std::to_string(target.vectorBytes * 8);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  function->setDoesNotThrow();
  for (unsigned i : {0u, 1u}) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
    function->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  function->addParamAttr(4, llvm::Attribute::NoAlias);
  begin = function->getArg(2);
  end = function->getArg(3);
  scratch = function->getArg(4);

  llvm::LLVMContext &context = module.getContext();
  auto *entry = llvm::BasicBlock::Create(context, "entry", function);
  auto *setup = llvm::BasicBlock::Create(context, "setup", function);
  exit = llvm::BasicBlock::Create(context, "exit", function);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
  // Extents may be 0 when there is no work: nothing divides by them then.
  ir.SetInsertPoint(entry);
  ir.CreateCondBr(ir.CreateICmpSLT(begin, end), setup, exit);
  ir.SetInsertPoint(setup);
  for (unsigned i = 0; i < numOperands; ++i)
    operands.push_back(
        ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(0), i)));
  for (unsigned i = 0; i < numParams; ++i)
    params.push_back(ir.CreateLoad(i64, ir.CreateConstGEP1_64(i64, function->getArg(1), i)));
}

void KernelFunction::finish() { ir.CreateBr(exit); }

KernelFunction::Values
KernelFunction::loop(Value *low, Value *high, Value *step, llvm::ArrayRef<Value *> carried,
                     llvm::function_ref<Values(Value *, llvm::ArrayRef<Value *>)> body) {
  // Tested at the bottom, so that what does not change is computed before.
  llvm::LLVMContext &context = ir.getContext();
  auto *from = ir.GetInsertBlock();
  auto *block = llvm::BasicBlock::Create(context, "loop", function);
  auto *after = llvm::BasicBlock::Create(context, "after", function);
  auto *ahead = llvm::BasicBlock::Create(context, "ahead", function);
  ir.CreateCondBr(ir.CreateICmpSLT(low, high), ahead, after);
  ir.SetInsertPoint(ahead);
  ir.CreateBr(block);
  ir.SetInsertPoint(block);
  llvm::PHINode *iv = ir.CreatePHI(low->getType(), 2);
  iv->addIncoming(low, ahead);
  llvm::SmallVector<llvm::PHINode *> phis;
  Values now;
  for (Value *v : carried) {
    phis.push_back(ir.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, ahead);
    now.push_back(phis.back());
  }
  Values next = body(iv, now);
  Value *following = ir.CreateNSWAdd(iv, step);
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  ir.CreateCondBr(ir.CreateICmpSLT(following, high), block, after);
  iv->addIncoming(following, latch);
  for (auto [phi, v] : llvm::zip_equal(phis, next))
    phi->addIncoming(v, latch);
  ir.SetInsertPoint(after);
  Values results;
  for (auto [before, v] : llvm::zip_equal(carried, next)) {
    llvm::PHINode *phi = ir.CreatePHI(v->getType(), 2);
    phi->addIncoming(before, from);
    phi->addIncoming(v, latch);
    results.push_back(phi);
  }
  return results;
}

void KernelFunction::loop(Value *low, Value *high, Value *step,
                          llvm::function_ref<void(Value *)> body) {
  loop(low, high, step, {}, [&](Value *i, llvm::ArrayRef<Value *>) {
    body(i);
    return Values{};
  });
}

void KernelFunction::when(Value *condition, llvm::function_ref<void()> body) {
  auto *block = llvm::BasicBlock::Create(ir.getContext(), "when", function);
  auto *after = llvm::BasicBlock::Create(ir.getContext(), "after", function);
  ir.CreateCondBr(condition, block, after);
  ir.SetInsertPoint(block);
  body();
  ir.CreateBr(after);
  ir.SetInsertPoint(after);
}

Value *KernelFunction::loadVector(llvm::Type *scalar, Value *address, unsigned lanes, Value *mask) {
  auto *type = llvm::FixedVectorType::get(scalar, lanes);
  const llvm::Align align(scalar->getScalarSizeInBits() / 8);
  if (!mask)
    return ir.CreateAlignedLoad(type, address, align);
  return ir.CreateMaskedLoad(type, address, align, mask, llvm::Constant::getNullValue(type));
}

void KernelFunction::storeVector(Value *value, Value *address, Value *mask) {
  const llvm::Align align(value->getType()->getScalarSizeInBits() / 8);
  if (mask)
    ir.CreateMaskedStore(value, address, align, mask);
  else
    ir.CreateAlignedStore(value, address, align);
}

} // namespace raf::gen
