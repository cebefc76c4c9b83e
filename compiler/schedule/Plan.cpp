#include "compiler/schedule/Plan.h"

#include "compiler/schedule/Graph.h"
#include "compiler/schedule/Packing.h"
#include "compiler/schedule/Place.h"

#include <map>

using namespace mlir;

namespace raf::schedule {
namespace {

/// Bytes of a constant in memory. i1 takes one byte each.
std::string storedBytes(ConstantOp constant) {
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  std::string element;
  if (dense.getElementType().isInteger(1)) {
    for (bool bit : dense.getValues<bool>())
      element.push_back(bit ? '\1' : '\0');
    return element;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  element.assign(raw.begin(), raw.end());
  if (!dense.isSplat())
    return element;
  std::string bytes;
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    bytes += element;
  return bytes;
}

/// One piece of arena, for the values that follow each other in it.
struct Buffer {
  Interval interval;
  bool output = false;
};

class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp func, const llvm::StringMap<uint64_t> &stateOffsets,
                  const llvm::DenseMap<Value, uint64_t> &constantOffsets)
      : func(func), stateOffsets(stateOffsets), constantOffsets(constantOffsets) {}

  void run() {
    findLiveRanges();
    placeArguments();
    assignBuffers();
    std::vector<Interval> intervals;
    for (const Buffer &buffer : buffers)
      intervals.push_back(buffer.interval);
    packing = pack(intervals);
    writeAttributes();
  }

private:
  /// Command of each kernel, and for each root the last command that reads it.
  void findLiveRanges() {
    for (Operation &op : func.front()) {
      if (isKernel(&op))
        command[&op] = commands++;
      for (Value operand : op.getOperands())
        if (isKernel(&op))
          lastRead[rootOf(operand)] = command[&op];
    }
    // Outputs live to the end: their "reader" comes after every command.
    for (Value v : returnOf(func)->getOperands())
      lastRead[rootOf(v)] = commands;
  }

  void placeArguments() {
    uint32_t inputs = 0;
    for (BlockArgument argument : func.getArguments()) {
      Place place{Space::Input, 0, 0, contiguousStrides(shapeOf(argument))};
      if (llvm::StringRef name = stateName(argument); !name.empty()) {
        place.space = Space::State;
        place.offset = stateOffsets.lookup(name);
      } else {
        place.index = inputs++;
      }
      rootPlaces[argument] = place;
    }
    for (const Donation &donation : donationsOf(func))
      // A copy first: inserting may move what the map holds.
      rootPlaces[donation.update] = Place(rootPlaces[donation.state]);
  }

  void assignBuffers() {
    for (Operation &op : func.front())
      if (isKernel(&op)) {
        llvm::SmallVector<int> taken;
        for (OpResult result : op.getResults())
          if (!rootPlaces.contains(result))
            bufferOf[result] = bufferFor(result, taken);
      }
  }

  /// The buffer of an operand that dies here and may be overwritten, else a new one.
  int bufferFor(OpResult result, llvm::SmallVector<int> &taken) {
    Operation *kernel = result.getOwner();
    const int now = command.lookup(kernel);
    const int end = std::max(now, lastRead.lookup(result));
    for (Value operand : kernel->getOperands()) {
      Value root = rootOf(operand);
      auto found = bufferOf.find(root);
      if (found == bufferOf.end() || lastRead.lookup(root) != now ||
          llvm::is_contained(taken, found->second) ||
          !canOverwrite(kernel, result.getResultNumber(), root))
        continue;
      taken.push_back(found->second);
      buffers[found->second].interval.last = end;
      return found->second;
    }
    buffers.push_back({{bytesOf(result), now, end}});
    return static_cast<int>(buffers.size()) - 1;
  }

  Place placeOf(Value value) {
    ViewLayout view = viewLayout(value);
    Place place;
    if (auto found = rootPlaces.find(view.base); found != rootPlaces.end())
      place = found->second;
    else if (auto buffer = bufferOf.find(view.base); buffer != bufferOf.end())
      place.offset = packing.offsets[buffer->second];
    else {
      place.space = Space::Constant;
      place.offset = constantOffsets.lookup(view.base);
    }
    place.offset += static_cast<uint64_t>(view.offset * elementBytes(elementType(value)));
    place.strides = std::move(view.strides);
    return place;
  }

