// The values of a nest: loads, bodies, reductions, stores.
#include "compiler/ir/Raf.h"
#include "compiler/lower/to_loops/NestEmitter.h"

#include "llvm/IR/Intrinsics.h"

#include <limits>

namespace raf::gen {

using llvm::Value;

Value *NestEmitter::eval(unsigned i, unsigned part) {
  const Node &node = nest.nodes[i];
  const bool one = uniform(node);
  if (one)
    part = 0;
  Values &values = cache[i];
  if (part < values.size() && values[part])
    return values[part];
  const Values before = values;
  const bool again = node.saved && inScratch[i];
  Value *v =
      again ? k.loadVector(b.computeType(node.type), scratchAddress(node, part), lanes, nullptr)
            : compute(i, part);
  Values &slot = cache[i];
  if (slot.size() <= part)
    slot.resize(one ? 1 : parts, nullptr);
  slot[part] = v;
  // `compute` may have set other parts too.
  if (node.saved && !again)
    for (unsigned p = 0; p < slot.size(); ++p)
      if (slot[p] && (p >= before.size() || !before[p]))
        k.storeVector(slot[p], scratchAddress(node, p), nullptr);
  return v;
}

Value *NestEmitter::vectorOf(unsigned i, unsigned part) {
  Value *v = eval(i, part);
  return uniform(nest.nodes[i]) ? b.splat(v, lanes) : v;
}

Value *NestEmitter::compute(unsigned i, unsigned part) {
  const Node &node = nest.nodes[i];
  switch (node.kind) {
  case Node::Load:
  case Node::Gather:
    return load(node, part);
  case Node::Window:
    return window(node, part);
  case Node::Constant:
    return constant(node);
  case Node::Iota:
    return iota(node, part);
  case Node::Random:
    return random(i, part);
  case Node::Body: {
    llvm::SmallVector<Value *> operands;
    for (unsigned operand : node.operands)
      operands.push_back(uniform(node) ? eval(operand, 0) : vectorOf(operand, part));
    return mlir::cast<ScalarBodyOpInterface>(node.op).emitScalar(b, operands);
  }
  case Node::Reduce:
    break;
  }
  llvm_unreachable("a reduction's value is set by its sweep");
}

Value *NestEmitter::constant(const Node &node) {
  llvm::Type *type = b.computeType(node.type);
  if (node.constantParam < 0)
    return type->isFloatingPointTy()
               ? static_cast<Value *>(llvm::ConstantFP::get(type, node.number))
               : llvm::ConstantInt::get(type, node.integer);
  Value *bits = k.params[node.constantParam];
  if (!type->isFloatingPointTy())
    return ir.CreateTrunc(bits, type);
  return ir.CreateFPCast(ir.CreateBitCast(bits, ir.getDoubleTy()), type);
}

Value *NestEmitter::strideValue(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int> params,
                                unsigned axis) {
  return params[axis] >= 0 ? k.params[params[axis]] : k.i64(strides[axis]);
}

// Sum of index times stride, in the order of the loops so that outer parts are computed outside.
Value *NestEmitter::offset(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int> params) {
  Value *sum = nullptr;
  for (unsigned axis = 0; axis < strides.size(); ++axis) {
    if (strides[axis] == 0)
      continue;
    Value *term = index[axis];
    if (params[axis] >= 0)
      term = ir.CreateMul(term, k.params[params[axis]]);
    sum = sum ? ir.CreateAdd(sum, term) : term;
  }
  return sum ? sum : k.i64(0);
}

Value *NestEmitter::laneOffsets(Value *stride, unsigned part) {
  llvm::SmallVector<uint64_t> ids(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    ids[lane] = part * lanes + lane;
  return ir.CreateMul(llvm::ConstantDataVector::get(ir.getContext(), ids), b.splat(stride, lanes));
}

// A masked load: outside of its guards nothing is read.
Value *NestEmitter::window(const Node &node, unsigned part) {
  const unsigned count = uniform(node) ? 1 : lanes;
  Value *inside =
      uniform(node) || !mask
          ? llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(ir.getInt1Ty(), count))
          : mask;
  Value *guarded = llvm::ConstantInt::getTrue(inside->getType());
  for (const Node::Guard &guard : node.guards) {
    Value *at = b.splat(offset(guard.strides, guard.strideParams), count);
    if (!uniform(node) && guard.strides[nest.vectorAxis] != 0)
      at = ir.CreateAdd(
          at, laneOffsets(strideValue(guard.strides, guard.strideParams, nest.vectorAxis), part));
    at = ir.CreateSub(at, b.splat(k.params[guard.lowParam], count));
    guarded =
        ir.CreateAnd(guarded, ir.CreateICmpULT(at, b.splat(k.params[guard.lengthParam], count)));
  }
  inside = ir.CreateAnd(inside, guarded);
  llvm::Type *type = b.memoryType(node.type);
  Value *base = address(node);
  Value *v;
  const int64_t along = uniform(node) ? 1 : node.strides[nest.vectorAxis];
  if (uniform(node) || (along == 1 && node.strideParams[nest.vectorAxis] < 0)) {
    v = k.loadVector(type, ir.CreateConstGEP1_64(type, base, part * lanes), count, inside);
  } else {
    Value *places =
        laneOffsets(strideValue(node.strides, node.strideParams, nest.vectorAxis), part);
    auto *vector = llvm::FixedVectorType::get(type, lanes);
    v = ir.CreateMaskedGather(vector, ir.CreateGEP(type, base, places),
                              llvm::Align(type->getScalarSizeInBits() / 8), inside,
                              llvm::Constant::getNullValue(vector));
  }
  v = b.fromMemory(v, node.type);
  if (uniform(node))
    return ir.CreateSelect(ir.CreateExtractElement(guarded, uint64_t{0}),
                           ir.CreateExtractElement(v, uint64_t{0}), eval(node.operands[0], 0));
  return ir.CreateSelect(guarded, v, vectorOf(node.operands[0], part));
}

Value *NestEmitter::address(const Node &node) {
  Value *at = offset(node.strides, node.strideParams);
  if (node.offsetParam >= 0)
    at = ir.CreateAdd(at, k.params[node.offsetParam]);
  return ir.CreateGEP(b.memoryType(node.type), k.operands[node.input], at);
}

Value *NestEmitter::load(const Node &node, unsigned part) {
  llvm::Type *type = b.memoryType(node.type);
  Value *base = address(node);
  Value *moving = nullptr; // element offsets of the lanes
  if (node.kind == Node::Gather) {
    const unsigned i = node.operands[0];
    Value *at = eval(i, part);
    at = ir.CreateSExt(at, BodyBuilder::withLanes(ir.getInt64Ty(), at));
    Value *last = ir.CreateSub(k.params[node.gatherExtent], k.i64(1));
    Value *stride = k.params[node.gatherStride];
    if (!uniform(nest.nodes[i])) {
      last = b.splat(last, lanes);
      stride = b.splat(stride, lanes);
    }
    at = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, last);
    at = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at, b.integer(at, 0));
    at = ir.CreateMul(at, stride);
    if (uniform(nest.nodes[i]))
      base = ir.CreateGEP(type, base, at);
    else
      moving = at;
  }
  if (uniform(node))
    return b.fromMemory(
        ir.CreateAlignedLoad(type, base, llvm::Align(type->getScalarSizeInBits() / 8)), node.type);
  const int64_t along = node.strides[nest.vectorAxis];
  if (!moving && along == 1 && node.strideParams[nest.vectorAxis] < 0)
    return b.fromMemory(
        k.loadVector(type, ir.CreateConstGEP1_64(type, base, part * lanes), lanes, mask),
        node.type);
  if (along != 0) {
    Value *offsets =
        laneOffsets(strideValue(node.strides, node.strideParams, nest.vectorAxis), part);
    moving = moving ? ir.CreateAdd(moving, offsets) : offsets;
  }
  Value *addresses = ir.CreateGEP(type, base, moving);
  auto *vector = llvm::FixedVectorType::get(type, lanes);
  Value *v = ir.CreateMaskedGather(vector, addresses, llvm::Align(type->getScalarSizeInBits() / 8),
                                   mask, llvm::Constant::getNullValue(vector));
  return b.fromMemory(v, node.type);
}

