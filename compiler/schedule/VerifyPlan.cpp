#include "compiler/schedule/VerifyPlan.h"

#include "compiler/schedule/Place.h"
#include "compiler/schedule/Storage.h"

using namespace mlir;

namespace raf::schedule {
namespace {

using Range = std::pair<int64_t, int64_t>;

bool overlaps(Range a, Range b) { return a.first < b.second && b.first < a.second; }

class PlanVerifier {
public:
  PlanVerifier(func::FuncOp func, FunctionPlan plan, int64_t stateBytes, int64_t constantBytes)
      : func(func), plan(std::move(plan)), stateBytes(stateBytes), constantBytes(constantBytes) {}

  LogicalResult run() {
    for (BlockArgument argument : func.getArguments()) {
      if (failed(checkInside(argument, func.getLoc())))
        return failure();
      define(argument);
    }
    for (Operation &op : func.front().without_terminator())
      if (failed(checkOp(&op)))
        return failure();
    return checkReturn();
  }

private:
  Range rangeOf(Value v) { return touchedBytes(v, plan.places[v]); }

  /// The bytes of a value: where, from and to.
  struct Extent {
    schedule::Space space;
    uint32_t index;
    Range range;

    bool meets(const Extent &other) const {
      return space == other.space && index == other.index && overlaps(range, other.range);
    }
  };
  Extent extentOf(Value v) {
    const Place &place = plan.places[v];
    return {place.space, place.index, rangeOf(v)};
  }
  void define(Value root) { defined.push_back({root, extentOf(root)}); }

  bool contiguous(Value v) {
    return ViewLayout{v, 0, plan.places[v].strides}.isContiguous(shapeOf(v));
  }

  /// Whether writing `a` changes bytes of `b`.
  bool collide(Value a, Value b) { return extentOf(a).meets(extentOf(b)); }

  int64_t capacity(Value v) {
    const Place &place = plan.places[v];
    switch (place.space) {
    case Space::Arena:
      return static_cast<int64_t>(plan.arenaBytes);
    case Space::State:
      return stateBytes;
    case Space::Constant:
      return constantBytes;
    case Space::Input: {
      uint32_t input = 0;
      for (BlockArgument argument : func.getArguments())
        if (stateName(argument).empty() && input++ == place.index)
          return static_cast<int64_t>(bytesOf(argument));
      return -1;
    }
    }
    llvm_unreachable("unknown space");
  }

  LogicalResult checkInside(Value v, Location loc) { // C1
    const Place &place = plan.places[v];
    auto [begin, end] = rangeOf(v);
    if (int64_t bytes = capacity(v); begin < 0 || end > bytes)
      return emitError(loc) << "(C1) bytes [" << begin << ", " << end << ") at " << place.text()
                            << " lie outside of " << bytes << " bytes";
    if (int64_t unit = elementBytes(elementType(v)); static_cast<int64_t>(place.offset) % unit != 0)
      return emitError(loc) << "(C1) " << place.text() << " is not aligned to elements of " << unit
                            << " bytes";
    return success();
  }

  LogicalResult checkOp(Operation *op) {
    for (Value result : op->getResults())
      if (failed(checkInside(result, op->getLoc())))
        return failure();
    if (isViewKind(op))
      return checkView(op);
    if (isa<ConstantOp>(op)) {
      define(op->getResult(0));
      return success();
    }
    return checkKernel(op);
  }

  LogicalResult checkView(Operation *op) { // C2
    const Place &from = plan.places[op->getOperand(0)], &to = plan.places[op->getResult(0)];
    std::optional<ViewLayout> view = applyView(op, {op->getOperand(0), 0, from.strides});
    int64_t bytes = elementBytes(elementType(op->getResult(0)));
    auto sameStrides = [&] {
      // The stride of an extent of 1 or 0 reaches nothing.
      for (auto [extent, a, b] : llvm::zip(shapeOf(op->getResult(0)), to.strides, view->strides))
        if (extent > 1 && a != b)
          return false;
      return true;
    };
    if (!view || from.space != to.space || from.index != to.index ||
        to.offset != from.offset + static_cast<uint64_t>(view->offset * bytes) || !sameStrides())
      return op->emitOpError("(C2) ") << to.text() << " is no view of " << from.text();
    return success();
  }

