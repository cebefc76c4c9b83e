#include "compiler/lower/to_loops/Codegen.h"

#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/Backend.h"
#include "compiler/lower/to_loops/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;

namespace raf::gen {

namespace {

constexpr llvm::StringLiteral kCodeVersion = "1"; // changes with the code of equal structures
constexpr int kAnyLanes = 8;                      // where only legality is asked for

InputStrides contiguousInputs(const GroupOps &group) {
  InputStrides strides;
  for (Value input : group.inputs)
    strides.push_back(contiguousStrides(shapeOf(input)));
  return strides;
}

FailureOr<KernelPlan> planOf(KernelOp kernel, const InputStrides &strides, const Target &target) {
  std::string why;
  std::optional<KernelPlan> plan =
      planKernel(groupOf(kernel), strides, target.vectorBytes / 4, &why);
  if (!plan)
    return kernel.emitOpError("(C3) the group has no loop nest: ") << why;
  return std::move(*plan);
}

std::string keyOf(llvm::StringRef structure, const Target &target) {
  llvm::SHA1 hash;
  const std::string width = std::to_string(target.vectorBytes);
  for (llvm::StringRef part :
       {llvm::StringRef(kCodeVersion), llvm::StringRef(target.cpu),
        llvm::StringRef(target.features), llvm::StringRef(width), structure}) {
    hash.update(part);
    hash.update("\n");
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

} // namespace

bool checkGroup(llvm::ArrayRef<Operation *> ops, llvm::ArrayRef<Value> outputs, std::string *why) {
  GroupOps group = groupOf(ops, outputs);
  return planKernel(group, contiguousInputs(group), kAnyLanes, why).has_value();
}

FailureOr<KernelCode> describeKernel(KernelOp kernel, const InputStrides &strides,
                                     const Target &target) {
  FailureOr<KernelPlan> plan = planOf(kernel, strides, target);
  if (failed(plan))
    return failure();
  KernelCode code;
  code.key = keyOf(plan->structure, target);
  code.params.assign(plan->params.begin(), plan->params.end());
  code.work = plan->work;
  code.grain = plan->grain;
  code.scratchBytes = plan->scratchBytes;
  return code;
}

std::unique_ptr<llvm::Module> buildModule(llvm::LLVMContext &context, KernelOp kernel,
                                          const InputStrides &strides, const Target &target) {
  FailureOr<KernelPlan> plan = planOf(kernel, strides, target);
  if (failed(plan))
    return nullptr;
  auto module = std::make_unique<llvm::Module>("kernel", context);
  KernelFunction function(*module, target, kernel->getNumOperands() + kernel->getNumResults(),
                          plan->params.size());
  plan->emit(function);
  return module;
}

FailureOr<MachineCode> compileKernel(KernelOp kernel, const InputStrides &strides,
                                     const Target &target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = buildModule(context, kernel, strides, target);
  if (!module)
    return failure();
  std::string why;
  std::optional<MachineCode> code = compileModule(*module, target, &why);
  if (!code)
    return kernel.emitOpError("machine code could not be made: ") << why;
  return std::move(*code);
}

bool KernelOp::acceptsStrides(unsigned operand, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> strides) {
  GroupOps group = groupOf(*this);
  if (llvm::none_of(group.ops, anchorOf))
    return true;
  InputStrides all = contiguousInputs(group);
  all[operand].assign(strides.begin(), strides.end());
  return planKernel(group, all, kAnyLanes, nullptr).has_value();
}

bool KernelOp::mayOverwrite(unsigned operand, unsigned result) {
  GroupOps group = groupOf(*this);
  auto x = tensorType(group.inputs[operand]), y = tensorType(group.outputs[result]);
  if (elementBytes(x.getElementType()) != elementBytes(y.getElementType()) ||
      x.getNumElements() != y.getNumElements())
    return false;
  std::optional<KernelPlan> plan = planKernel(group, contiguousInputs(group), kAnyLanes, nullptr);
  return plan && plan->nest && mayStoreOver(*plan->nest, result, operand);
}

} // namespace raf::gen
