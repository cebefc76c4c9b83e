// The raf dialect: include this to work with its ops.
#pragma once

#include "compiler/ir/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace raf {

/// Trait of optimizer updates: (C1) param, grad, slots and their new values have one type;
/// (C2) lr and scale are tensor<f32>, step is tensor<i64>.
mlir::LogicalResult verifySameTypeUpdate(mlir::Operation *op);
template <typename ConcreteType>
struct SameTypeUpdate : mlir::OpTrait::TraitBase<ConcreteType, SameTypeUpdate> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameTypeUpdate(op); }
};

/// Names of the attributes on function arguments and results (docs/design/ir.md).
namespace names {
inline constexpr llvm::StringLiteral kName = "raf.name";     // arguments, results: string
inline constexpr llvm::StringLiteral kKind = "raf.kind";     // "param" "buffer" "opt" "input" "key"
inline constexpr llvm::StringLiteral kInit = "raf.init";     // params: how a fresh run fills it
inline constexpr llvm::StringLiteral kFrozen = "raf.frozen"; // params: unit
inline constexpr llvm::StringLiteral kNoDecay = "raf.no_decay"; // params: unit
inline constexpr llvm::StringLiteral kUpdates =
    "raf.updates"; // results: name of the state it replaces
} // namespace names

inline mlir::RankedTensorType tensorType(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType());
}
inline mlir::Type elementType(mlir::Value v) { return tensorType(v).getElementType(); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value v) { return tensorType(v).getShape(); }
inline int64_t rankOf(mlir::Value v) { return tensorType(v).getRank(); }

} // namespace raf

#include "compiler/ir/Dialect.h.inc"
#include "compiler/ir/Enums.h.inc"
#define GET_OP_CLASSES
#include "compiler/ir/Ops.h.inc"

namespace raf {

/// Rank-0 constant of `elementType`; `value` is rounded to it.
mlir::Value scalarConstant(mlir::OpBuilder &b, mlir::Location loc, double value,
                           mlir::Type elementType);
/// Constant of type `type` with every element `value`, as a rank-0 constant broadcast to the shape.
mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, double value,
                  mlir::RankedTensorType type);
/// Broadcasts `x` to `shape`, aligning dimensions to the right (NumPy rule); returns x when equal.
mlir::Value broadcastTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        llvm::ArrayRef<int64_t> shape);
/// Inserts back the dimensions that a reduction over `dims` removed: x of reduced shape to `shape`.
mlir::Value broadcastReduced(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                             llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
/// Casts when the element type differs.
mlir::Value castTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Type elementType);
/// The value of a splat constant (also through broadcast/reshape/transpose), as a double.
std::optional<double> splatValue(mlir::Value v);

} // namespace raf
