// Matrix products: (..., M, K) x (..., K, N) -> (..., M, N).
//
// A work item is one tile of one product, over all of K, so that no sum is split between items.
// Both operands are packed block by block of K: a in panels of kRows rows, b in panels of two
// vectors, each panel with K outermost. A micro kernel keeps kRows x two vectors of sums in
// registers. Sums are kept in a tile in scratch, padded to whole panels, in f32 (f64 for f64): what
// lies beyond the matrix is computed and never stored.
#include "compiler/lower/to_loops/Plan.h"

#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace raf::gen {

namespace {

using Value = llvm::Value;

/// How the elements of an operand lie along its panel's rows and along K.
enum class Walk { RowsContiguous, KContiguous, Strided };

struct OperandPlan {
  int batchStrides = 0; // number of the first of the batch strides among the parameters
  int rowStride = 0, kStride = 0;
  Walk walk = Walk::Strided;
};

struct MatmulPlan {
  Type element;
  unsigned aInput = 0, bInput = 0;
  int batchRank = 0, batchExtents = 0;
  int m = 0, n = 0, k = 0;             // extents
  int tileM = 0, tileN = 0, tileK = 0; // of a work item, in rows, columns and steps
  int tilesM = 0, tilesN = 0;          // tiles per product
  int packedA = 0, packedB = 0;        // byte offsets in scratch; the sums lie at 0
  OperandPlan a, b;
  unsigned lanes = 0, rows = 0;
};

class MatmulEmitter {
public:
  MatmulEmitter(const MatmulPlan &plan, KernelFunction &kernel)
      : p(plan), k(kernel), b(kernel.b), ir(kernel.ir) {
    sumType = b.computeType(p.element);
    sumBytes = p.element.isF64() ? 8 : 4;
    columns = 2 * p.lanes;
  }

  void emit() {
    k.loop(k.begin, k.end, k.i64(1), [&](Value *item) { emitItem(item); });
    k.finish();
  }

private:
  Value *param(int i) { return k.params[i]; }
  Value *least(Value *x, Value *y) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  Value *at(llvm::Type *type, Value *base, Value *index) { return ir.CreateGEP(type, base, index); }
  Value *scratchAt(int param) { return ir.CreateGEP(ir.getInt8Ty(), k.scratch, k.params[param]); }
  Value *roundUp(Value *v, unsigned to) {
    Value *more = ir.CreateAdd(v, k.i64(to - 1));
    return ir.CreateSub(more, ir.CreateURem(more, k.i64(to)));
  }
  Value *maskBelow(Value *count, unsigned lanes) {
    llvm::SmallVector<uint64_t> ids(lanes);
    for (unsigned i = 0; i < lanes; ++i)
      ids[i] = i;
    return ir.CreateICmpSLT(llvm::ConstantDataVector::get(ir.getContext(), ids),
                            b.splat(count, lanes));
  }

