#include "compiler/lower/to_loops/Philox.h"
#include "compiler/ir/Raf.h"
#include "compiler/lower/to_loops/NestEmitter.h"

#include "llvm/IR/Intrinsics.h"

namespace raf::gen {

using llvm::Value;

// Counters and words are 32-bit numbers in 64-bit lanes: one multiplication of lanes gives both
// halves of a product, and what gathers in the upper halves is never looked at.
PhiloxWords philox(BodyBuilder &b, Value *block, Value *op, Value *step, Value *seed) {
  llvm::IRBuilder<> &ir = b.ir;
  const unsigned lanes = BodyBuilder::lanesOf(block);
  auto low = [&](Value *v) { return ir.CreateAnd(v, b.integer(v, 0xffffffff)); };
  auto high = [&](Value *v) { return ir.CreateLShr(v, 32); };
  PhiloxWords c = {block, high(block), b.splat(op, lanes), b.splat(step, lanes)};
  Value *k0 = seed, *k1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    Value *p0 = ir.CreateMul(low(c[0]), b.integer(block, 0xD2511F53));
    Value *p1 = ir.CreateMul(low(c[2]), b.integer(block, 0xCD9E8D57));
    c = {ir.CreateXor(ir.CreateXor(high(p1), c[1]), b.splat(k0, lanes)), p1,
         ir.CreateXor(ir.CreateXor(high(p0), c[3]), b.splat(k1, lanes)), p0};
    k0 = ir.CreateAdd(k0, ir.getInt64(0x9E3779B9));
    k1 = ir.CreateAdd(k1, ir.getInt64(0xBB67AE85));
  }
  return c;
}

// Words of the tile's elements; `random` of the same op in other parts of the tile is set on the
// way.
Value *NestEmitter::random(unsigned i, unsigned part) {
  const Node &node = nest.nodes[i];
  llvm::Type *i64 = ir.getInt64Ty(), *i32 = ir.getInt32Ty();
  auto keyAt = [&](int at) {
    return ir.CreateLoad(i64, ir.CreateConstGEP1_64(i64, k.operands[node.input], at));
  };
  Value *seed = keyAt(0), *step = keyAt(1), *op = k.params[node.constantParam];
  const bool normal = mlir::isa<NormalOp>(node.op);

  auto unit = [&](Value *word, bool aboveZero) { // i32 -> multiples of 2^-24
    Value *top = ir.CreateLShr(word, 8);
    if (aboveZero)
      top = ir.CreateAdd(top, b.integer(top, 1));
    Value *f = ir.CreateSIToFP(top, BodyBuilder::withLanes(ir.getFloatTy(), word));
    return ir.CreateFMul(f, b.number(f, 0x1p-24));
  };
  // From the words of a pair of neighbours and whether it is the second of them.
  auto boxMuller = [&](Value *u, Value *v, Value *second) {
    Value *radius = b.log(unit(u, true));
    radius = b.sqrt(ir.CreateFMul(radius, b.number(radius, -2.0)));
    Value *fraction = unit(v, false);
    auto [s, c] = b.sincos(ir.CreateFMul(fraction, b.number(fraction, 6.283185307179586)));
    return ir.CreateFMul(radius, ir.CreateSelect(second, s, c));
  };

  Value *first = offset(node.strides, node.strideParams);
  if (!node.aligned || uniform(node)) {
    // Each element computes its own block.
    Value *at = first;
    if (!uniform(node))
      at = ir.CreateAdd(
          b.splat(first, lanes),
          laneOffsets(strideValue(node.strides, node.strideParams, nest.vectorAxis), part));
    PhiloxWords words = philox(b, ir.CreateLShr(at, 2), op, step, seed);
    auto narrow = [&](Value *w) { return ir.CreateTrunc(w, BodyBuilder::withLanes(i32, w)); };
    auto bit = [&](int64_t mask) {
      return ir.CreateICmpNE(ir.CreateAnd(at, b.integer(at, mask)), b.integer(at, 0));
    };
    Value *odd = bit(1), *upper = bit(2);
    Value *even = ir.CreateSelect(upper, narrow(words[2]), narrow(words[0]));
    Value *next = ir.CreateSelect(upper, narrow(words[3]), narrow(words[1]));
    return normal ? boxMuller(even, next, odd) : unit(ir.CreateSelect(odd, next, even), false);
  }

  // The tile begins at a block. Two vectors together take one vector of blocks; a single one half
  // of it.
  const unsigned together = parts % 2 == 0 ? 2 : 1;
  const unsigned blocks = lanes * together / 4;
  const unsigned begin = part / together * together;
  llvm::SmallVector<uint64_t> ids(blocks);
  for (unsigned lane = 0; lane < blocks; ++lane)
    ids[lane] = begin * lanes / 4 + lane;
  Value *block = ir.CreateAdd(b.splat(ir.CreateLShr(first, 2), blocks),
                              llvm::ConstantDataVector::get(ir.getContext(), ids));
  PhiloxWords words = philox(b, block, op, step, seed);
  // Lane j holds words 0..3 of block j: two at a time side by side, then interleaved.
  auto pair = [&](Value *a, Value *c) {
    return ir.CreateOr(ir.CreateAnd(a, b.integer(a, 0xffffffff)), ir.CreateShl(c, 32));
  };
  Value *evens = pair(words[0], words[1]), *odds = pair(words[2], words[3]);
  Values &slot = cache[i];
  slot.resize(parts, nullptr);
  for (unsigned p = 0; p < together; ++p) {
    llvm::SmallVector<int> order;
    for (unsigned lane = 0; lane < lanes / 4; ++lane) {
      order.push_back(p * lanes / 4 + lane);
      order.push_back(p * lanes / 4 + lane + blocks);
    }
    Value *v = ir.CreateBitCast(ir.CreateShuffleVector(evens, odds, order),
                                llvm::FixedVectorType::get(i32, lanes));
    if (!normal) {
      slot[begin + p] = unit(v, false);
      continue;
    }
    llvm::SmallVector<int> us, vs;
    llvm::SmallVector<llvm::Constant *> second;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      us.push_back(lane & ~1u);
      vs.push_back(lane | 1u);
      second.push_back(ir.getInt1(lane & 1));
    }
    slot[begin + p] = boxMuller(ir.CreateShuffleVector(v, us), ir.CreateShuffleVector(v, vs),
                                llvm::ConstantVector::get(second));
  }
  return slot[part];
}

} // namespace raf::gen
