// What the op families of the reference share.
#pragma once

#include "compiler/reference/Interpreter.h"

namespace raf::reference {

using Operands = llvm::ArrayRef<HostTensor>;
using Results = llvm::MutableArrayRef<HostTensor>;

/// The interface model of an op that `function(op, operands, results)` evaluates.
template <typename ConcreteOp, auto function>
struct Model : ReferenceOpInterface::ExternalModel<Model<ConcreteOp, function>, ConcreteOp> {
  mlir::LogicalResult evaluate(mlir::Operation *op, Operands operands, Results results) const {
    return function(mlir::cast<ConcreteOp>(op), operands, results);
  }
};

template <typename ConcreteOp, auto function> void attach(mlir::MLIRContext &context) {
  ConcreteOp::template attachInterface<Model<ConcreteOp, function>>(context);
}

/// Row-major positions of a tensor seen along one dimension: element k of line (outer, inner) is at
/// (outer * extent + k) * inner extent + inner.
struct Lines {
  int64_t outer = 1, extent = 1, inner = 1;

  Lines(llvm::ArrayRef<int64_t> shape, int64_t dim) : extent(shape[dim]) {
    for (int64_t i = 0; i < dim; ++i)
      outer *= shape[i];
    for (int64_t i = dim + 1; i < static_cast<int64_t>(shape.size()); ++i)
      inner *= shape[i];
  }
  int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * extent + k) * inner + i; }
};

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Calls `visit(linear, offset)` for every index of `shape` in row-major order, with offset = start
/// + sum(index * strides).
void forEach(llvm::ArrayRef<int64_t> shape, int64_t start, llvm::ArrayRef<int64_t> strides,
             llvm::function_ref<void(int64_t linear, int64_t offset)> visit);

/// Reports an index outside [0, extent).
mlir::LogicalResult checkIndex(mlir::Operation *op, int64_t index, int64_t extent);

// One per op family; each attaches the models of its file.
void attachElementwise(mlir::MLIRContext &context);
void attachShape(mlir::MLIRContext &context);
void attachIndexing(mlir::MLIRContext &context);
void attachReduce(mlir::MLIRContext &context);
void attachContraction(mlir::MLIRContext &context);
void attachNormalization(mlir::MLIRContext &context);
void attachAttention(mlir::MLIRContext &context);
void attachRandom(mlir::MLIRContext &context);
void attachLoss(mlir::MLIRContext &context);
void attachOneDnn(mlir::MLIRContext &context);
void attachRt(mlir::MLIRContext &context);

} // namespace raf::reference