Value *NestEmitter::iota(const Node &node, unsigned part) {
  Value *v = offset(node.strides, node.strideParams);
  if (!uniform(node))
    v = ir.CreateAdd(
        b.splat(v, lanes),
        laneOffsets(strideValue(node.strides, node.strideParams, nest.vectorAxis), part));
  llvm::Type *type = BodyBuilder::withLanes(b.computeType(node.type), v);
  if (!type->isFPOrFPVectorTy())
    return ir.CreateTrunc(v, type);
  return b.round(ir.CreateSIToFP(v, type), node.type);
}

void NestEmitter::store(const Store &s, unsigned part) {
  const Node &node = nest.nodes[s.node];
  llvm::Type *type = b.memoryType(node.type);
  const bool vectors = nest.onVector(s.axes);
  if (!vectors && part != 0)
    return;
  Value *v = b.toMemory(vectors ? vectorOf(s.node, part) : eval(s.node, 0), node.type);
  Value *base =
      ir.CreateGEP(type, k.operands[nest.numInputs + s.result], offset(s.strides, s.strideParams));
  const llvm::Align align(type->getScalarSizeInBits() / 8);
  // Of the items that compute it, the first one stores it.
  Value *isFirst = nullptr;
  for (unsigned axis = 0; axis < nest.parallel; ++axis)
    if (!(s.axes >> axis & 1)) {
      Value *here = ir.CreateICmpEQ(index[axis], k.i64(0));
      isFirst = isFirst ? ir.CreateAnd(isFirst, here) : here;
    }
  auto write = [&] {
    if (!vectors) {
      ir.CreateAlignedStore(v, base, align);
    } else if (s.strides[nest.vectorAxis] == 1 && s.strideParams[nest.vectorAxis] < 0) {
      k.storeVector(v, ir.CreateConstGEP1_64(type, base, part * lanes), mask);
    } else {
      Value *stride = strideValue(s.strides, s.strideParams, nest.vectorAxis);
      ir.CreateMaskedScatter(v, ir.CreateGEP(type, base, laneOffsets(stride, part)), align, mask);
    }
  };
  if (isFirst)
    k.when(isFirst, write);
  else
    write();
}