  void writeAttributes() {
    OpBuilder b(func.getContext());
    for (BlockArgument argument : func.getArguments())
      func.setArgAttr(argument.getArgNumber(), names::kPlace,
                      b.getStringAttr(placeOf(argument).text()));
    for (Operation &op : func.front().without_terminator()) {
      llvm::SmallVector<Attribute> places;
      for (Value result : op.getResults())
        places.push_back(b.getStringAttr(placeOf(result).text()));
      op.setAttr(names::kPlaces, b.getArrayAttr(places));
    }
    func->setAttr(names::kArenaBytes, b.getI64IntegerAttr(static_cast<int64_t>(packing.bytes)));
    func->setAttr(names::kArenaBound, b.getI64IntegerAttr(static_cast<int64_t>(packing.bound)));
  }

  func::FuncOp func;
  const llvm::StringMap<uint64_t> &stateOffsets;
  const llvm::DenseMap<Value, uint64_t> &constantOffsets;
  llvm::DenseMap<Operation *, int> command;
  llvm::DenseMap<Value, int> lastRead, bufferOf;
  llvm::DenseMap<Value, Place> rootPlaces;
  std::vector<Buffer> buffers;
  Packing packing;
  int commands = 0;
};

/// Every value must be representable; see insertCopies.
LogicalResult checkReady(func::FuncOp func) {
  if (failed(checkCovered(func)))
    return failure();
  for (Operation &op : func.front().without_terminator()) {
    if (isViewKind(&op) && !isView(&op))
      return op.emitOpError("expected a view that strides can express").attachNote(func.getLoc())
             << "raf-insert-copies makes its operand contiguous";
    if (auto constant = dyn_cast<ConstantOp>(op);
        constant && !isa<DenseElementsAttr>(constant.getValue()))
      return op.emitOpError("expected dense elements, but got ") << constant.getValue();
  }
  for (auto [i, argument, value] :
       llvm::enumerate(updatedArguments(func), returnOf(func)->getOperands())) {
    Operation *producer = value.getDefiningOp();
    if (argument && argument != value && (!producer || !isKernel(producer)))
      return (func.emitOpError("result ")
              << i << ": expected a new state value that a kernel makes")
                 .attachNote(func.getLoc())
             << "raf-insert-copies copies what is no kernel's result";
  }
  return success();
}

struct PlanPass : PassWrapper<PlanPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanPass)
  llvm::StringRef getArgument() const override { return "raf-plan"; }
  llvm::StringRef getDescription() const override {
    return "give every value a place in state, arena, constants or inputs";
  }
  void runOnOperation() override {
    if (failed(planModule(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult planModule(ModuleOp module) {
  FailureOr<std::vector<StateEntry>> table = stateTable(module);
  if (failed(table))
    return failure();
  llvm::StringMap<uint64_t> stateOffsets;
  for (const StateEntry &entry : *table)
    stateOffsets[entry.name] = entry.offset;

  std::map<std::string, uint64_t> offsetOfBytes;
  llvm::DenseMap<Value, uint64_t> constantOffsets;
  uint64_t constantEnd = 0;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    if (failed(checkReady(func)))
      return failure();
    for (ConstantOp constant : func.getOps<ConstantOp>()) {
      std::string bytes = storedBytes(constant);
      auto [at, inserted] = offsetOfBytes.try_emplace(bytes, constantEnd);
      if (inserted)
        constantEnd = alignUp(constantEnd + bytes.size());
      constantOffsets[constant] = at->second;
    }
  }
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    FunctionPlanner(func, stateOffsets, constantOffsets).run();

  OpBuilder b(module.getContext());
  module->setAttr(names::kStateBytes,
                  b.getI64IntegerAttr(static_cast<int64_t>(stateBytes(*table))));
  module->setAttr(names::kConstantBytes, b.getI64IntegerAttr(static_cast<int64_t>(constantEnd)));
  return success();
}

std::unique_ptr<Pass> createPlanPass() { return std::make_unique<PlanPass>(); }

std::vector<uint8_t> constantBytes(ModuleOp module) {
  std::vector<uint8_t> all;
  if (auto size = module->getAttrOfType<IntegerAttr>(names::kConstantBytes))
    all.resize(static_cast<size_t>(size.getInt()));
  module.walk([&](ConstantOp constant) {
    // Constants inside of kernels are code.
    if (!isa<func::FuncOp>(constant->getParentOp()))
      return;
    auto places = constant->getAttrOfType<ArrayAttr>(names::kPlaces);
    std::optional<Place> place = Place::parse(cast<StringAttr>(places[0]).getValue());
    std::string bytes = storedBytes(constant);
    std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<ptrdiff_t>(place->offset));
  });
  return all;
}

} // namespace raf::schedule