  void emitItem(Value *item) {
    // item = (batch, tile of M, tile of N)
    Value *tileN = ir.CreateURem(item, param(p.tilesN));
    Value *rest = ir.CreateUDiv(item, param(p.tilesN));
    Value *tileM = ir.CreateURem(rest, param(p.tilesM));
    Value *batch = ir.CreateUDiv(rest, param(p.tilesM));
    Value *m0 = ir.CreateMul(tileM, param(p.tileM)), *n0 = ir.CreateMul(tileN, param(p.tileN));
    Value *rows = least(param(p.tileM), ir.CreateSub(param(p.m), m0));
    Value *cols = least(param(p.tileN), ir.CreateSub(param(p.n), n0));

    Value *offsetA = ir.CreateMul(m0, param(p.a.rowStride));
    Value *offsetB = ir.CreateMul(n0, param(p.b.rowStride));
    Value *left = batch;
    for (int i = p.batchRank - 1; i >= 0; --i) {
      Value *index = i == 0 ? left : ir.CreateURem(left, param(p.batchExtents + i));
      left = ir.CreateUDiv(left, param(p.batchExtents + i));
      offsetA = ir.CreateAdd(offsetA, ir.CreateMul(index, param(p.a.batchStrides + i)));
      offsetB = ir.CreateAdd(offsetB, ir.CreateMul(index, param(p.b.batchStrides + i)));
    }
    llvm::Type *memory = b.memoryType(p.element);
    Value *a = at(memory, k.operands[p.aInput], offsetA);
    Value *bb = at(memory, k.operands[p.bInput], offsetB);

    paddedCols = roundUp(cols, columns);
    Value *paddedRows = roundUp(rows, p.rows);
    sums = k.scratch;
    Value *count = ir.CreateMul(paddedRows, paddedCols);
    auto *vector = llvm::FixedVectorType::get(sumType, p.lanes);
    k.loop(k.i64(0), count, k.i64(p.lanes), [&](Value *i) {
      k.storeVector(llvm::Constant::getNullValue(vector), at(sumType, sums, i), nullptr);
    });

    k.loop(k.i64(0), param(p.k), param(p.tileK), [&](Value *k0) {
      Value *steps = least(param(p.tileK), ir.CreateSub(param(p.k), k0));
      // A panel ends with room for what transposing writes behind its last step.
      panelSteps = roundUp(steps, p.lanes);
      panelA = ir.CreateAdd(ir.CreateMul(panelSteps, k.i64(p.rows)), k.i64(p.lanes));
      panelB = ir.CreateMul(panelSteps, k.i64(columns));
      pack(at(memory, a, ir.CreateMul(k0, param(p.a.kStride))), p.a, rows, steps, p.rows,
           scratchAt(p.packedA), panelA);
      pack(at(memory, bb, ir.CreateMul(k0, param(p.b.kStride))), p.b, cols, steps, columns,
           scratchAt(p.packedB), panelB);
      k.loop(k.i64(0), paddedRows, k.i64(p.rows), [&](Value *i) {
        k.loop(k.i64(0), paddedCols, k.i64(columns), [&](Value *j) { microKernel(i, j, steps); });
      });
    });

    // result rows, converted
    Value *matrix = ir.CreateMul(batch, ir.CreateMul(param(p.m), param(p.n)));
    Value *corner = ir.CreateAdd(ir.CreateAdd(matrix, ir.CreateMul(m0, param(p.n))), n0);
    Value *result = at(memory, k.operands.back(), corner);
    k.loop(k.i64(0), rows, k.i64(1), [&](Value *i) {
      Value *from = at(sumType, sums, ir.CreateMul(i, paddedCols));
      Value *to = at(memory, result, ir.CreateMul(i, param(p.n)));
      auto copy = [&](Value *j, Value *mask) {
        Value *v = k.loadVector(sumType, at(sumType, from, j), p.lanes, nullptr);
        v = b.toMemory(b.round(v, p.element), p.element);
        k.storeVector(v, at(memory, to, j), mask);
      };
      Value *whole = ir.CreateAnd(cols, k.i64(-int64_t{p.lanes}));
      k.loop(k.i64(0), whole, k.i64(p.lanes), [&](Value *j) { copy(j, nullptr); });
      k.loop(whole, cols, k.i64(p.lanes),
             [&](Value *j) { copy(j, maskBelow(ir.CreateSub(cols, j), p.lanes)); });
    });
  }

