#include "compiler/schedule/Storage.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace raf::schedule {
uint64_t bytesOf(Value value) {
  return static_cast<uint64_t>(tensorType(value).getNumElements()) *
         static_cast<uint64_t>(elementBytes(elementType(value)));
}

llvm::StringRef stateName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {};
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kKind);
  if (!kind || (kind != "param" && kind != "buffer" && kind != "opt"))
    return {};
  auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName);
  return name ? name.getValue() : llvm::StringRef();
}

llvm::SmallVector<BlockArgument> updatedArguments(func::FuncOp func) {
  llvm::DenseMap<StringAttr, BlockArgument> byName;
  for (BlockArgument argument : func.getArguments())
    if (!stateName(argument).empty())
      byName[func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName)] = argument;
  llvm::SmallVector<BlockArgument> updated;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto name = func.getResultAttrOfType<StringAttr>(i, names::kUpdates);
    updated.push_back(name ? byName.lookup(name) : BlockArgument());
  }
  return updated;
}

Operation *returnOf(func::FuncOp func) { return func.front().getTerminator(); }

LogicalResult checkCovered(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected one block, but got ") << func.getBody().getBlocks().size();
  llvm::StringSet<> names;
  for (BlockArgument argument : func.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      return func.emitOpError("argument ")
             << argument.getArgNumber() << ": expected a tensor, but got " << argument.getType();
    if (llvm::StringRef name = stateName(argument); !name.empty() && !names.insert(name).second)
      return func.emitOpError("state \"") << name << "\" is declared twice";
  }
  for (Operation &op : func.front().without_terminator())
    if (!isKernel(&op) && !isViewKind(&op) && !isa<ConstantOp>(op))
      return op.emitOpError("expected kernels, views and constants after the cover")
                 .attachNote(func.getLoc())
             << "raf-cover gives every op a kernel";
  llvm::StringSet<> updates;
  for (auto [i, argument] : llvm::enumerate(updatedArguments(func))) {
    auto name = func.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), names::kUpdates);
    if (!name)
      continue;
    if (!argument)
      return func.emitOpError("result ")
             << i << " updates \"" << name.getValue() << "\", which is no state of the function";
    if (argument.getType() != func.getResultTypes()[i])
      return func.emitOpError("result ")
             << i << " updates \"" << name.getValue() << "\": expected " << argument.getType()
             << ", but got " << func.getResultTypes()[i];
    if (!updates.insert(name.getValue()).second)
      return func.emitOpError("state \"") << name.getValue() << "\" is updated twice";
  }
  return success();
}

} // namespace raf::schedule