  LogicalResult checkKernel(Operation *op) {
    auto kernel = cast<KernelOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      const Place &place = plan.places[operand.get()];
      llvm::ArrayRef<int64_t> shape = shapeOf(operand.get());
      if (!contiguous(operand.get()) &&
          !kernel.acceptsStrides(operand.getOperandNumber(), shape, place.strides)) // C8
        return op->emitOpError("(C8) operand ")
               << operand.getOperandNumber() << " at " << place.text()
               << ": the kernel expects contiguous elements";
      if (failed(checkRead(operand.get(), op)))
        return failure();
    }
    for (OpResult result : op->getResults()) {
      const Place &place = plan.places[result];
      if (place.space == Space::Input || place.space == Space::Constant) // C7
        return op->emitOpError("(C7) a result cannot lie at ") << place.text();
      if (!contiguous(result))
        return op->emitOpError("(C8) result ")
               << result.getResultNumber() << " at " << place.text() << " is not contiguous";
      for (OpResult other : op->getResults().take_front(result.getResultNumber()))
        if (collide(result, other)) // C3
          return op->emitOpError("(C3) results ")
                 << other.getResultNumber() << " and " << result.getResultNumber() << " overlap";
      for (OpOperand &operand : op->getOpOperands())
        if (collide(result, operand.get()) && !mayOverlap(kernel, operand, result)) // C3
          return op->emitOpError("(C3) result ")
                 << result.getResultNumber() << " at " << place.text() << " overwrites operand "
                 << operand.getOperandNumber() << " at " << plan.places[operand.get()].text();
    }
    // The writes take effect: whoever lay there is gone.
    for (Value result : op->getResults()) {
      const Extent written = extentOf(result);
      llvm::erase_if(defined, [&](const auto &entry) {
        if (!written.meets(entry.second))
          return false;
        overwriter[entry.first] = op;
        return true;
      });
    }
    for (Value result : op->getResults())
      define(result);
    return success();
  }

  /// In place: same bytes, element for element.
  bool mayOverlap(KernelOpInterface kernel, OpOperand &operand, OpResult result) {
    const Place &from = plan.places[operand.get()], &to = plan.places[result];
    return kernel.mayOverwrite(operand.getOperandNumber(), result.getResultNumber()) &&
           from.offset == to.offset && bytesOf(operand.get()) == bytesOf(result) &&
           contiguous(operand.get());
  }

  LogicalResult checkRead(Value v, Operation *reader) { // C4, C5
    Value root = rootOf(v);
    auto gone = overwriter.find(root);
    if (gone == overwriter.end())
      return success();
    llvm::StringRef state = stateName(root);
    InFlightDiagnostic error = state.empty() ? reader->emitError("(C4) the value at ")
                                             : reader->emitError("(C5) the old value of state \"")
                                                   << state << "\" at ";
    error << plan.places[root].text() << " is read after it was overwritten";
    error.attachNote(gone->second->getLoc()) << "by this kernel";
    return error;
  }

  LogicalResult checkReturn() {
    Operation *terminator = returnOf(func);
    llvm::DenseSet<Value> replaced;
    for (auto [i, value, argument] :
         llvm::enumerate(terminator->getOperands(), updatedArguments(func))) {
      if (failed(checkRead(value, terminator)))
        return failure();
      const Place &place = plan.places[value];
      if (!contiguous(value))
        return terminator->emitError("(C8) output ")
               << i << " at " << place.text() << " is not contiguous";
      if (!argument)
        continue;
      replaced.insert(argument);
      const Place &state = plan.places[argument];
      if (place.space != Space::State || place.offset != state.offset) // C6
        return terminator->emitError("(C6) the new value of state \"")
               << stateName(argument) << "\" lies at " << place.text() << ", expected "
               << state.text();
    }
    for (BlockArgument argument : func.getArguments())
      if (overwriter.contains(argument) && !replaced.contains(argument)) // C6
        return overwriter[argument]->emitError("(C6) state \"")
               << stateName(argument) << "\" is overwritten, but no result updates it";
    return success();
  }

  func::FuncOp func;
  FunctionPlan plan;
  int64_t stateBytes, constantBytes;
  std::vector<std::pair<Value, Extent>> defined; // roots whose memory is as their kernel left it
  llvm::DenseMap<Value, Operation *> overwriter;
};

struct VerifyPlanPass : PassWrapper<VerifyPlanPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPlanPass)
  llvm::StringRef getArgument() const override { return "raf-verify-plan"; }
  llvm::StringRef getDescription() const override {
    return "refuse plans in which values share memory while both are needed";
  }
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyPlan(ModuleOp module) {
  auto state = module->getAttrOfType<IntegerAttr>(names::kStateBytes);
  auto constants = module->getAttrOfType<IntegerAttr>(names::kConstantBytes);
  if (!state || !constants)
    return module.emitOpError("has no plan: expected attributes ")
           << names::kStateBytes << " and " << names::kConstantBytes;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    if (failed(checkCovered(func)))
      return failure();
    FailureOr<FunctionPlan> plan = readPlan(func);
    if (failed(plan) ||
        failed(PlanVerifier(func, std::move(*plan), state.getInt(), constants.getInt()).run()))
      return failure();
  }
  return success();
}

std::unique_ptr<Pass> createVerifyPlanPass() { return std::make_unique<VerifyPlanPass>(); }

} // namespace raf::schedule
