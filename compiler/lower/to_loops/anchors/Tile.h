// Float32 vectors in memory and small matrix products, for loop nests with a template of their own.
#pragma once

#include "compiler/lower/to_loops/KernelFunction.h"

#include <functional>

namespace raf::gen {

/// Emits into a kernel function. Offsets count float32 elements.
class Tile {
public:
  using Value = llvm::Value;
  using Values = KernelFunction::Values;

  Tile(KernelFunction &k, unsigned lanes) : k(k), b(k.ir), lanes(lanes) {}

  KernelFunction &k;
  llvm::IRBuilder<> &b;
  const unsigned lanes; // float32 elements of one vector

  llvm::FixedVectorType *vec(llvm::Type *element) {
    return llvm::FixedVectorType::get(element, lanes);
  }
  llvm::FixedVectorType *vec() { return vec(b.getFloatTy()); }
  llvm::Constant *i64(int64_t v) { return b.getInt64(v); }
  llvm::Constant *number(double v) { return llvm::ConstantFP::get(b.getFloatTy(), v); }
  llvm::Constant *numbers(double v) { return llvm::ConstantFP::get(vec(), v); }
  Value *splat(Value *scalar) { return b.CreateVectorSplat(lanes, scalar); }
  Value *add(Value *x, Value *y) { return b.CreateNSWAdd(x, y); }
  Value *mul(Value *x, Value *y) { return b.CreateNSWMul(x, y); }
  Value *min(Value *x, Value *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  /// Lane numbers 0, 1, ... as integers of `element`.
  llvm::Constant *laneNumbers(llvm::IntegerType *element);

  Value *at(Value *base, Value *offset) { return b.CreateGEP(b.getFloatTy(), base, offset); }
  Value *loadScalar(Value *pointer) { return b.CreateLoad(b.getFloatTy(), pointer); }
  Value *load(Value *pointer) { return k.loadVector(b.getFloatTy(), pointer, lanes, nullptr); }
  void store(Value *value, Value *pointer) { k.storeVector(value, pointer, nullptr); }
  /// The first `count` lanes (all when count == lanes); the others are 0 and their memory is not
  /// touched.
  Value *loadFirst(Value *pointer, unsigned count) {
    return k.loadVector(b.getFloatTy(), pointer, lanes, firstLanes(count));
  }
  void storeFirst(Value *value, Value *pointer, unsigned count) {
    k.storeVector(value, pointer, firstLanes(count));
  }

  /// for (i = from; i < to; i += step) body(i)
  void loop(Value *from, Value *to, int64_t step, llvm::function_ref<void(Value *)> body) {
    k.loop(from, to, i64(step), body);
  }
  /// The same with values carried from one iteration to the next; returns the last ones.
  Values loop(Value *from, Value *to, int64_t step, Values initial,
              llvm::function_ref<Values(Value *, llvm::ArrayRef<Value *>)> body) {
    return k.loop(from, to, i64(step), initial, body);
  }

  /// C (m, n) = A (m, k) B (k, n): rows of C four at a time and then one by one, columns in
  /// vectors. Each element of C is one chain of fused multiply-adds in order of k.
  struct Product {
    Value *rows, *depth;      // m and k, at run time
    unsigned columns;         // n
    Value *a, *aRow, *aDepth; // element (i, p) of A at a + i * aRow + p * aDepth
    Value *b, *bDepth;        // row p of B at b + p * bDepth, contiguous
    /// What the chains of row i begin with, `count` columns from `column` on; empty: 0.
    std::function<Value *(Value *row, unsigned column, unsigned count)> start;
    std::function<void(Value *row, unsigned column, unsigned count, Value *sum)> finish;
  };
  void product(const Product &p);

  /// Transposes `lanes` vectors of `lanes` elements.
  Values transpose(Values rows);

private:
  Value *firstLanes(unsigned count); // null: all
  void productRows(const Product &p, Value *row, unsigned numRows);
};

} // namespace raf::gen
