// C++ side of Interfaces.td: the types its methods speak of.
#pragma once

#include "common/DType.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include <string>

namespace llvm {
class Value;
}

namespace raf {

namespace gen {
class BodyBuilder; // compiler/lower/to_loops/Body.h
}

enum class CastPolicy { Low, High, Follow };

/// Role of an op inside a fused group (docs/design/codegen.md).
enum class LoopRole {
  Body,   // ScalarBodyOpInterface: element by element
  Index,  // shape op that the loop nest's normal form absorbs (reshape, transpose, broadcast, iota)
  Reduce, // reduction over dims
  Anchor, // has its own loop-nest template (matmul, attention, embedding gradient, ...)
  Composite, // decompose first
  None,      // never inside a group; has an rt kernel
};

/// See ShardableOpInterface. Factor -1: must not be split.
struct ShardingRule {
  int numFactors = 0;
  llvm::SmallVector<llvm::SmallVector<int>> operands, results; // factor of each dimension
  llvm::SmallVector<int> sumFactors;                           // contracted factors: partial sums
};

/// What a LibraryCall of the executable carries besides its operands.
struct LibraryCallDescription {
  std::string name; // "onednn.matmul"
  llvm::SmallVector<int64_t> ints;
  llvm::SmallVector<double> floats;
  llvm::SmallVector<std::string> strings;
  /// Operands that the kernel gets with their last two dimensions swapped.
  llvm::SmallVector<unsigned> transposed = {};
};

class HostTensor; // compiler/reference/HostTensor.h

/// Number of elements of all ranked tensors among `types`.
double countElements(mlir::TypeRange types);
/// Bytes of all ranked tensors among `types`; an i1 takes one byte.
double countBytes(mlir::TypeRange types);
/// Bytes of one element in memory (i1 and i8: 1).
int64_t elementBytes(mlir::Type elementType);
/// How elements of a tensor of the dialect are stored.
DType dtypeOf(mlir::Type elementType);
/// Every dimension i of every operand and result of full rank carries factor i.
ShardingRule elementwiseShardingRule(mlir::Operation *op);

} // namespace raf

#include "compiler/ir/Interfaces.h.inc"