  // sums[i.., j..] += a panel x b panel
  void microKernel(Value *i, Value *j, Value *steps) {
    Value *a =
        at(sumType, scratchAt(p.packedA), ir.CreateMul(ir.CreateUDiv(i, k.i64(p.rows)), panelA));
    Value *bb =
        at(sumType, scratchAt(p.packedB), ir.CreateMul(ir.CreateUDiv(j, k.i64(columns)), panelB));
    Value *corner = at(sumType, sums, ir.CreateAdd(ir.CreateMul(i, paddedCols), j));
    KernelFunction::Values carried;
    llvm::SmallVector<Value *> places;
    for (unsigned r = 0; r < p.rows; ++r)
      for (unsigned half = 0; half < 2; ++half) {
        Value *row = at(sumType, corner, ir.CreateMul(paddedCols, k.i64(r)));
        places.push_back(ir.CreateConstGEP1_64(sumType, row, half * p.lanes));
        carried.push_back(k.loadVector(sumType, places.back(), p.lanes, nullptr));
      }
    carried =
        k.loop(k.i64(0), steps, k.i64(1), carried, [&](Value *step, llvm::ArrayRef<Value *> now) {
          Value *as = at(sumType, a, ir.CreateMul(step, k.i64(p.rows)));
          Value *bs = at(sumType, bb, ir.CreateMul(step, k.i64(columns)));
          Value *right[2];
          for (unsigned half = 0; half < 2; ++half)
            right[half] = k.loadVector(sumType, ir.CreateConstGEP1_64(sumType, bs, half * p.lanes),
                                       p.lanes, nullptr);
          KernelFunction::Values next;
          for (unsigned r = 0; r < p.rows; ++r) {
            Value *x =
                b.splat(ir.CreateLoad(sumType, ir.CreateConstGEP1_64(sumType, as, r)), p.lanes);
            for (unsigned half = 0; half < 2; ++half)
              next.push_back(b.fma(x, right[half], now[2 * r + half]));
          }
          return next;
        });
    for (auto [place, v] : llvm::zip_equal(places, carried))
      k.storeVector(v, place, nullptr);
  }

  // to[panel][step][row] = from[row * rowStride + step * kStride], rows of a panel: `width`
  void pack(Value *from, const OperandPlan &o, Value *rows, Value *steps, unsigned width, Value *to,
            Value *panelSize) {
    llvm::Type *memory = b.memoryType(p.element);
    k.loop(k.i64(0), rows, k.i64(width), [&](Value *row0) {
      Value *panel = at(sumType, to, ir.CreateMul(ir.CreateUDiv(row0, k.i64(width)), panelSize));
      Value *left = least(ir.CreateSub(rows, row0), k.i64(width));
      Value *base = at(memory, from, ir.CreateMul(row0, param(o.rowStride)));
      if (o.walk == Walk::RowsContiguous) {
        Value *isWhole = ir.CreateICmpEQ(left, k.i64(width));
        for (bool whole : {true, false})
          k.when(whole ? isWhole : ir.CreateNot(isWhole),
                 [&] { packRows(base, o, left, steps, width, panel, whole); });
      } else if (o.walk == Walk::KContiguous) {
        packTransposed(base, o, left, steps, width, panel);
      } else {
        k.loop(k.i64(0), steps, k.i64(1), [&](Value *s) {
          Value *line = at(memory, base, ir.CreateMul(s, param(o.kStride)));
          k.loop(k.i64(0), left, k.i64(1), [&](Value *r) {
            Value *v = ir.CreateLoad(memory, at(memory, line, ir.CreateMul(r, param(o.rowStride))));
            ir.CreateStore(b.fromMemory(v, p.element),
                           at(sumType, panel, ir.CreateAdd(ir.CreateMul(s, k.i64(width)), r)));
          });
        });
      }
    });
  }

  // Neighbouring rows lie side by side: one copy per step. Of a panel narrower than a vector, what
  // is written behind it belongs to the next step and is written again then.
  void packRows(Value *base, const OperandPlan &o, Value *left, Value *steps, unsigned width,
                Value *panel, bool whole) {
    llvm::Type *memory = b.memoryType(p.element);
    k.loop(k.i64(0), steps, k.i64(1), [&](Value *s) {
      Value *line = at(memory, base, ir.CreateMul(s, param(o.kStride)));
      Value *to = at(sumType, panel, ir.CreateMul(s, k.i64(width)));
      for (unsigned group = 0; group < width; group += p.lanes) {
        const bool full = whole && group + p.lanes <= width;
        Value *mask = full ? nullptr : maskBelow(ir.CreateSub(left, k.i64(group)), p.lanes);
        Value *v = k.loadVector(memory, ir.CreateConstGEP1_64(memory, line, group), p.lanes, mask);
        k.storeVector(b.fromMemory(v, p.element), ir.CreateConstGEP1_64(sumType, to, group),
                      nullptr);
      }
    });
  }

