#include "compiler/lower/to_loops/anchors/Tile.h"

#include "llvm/IR/Constants.h"

namespace raf::gen {

namespace {

constexpr unsigned kRows = 4; // rows of a register tile

} // namespace

llvm::Value *Tile::firstLanes(unsigned count) {
  if (count == lanes)
    return nullptr;
  llvm::SmallVector<llvm::Constant *> mask;
  for (unsigned i = 0; i < lanes; ++i)
    mask.push_back(b.getInt1(i < count));
  return llvm::ConstantVector::get(mask);
}

llvm::Constant *Tile::laneNumbers(llvm::IntegerType *element) {
  llvm::SmallVector<llvm::Constant *> numbers;
  for (unsigned i = 0; i < lanes; ++i)
    numbers.push_back(llvm::ConstantInt::get(element, i));
  return llvm::ConstantVector::get(numbers);
}

void Tile::productRows(const Product &p, Value *row, unsigned numRows) {
  // As many vectors beside each other as leave registers for a row of B: 16 accumulators of 32
  // registers (AVX-512), 8 of 16 (AVX2).
  const unsigned maxVectors = lanes >= 16 ? 4 : 2;
  for (unsigned first = 0; first < p.columns; first += maxVectors * lanes) {
    const unsigned count = std::min(p.columns - first, maxVectors * lanes);
    const unsigned vectors = (count + lanes - 1) / lanes;
    auto width = [&](unsigned v) { return std::min(lanes, count - v * lanes); };
    Values sums, aRows;
    for (unsigned r = 0; r < numRows; ++r) {
      Value *i = add(row, i64(r));
      aRows.push_back(at(p.a, mul(i, p.aRow)));
      for (unsigned v = 0; v < vectors; ++v)
        sums.push_back(p.start ? p.start(i, first + v * lanes, width(v)) : numbers(0));
    }
    Value *bBase = at(p.b, i64(first));
    sums = loop(i64(0), p.depth, 1, sums, [&](Value *depth, llvm::ArrayRef<Value *> carried) {
      Values next, columns;
      Value *bRow = at(bBase, mul(depth, p.bDepth));
      for (unsigned v = 0; v < vectors; ++v)
        columns.push_back(loadFirst(at(bRow, i64(v * lanes)), width(v)));
      Value *aOffset = mul(depth, p.aDepth);
      for (unsigned r = 0; r < numRows; ++r) {
        Value *factor = splat(loadScalar(at(aRows[r], aOffset)));
        for (unsigned v = 0; v < vectors; ++v)
          next.push_back(k.b.fma(factor, columns[v], carried[r * vectors + v]));
      }
      return next;
    });
    for (unsigned r = 0; r < numRows; ++r)
      for (unsigned v = 0; v < vectors; ++v)
        p.finish(add(row, i64(r)), first + v * lanes, width(v), sums[r * vectors + v]);
  }
}

void Tile::product(const Product &p) {
  Value *whole = mul(b.CreateSDiv(p.rows, i64(kRows)), i64(kRows));
  loop(i64(0), whole, kRows, [&](Value *row) { productRows(p, row, kRows); });
  loop(whole, p.rows, 1, [&](Value *row) { productRows(p, row, 1); });
}

Tile::Values Tile::transpose(Values rows) {
  // Swaps the off-diagonal halves of ever smaller squares.
  for (unsigned half = lanes / 2; half > 0; half /= 2)
    for (unsigned i = 0; i < lanes; ++i) {
      if (i & half)
        continue;
      llvm::SmallVector<int> low, high;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const bool second = lane & half;
        low.push_back(static_cast<int>(second ? lane - half + lanes : lane));
        high.push_back(static_cast<int>(second ? lane + lanes : lane + half));
      }
      Value *upper = rows[i], *lower = rows[i + half];
      rows[i] = b.CreateShuffleVector(upper, lower, low);
      rows[i + half] = b.CreateShuffleVector(upper, lower, high);
    }
  return rows;
}

} // namespace raf::gen