// Saved values lie in the order of the sweep: one row's inner points, or a tile's vectors per inner
// point.
Value *NestEmitter::scratchAddress(const Node &node, unsigned part) {
  Value *linear = k.i64(0);
  for (unsigned axis = nest.parallel; axis < nest.extents.size(); ++axis)
    linear = ir.CreateAdd(ir.CreateMul(linear, k.params[axis]), index[axis]);
  if (!nest.vectorInner())
    linear = ir.CreateMul(linear, k.i64(int64_t{nest.unroll} * lanes));
  Value *base = ir.CreateGEP(ir.getInt8Ty(), k.scratch, k.params[node.scratchParam]);
  llvm::Type *type = b.computeType(node.type);
  return ir.CreateConstGEP1_64(type, ir.CreateGEP(type, base, linear), part * lanes);
}

Value *NestEmitter::identity(const Node &reduce, llvm::Type *type) {
  const bool isFloat = type->isFPOrFPVectorTy();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const unsigned bits = type->getScalarSizeInBits();
  const bool isUnsigned = reduce.type.isUnsignedInteger();
  if (mlir::isa<ReduceMaxOp>(reduce.op))
    return isFloat
               ? llvm::ConstantFP::get(type, -infinity)
               : llvm::ConstantInt::get(type, isUnsigned ? llvm::APInt::getMinValue(bits)
                                                         : llvm::APInt::getSignedMinValue(bits));
  if (mlir::isa<ReduceMinOp>(reduce.op))
    return isFloat
               ? llvm::ConstantFP::get(type, infinity)
               : llvm::ConstantInt::get(type, isUnsigned ? llvm::APInt::getMaxValue(bits)
                                                         : llvm::APInt::getSignedMaxValue(bits));
  const bool one = mlir::isa<ReduceProdOp, ReduceAllOp>(reduce.op);
  return isFloat ? llvm::ConstantFP::get(type, one) : llvm::ConstantInt::get(type, one);
}

Value *NestEmitter::combine(const Node &reduce, Value *a, Value *x) {
  const bool isFloat = a->getType()->isFPOrFPVectorTy();
  const bool isUnsigned = reduce.type.isUnsignedInteger();
  if (mlir::isa<ReduceSumOp>(reduce.op))
    return isFloat ? ir.CreateFAdd(a, x) : ir.CreateAdd(a, x);
  if (mlir::isa<ReduceProdOp>(reduce.op))
    return isFloat ? ir.CreateFMul(a, x) : ir.CreateMul(a, x);
  if (mlir::isa<ReduceMaxOp>(reduce.op))
    return isFloat ? b.maximum(a, x)
                   : ir.CreateBinaryIntrinsic(
                         isUnsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, a, x);
  if (mlir::isa<ReduceMinOp>(reduce.op))
    return isFloat ? b.minimum(a, x)
                   : ir.CreateBinaryIntrinsic(
                         isUnsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, a, x);
  return mlir::isa<ReduceAllOp>(reduce.op) ? ir.CreateAnd(a, x) : ir.CreateOr(a, x);
}

// Parts, then halves of the vector: an order that depends on the width only.
Value *NestEmitter::acrossLanes(const Node &reduce, llvm::ArrayRef<Value *> parts) {
  Values now(parts);
  while (now.size() > 1) {
    const size_t half = (now.size() + 1) / 2;
    for (size_t i = 0; i + half < now.size(); ++i)
      now[i] = combine(reduce, now[i], now[i + half]);
    now.resize(half);
  }
  Value *v = now[0];
  for (int width = lanes / 2; width >= 1; width /= 2) {
    llvm::SmallVector<int> low, high;
    for (int lane = 0; lane < width; ++lane) {
      low.push_back(lane);
      high.push_back(lane + width);
    }
    v = combine(reduce, ir.CreateShuffleVector(v, low), ir.CreateShuffleVector(v, high));
  }
  return ir.CreateExtractElement(v, uint64_t{0});
}

} // namespace raf::gen