  // Steps lie side by side: squares of vectors are transposed in registers.
  void packTransposed(Value *base, const OperandPlan &o, Value *left, Value *steps, unsigned width,
                      Value *panel) {
    llvm::Type *memory = b.memoryType(p.element);
    Value *last = ir.CreateSub(left, k.i64(1));
    auto square = [&](Value *s, Value *group) {
      // One copy of this code serves full and cut squares: it is long.
      Value *mask = maskBelow(ir.CreateSub(steps, s), p.lanes);
      llvm::SmallVector<Value *> v;
      for (unsigned r = 0; r < p.lanes; ++r) {
        if (r >= width) {
          v.push_back(llvm::Constant::getNullValue(llvm::FixedVectorType::get(sumType, p.lanes)));
          continue;
        }
        // Beyond the last row it is read again; nobody uses what comes of it.
        Value *row = least(ir.CreateAdd(group, k.i64(r)), last);
        Value *line = at(memory, base, ir.CreateAdd(ir.CreateMul(row, param(o.rowStride)), s));
        v.push_back(b.fromMemory(k.loadVector(memory, line, p.lanes, mask), p.element));
      }
      for (unsigned d = 1; d < p.lanes; d *= 2)
        for (unsigned i = 0; i < p.lanes; ++i) {
          if (i & d)
            continue;
          llvm::SmallVector<int> low, high;
          for (unsigned l = 0; l < p.lanes; ++l) {
            low.push_back(l & d ? p.lanes + l - d : l);
            high.push_back(l & d ? p.lanes + l : l + d);
          }
          Value *x = v[i], *y = v[i + d];
          v[i] = ir.CreateShuffleVector(x, y, low);
          v[i + d] = ir.CreateShuffleVector(x, y, high);
        }
      Value *to = at(sumType, panel, ir.CreateAdd(ir.CreateMul(s, k.i64(width)), group));
      for (unsigned i = 0; i < p.lanes; ++i)
        k.storeVector(v[i], ir.CreateConstGEP1_64(sumType, to, i * width), nullptr);
    };
    k.loop(k.i64(0), steps, k.i64(p.lanes), [&](Value *s) {
      k.loop(k.i64(0), k.i64(width), k.i64(p.lanes), [&](Value *group) { square(s, group); });
    });
  }

  const MatmulPlan &p;
  KernelFunction &k;
  BodyBuilder &b;
  llvm::IRBuilder<> &ir;
  llvm::Type *sumType;
  unsigned sumBytes, columns;
  Value *sums = nullptr, *paddedCols = nullptr;
  Value *panelSteps = nullptr, *panelA = nullptr, *panelB = nullptr; // of the current block of K
};

Walk walkOf(int64_t rowStride, int64_t kStride) {
  return rowStride == 1 ? Walk::RowsContiguous : kStride == 1 ? Walk::KContiguous : Walk::Strided;
}

} // namespace

