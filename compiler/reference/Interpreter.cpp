#include "compiler/reference/Interpreter.h"

#include "compiler/lower/to_loops/Gen.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace raf {
namespace {

using Tensors = llvm::SmallVector<HostTensor>;

class Interpreter {
public:
  explicit Interpreter(Precision precision) : precision(precision) {}

  /// The values that the block's terminator gives.
  FailureOr<Tensors> run(Block &block, llvm::ArrayRef<HostTensor> arguments);

private:
  FailureOr<Tensors> evaluate(Operation *op, llvm::ArrayRef<HostTensor> operands);
  FailureOr<Tensors> evaluateDecomposed(Operation *op, llvm::ArrayRef<HostTensor> operands);
  FailureOr<Tensors> allocateResults(Operation *op);

  Precision precision;
};

FailureOr<Tensors> Interpreter::run(Block &block, llvm::ArrayRef<HostTensor> arguments) {
  llvm::DenseMap<Value, HostTensor> values;
  llvm::DenseMap<Value, int64_t> usesLeft;
  auto define = [&](Value v, const HostTensor &tensor) {
    if (int64_t uses = std::distance(v.use_begin(), v.use_end())) {
      values[v] = tensor;
      usesLeft[v] = uses;
    }
  };
  for (auto [argument, tensor] : llvm::zip_equal(block.getArguments(), arguments))
    define(argument, tensor);
  for (Operation &op : block) {
    Tensors operands;
    for (Value v : op.getOperands())
      operands.push_back(values.at(v));
    for (Value v : op.getOperands())
      if (--usesLeft[v] == 0)
        values.erase(v);
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    FailureOr<Tensors> results = evaluate(&op, operands);
    if (failed(results))
      return failure();
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      define(result, tensor);
  }
  llvm_unreachable("a block without terminator does not verify");
}

FailureOr<Tensors> Interpreter::evaluate(Operation *op, llvm::ArrayRef<HostTensor> operands) {
  if (auto kernel = dyn_cast<gen::KernelOp>(op))
    return run(kernel.getBody().front(), operands);
  if (auto reference = dyn_cast<ReferenceOpInterface>(op)) {
    FailureOr<Tensors> results = allocateResults(op);
    if (failed(results) || failed(reference.evaluate(operands, *results)))
      return failure();
    return results;
  }
  if (isa<DecomposableOpInterface>(op))
    return evaluateDecomposed(op, operands);
  return op->emitOpError("has no reference evaluation");
}

/// The formula is built beside the program, in a block of its own whose arguments are the op's
/// operands.
FailureOr<Tensors> Interpreter::evaluateDecomposed(Operation *op,
                                                   llvm::ArrayRef<HostTensor> operands) {
  Block block;
  IRMapping mapping;
  for (Value v : op->getOperands()) {
    BlockArgument argument = block.addArgument(v.getType(), op->getLoc());
    if (!mapping.contains(v))
      mapping.map(v, argument);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  Operation *clone = builder.clone(*op, mapping);
  builder.setInsertionPoint(clone);
  auto values = cast<DecomposableOpInterface>(clone).decompose(builder);
  if (failed(values))
    return op->emitOpError("has no decomposition");
  clone->erase();
  builder.setInsertionPointToEnd(&block);
  builder.create<gen::YieldOp>(op->getLoc(), *values);
  return run(block, operands);
}

FailureOr<Tensors> Interpreter::allocateResults(Operation *op) {
  Tensors results;
  for (Type t : op->getResultTypes()) {
    auto type = cast<RankedTensorType>(t);
    int64_t count = 1;
    for (int64_t extent : type.getShape())
      if (llvm::MulOverflow(count, extent, count) || count > HostTensor::kMaxElements)
        return op->emitOpError("expected a result of at most ")
               << HostTensor::kMaxElements << " elements, but got " << type;
    DType dtype = dtypeOf(type.getElementType());
    if (isFloat(dtype) && precision == Precision::Float64)
      dtype = DType::F64;
    results.emplace_back(dtype, type.getShape());
  }
  return results;
}

} // namespace

FailureOr<llvm::SmallVector<HostTensor>>
evaluate(func::FuncOp function, llvm::ArrayRef<HostTensor> arguments, Precision precision) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitOpError("expected one block to evaluate");
  if (arguments.size() != function.getNumArguments())
    return function.emitOpError("expected ")
           << function.getNumArguments() << " arguments, but got " << arguments.size();
  Tensors values;
  for (auto [i, tensor] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgument(i).getType());
    if (!type || type.getShape() != tensor.shape() ||
        dtypeOf(type.getElementType()) != tensor.dtype())
      return function.emitOpError("argument ")
             << i << " expected " << function.getArgument(i).getType() << ", but got "
             << llvm::StringRef(nameOf(tensor.dtype())) << " [" << tensor.shape() << "]";
    values.push_back(precision == Precision::Float64 ? tensor.withFloats(DType::F64) : tensor);
  }
  return Interpreter(precision).run(function.getBody().front(), values);
}

} // namespace raf