std::optional<KernelPlan> planMatmul(Operation *op, const PlanContext &context) {
  auto matmul = cast<MatmulOp>(op);
  KernelPlan plan;
  MatmulPlan p;
  p.element = elementType(matmul.getResult());
  const int bytes = p.element.isF64() ? 8 : 4;
  p.lanes = context.lanes * 4 / bytes;
  // With two columns of vectors: 24 of 32, 12 of 16 registers. Narrower than a vector, or one: see
  // packTransposed.
  p.rows = bytes == 8 ? p.lanes : context.lanes == 16 ? 12 : 6;
  p.aInput = context.input(matmul.getA());
  p.bInput = context.input(matmul.getB());

  llvm::ArrayRef<int64_t> result = shapeOf(matmul.getResult());
  p.batchRank = result.size() - 2;
  p.batchExtents = plan.params.size();
  int64_t batch = 1;
  for (int64_t extent : result.drop_back(2)) {
    plan.param(extent);
    batch *= extent;
  }
  auto operand = [&](mlir::Value v, bool transposed, bool isB) {
    llvm::ArrayRef<int64_t> shape = shapeOf(v), strides = context.stridesOf(v);
    OperandPlan o;
    o.batchStrides = plan.params.size();
    const int64_t missing = p.batchRank - (static_cast<int64_t>(shape.size()) - 2);
    for (int64_t i = 0; i < p.batchRank; ++i)
      plan.param(i < missing || shape[i - missing] == 1 ? 0 : strides[i - missing]);
    // `rows` of b are its columns: what a panel runs over.
    const size_t rowDim = shape.size() - (isB != transposed ? 1 : 2);
    const size_t kDim = shape.size() - (isB != transposed ? 2 : 1);
    o.rowStride = plan.param(strides[rowDim]);
    o.kStride = plan.param(strides[kDim]);
    o.walk = walkOf(strides[rowDim], strides[kDim]);
    return o;
  };
  p.a = operand(matmul.getA(), matmul.getTransposeA(), false);
  p.b = operand(matmul.getB(), matmul.getTransposeB(), true);
  const int64_t m = matmul.getM(), n = matmul.getN(), depth = matmul.getK();
  p.m = plan.param(m);
  p.n = plan.param(n);
  p.k = plan.param(depth);

  // Tiles depend on the shape only. They are large, for packing to pay, yet leave work for many
  // threads.
  const int64_t columns = 2 * p.lanes, rows = p.rows;
  int64_t tileM = std::min<int64_t>(llvm::alignTo(std::max<int64_t>(m, 1), rows), 16 * rows);
  int64_t tileN = std::min<int64_t>(llvm::alignTo(std::max<int64_t>(n, 1), columns), 12 * columns);
  auto items = [&] { return batch * llvm::divideCeil(m, tileM) * llvm::divideCeil(n, tileN); };
  while (items() < 16 && tileN > 4 * columns)
    tileN = llvm::alignTo(tileN / 2, columns);
  while (items() < 16 && tileM > 4 * rows)
    tileM = llvm::alignTo(tileM / 2, rows);
  const int64_t tileK = std::min<int64_t>(std::max<int64_t>(depth, 1), 256);
  p.tileM = plan.param(tileM);
  p.tileN = plan.param(tileN);
  p.tileK = plan.param(tileK);
  p.tilesM = plan.param(llvm::divideCeil(m, tileM));
  p.tilesN = plan.param(llvm::divideCeil(n, tileN));
  plan.work = items();
  plan.grain = std::max<int64_t>(1, (1 << 20) / std::max<int64_t>(1, tileM * tileN * depth));

  const int64_t steps = llvm::alignTo(tileK, p.lanes);
  int64_t offset = llvm::alignTo(tileM * tileN * bytes, 64);
  p.packedA = plan.param(offset);
  offset += llvm::alignTo((tileM / rows) * (steps * rows + p.lanes) * bytes, 64) + 64;
  p.packedB = plan.param(offset);
  offset += llvm::alignTo((tileN / columns) * steps * columns * bytes, 64) + 64;
  plan.scratchBytes = offset;

  llvm::raw_string_ostream(plan.structure)
      << "matmul " << p.element << " a in" << p.aInput << " " << static_cast<int>(p.a.walk)
      << " b in" << p.bInput << " " << static_cast<int>(p.b.walk) << " batch " << p.batchRank;
  plan.emit = [p](KernelFunction &function) { MatmulEmitter(p, function).emit(); };
  return plan;
}

} // namespace raf::gen
