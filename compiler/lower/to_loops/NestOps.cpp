// What each op adds to a nest.
#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/NestBuilder.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace raf::gen {

GroupOps groupOf(KernelOp kernel) {
  GroupOps group;
  for (Operation &op : kernel.getBody().front().without_terminator())
    group.ops.push_back(&op);
  llvm::append_range(group.inputs, kernel.getBody().getArguments());
  llvm::append_range(group.outputs, kernel.getBody().front().getTerminator()->getOperands());
  return group;
}

GroupOps groupOf(llvm::ArrayRef<Operation *> ops, llvm::ArrayRef<Value> outputs) {
  GroupOps group;
  group.ops.assign(ops.begin(), ops.end());
  group.outputs.assign(outputs.begin(), outputs.end());
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SmallPtrSet<Value, 16> seen;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && seen.insert(operand).second)
        group.inputs.push_back(operand);
  return group;
}

bool NestBuilder::fail(const llvm::Twine &reason) {
  if (why.empty())
    why = reason.str();
  return false;
}

bool NestBuilder::fail(Operation *op, const llvm::Twine &reason) {
  return fail(op->getName().getStringRef() + ": " + reason);
}

NestBuilder::Dims NestBuilder::freshDims(llvm::ArrayRef<int64_t> shape) {
  Dims dims;
  for (int64_t extent : shape)
    dims.push_back(factors.dimension(extent));
  return dims;
}

std::optional<unsigned> NestBuilder::inputNumber(Value v) const {
  const auto *found = llvm::find(group.inputs, v);
  if (found == group.inputs.end())
    return std::nullopt;
  return found - group.inputs.begin();
}

unsigned NestBuilder::addNode(Node node, Terms nodeTerms) {
  nodes.push_back(std::move(node));
  terms.push_back(std::move(nodeTerms));
  return nodes.size() - 1;
}

std::optional<NestBuilder::Info> NestBuilder::use(Value v) {
  if (auto found = infos.find(v); found != infos.end())
    return found->second;
  std::optional<unsigned> number = inputNumber(v);
  if (!number) {
    fail("a value of the group comes from nowhere");
    return std::nullopt;
  }
  Info info{0, freshDims(shapeOf(v))};
  Node load(Node::Load);
  load.type = elementType(v);
  load.input = *number;
  Terms access;
  for (auto [dim, stride] : llvm::zip(info.dims, inputStrides[*number]))
    access.push_back({dim, stride});
  info.node = addNode(std::move(load), std::move(access));
  if (!perUse)
    infos[v] = info;
  return info;
}

bool NestBuilder::addElementwise(Operation *op) {
  Node body(Node::Body, op, elementType(op->getResult(0)));
  std::optional<Info> result;
  for (Value operand : op->getOperands()) {
    std::optional<Info> info = use(operand);
    if (!info)
      return false;
    body.operands.push_back(info->node);
    if (!result) {
      result = info;
      continue;
    }
    for (auto [a, b] : llvm::zip_equal(result->dims, info->dims))
      if (!factors.unify(a, b))
        return fail(op, "the operands' dimensions do not align");
  }
  body.expensive = isa<ExpOp, Expm1Op, LogOp, Log1pOp, SinOp, CosOp, TanOp, TanhOp, ErfOp,
                       SigmoidOp, PowOp, Atan2Op, RemainderOp>(op);
  result->node = addNode(std::move(body));
  infos[op->getResult(0)] = *result;
  return true;
}

bool NestBuilder::addReduce(Operation *op, llvm::ArrayRef<int64_t> dims) {
  std::optional<Info> x = use(op->getOperand(0));
  if (!x)
    return false;
  Reduction reduction{0, x->dims, {}};
  Info result{x->node, {}};
  for (auto [i, dim] : llvm::enumerate(x->dims))
    if (llvm::is_contained(dims, static_cast<int64_t>(i)))
      reduction.reduced.append(dim);
    else
      result.dims.push_back(dim);
  if (!reduction.reduced.empty()) { // over extents of 1 it is the operand itself
    Node node(Node::Reduce, op, elementType(op->getResult(0)));
    node.operands = {x->node};
    reduction.node = result.node = addNode(std::move(node));
    reductions.push_back(std::move(reduction));
  }
  infos[op->getResult(0)] = std::move(result);
  return true;
}

bool NestBuilder::addConstant(Operation *op) {
  auto constant = cast<ConstantOp>(op);
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return fail(op, "only a constant of one repeated value can be part of a group");
  Node node(Node::Constant, op, elementType(constant.getResult()));
  if (isa<FloatType>(node.type)) {
    llvm::APFloat value = dense.getSplatValue<llvm::APFloat>();
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    node.number = value.convertToDouble();
  } else {
    llvm::APInt value = dense.getSplatValue<llvm::APInt>();
    node.integer = node.type.isUnsignedInteger() || node.type.isInteger(1) ? value.getZExtValue()
                                                                           : value.getSExtValue();
  }
  Info info{0, freshDims(shapeOf(constant.getResult()))};
  info.node = addNode(std::move(node));
  infos[constant.getResult()] = std::move(info);
  return true;
}

// result[before..., i..., after...] = x[before..., indices[i...], after...]
bool NestBuilder::addTake(Operation *op, Value x, Value indices, int64_t dim) {
  std::optional<unsigned> input = inputNumber(x);
  if (!input)
    return fail(op, "what it reads from must be in memory, an input of the group");
  std::optional<Info> index = use(indices);
  if (!index)
    return false;
  Node node(Node::Gather, op, elementType(x));
  node.input = *input;
  node.operands = {index->node};
  Info result;
  Terms access;
  for (auto [i, extent, stride] : llvm::enumerate(shapeOf(x), inputStrides[*input])) {
    if (static_cast<int64_t>(i) == dim) {
      llvm::append_range(result.dims, index->dims);
      continue;
    }
    result.dims.push_back(factors.dimension(extent));
    access.push_back({result.dims.back(), stride});
  }
  node.integer = dim;
  result.node = addNode(std::move(node), std::move(access));
  infos[op->getResult(0)] = std::move(result);
  return true;
}

// result[..., i, ...] = x[..., indices[..., i, ...], ...]
bool NestBuilder::addGather(Operation *op, Value x, Value indices, int64_t dim) {
  std::optional<unsigned> input = inputNumber(x);
  if (!input)
    return fail(op, "what it reads from must be in memory, an input of the group");
  std::optional<Info> index = use(indices);
  if (!index)
    return false;
  Node node(Node::Gather, op, elementType(x));
  node.input = *input;
  node.operands = {index->node};
  node.integer = dim;
  Terms access;
  for (auto [i, stride] : llvm::enumerate(inputStrides[*input]))
    if (static_cast<int64_t>(i) != dim)
      access.push_back({index->dims[i], stride});
  Info result{addNode(std::move(node), std::move(access)), index->dims};
  infos[op->getResult(0)] = std::move(result);
  return true;
}

// Elements of an input at other places: they are read where they lie.
bool NestBuilder::addMoved(Operation *op) {
  std::optional<unsigned> input = inputNumber(op->getOperand(0));
  if (!input)
    return fail(op, "what it reads from must be in memory, an input of the group");
  Node node(Node::Load, op, elementType(op->getResult(0)));
  node.input = *input;
  Info result{0, freshDims(shapeOf(op->getResult(0)))};
  Terms access;
  for (auto [i, stride] : llvm::enumerate(inputStrides[*input])) {
    int64_t step = stride;
    if (auto slice = dyn_cast<SliceOp>(op)) {
      step *= slice.getStrides()[i];
      node.offset += slice.getStarts()[i] * stride;
    } else if (llvm::is_contained(cast<ReverseOp>(op).getDims(), static_cast<int64_t>(i))) {
      step = -stride;
      node.offset += (shapeOf(op->getOperand(0))[i] - 1) * stride;
    }
    access.push_back({result.dims[i], step});
  }
  result.node = addNode(std::move(node), std::move(access));
  infos[op->getResult(0)] = std::move(result);
  return true;
}

bool NestBuilder::addPad(Operation *op) {
  auto pad = cast<PadOp>(op);
  std::optional<unsigned> input = inputNumber(pad.getX());
  if (!input)
    return fail(op, "what it reads from must be in memory, an input of the group");
  std::optional<Info> value = use(pad.getValue());
  if (!value)
    return false;
  Node node(Node::Window, op, elementType(pad.getResult()));
  node.input = *input;
  node.operands = {value->node};
  Info result{0, freshDims(shapeOf(pad.getResult()))};
  Terms access;
  std::vector<Terms> guards;
  for (auto [i, stride] : llvm::enumerate(inputStrides[*input])) {
    // An extent of 1 has no factor: its index is 0 and nothing is added to it.
    const int64_t low = pad.getLow()[i], length = shapeOf(pad.getX())[i];
    node.offset -= low * stride;
    access.push_back({result.dims[i], stride});
    if (low == 0 && pad.getHigh()[i] == 0)
      continue;
    node.guards.push_back({{}, low, length, {}});
    guards.push_back({{result.dims[i], 1}});
  }
  result.node = addNode(std::move(node), std::move(access));
  guardTerms[result.node] = std::move(guards);
  infos[pad.getResult()] = std::move(result);
  return true;
}

// Each operand is a window over the ones before it.
bool NestBuilder::addConcat(Operation *op) {
  auto concat = cast<ConcatOp>(op);
  const int64_t dim = concat.getDim();
  Info result{0, freshDims(shapeOf(concat.getResult()))};
  Node nothing(Node::Constant, nullptr, elementType(concat.getResult()));
  result.node = addNode(std::move(nothing));
  int64_t start = 0;
  for (Value x : concat.getInputs()) {
    std::optional<unsigned> input = inputNumber(x);
    if (!input)
      return fail(op, "what it reads from must be in memory, an input of the group");
    Node node(Node::Window, op, elementType(x));
    node.input = *input;
    node.operands = {result.node};
    Terms access;
    for (auto [i, stride] : llvm::enumerate(inputStrides[*input]))
      access.push_back({result.dims[i], stride});
    node.offset = -start * inputStrides[*input][dim];
    node.guards.push_back({{}, start, shapeOf(x)[dim], {}});
    start += shapeOf(x)[dim];
    result.node = addNode(std::move(node), std::move(access));
    guardTerms[result.node] = {{{result.dims[dim], 1}}};
  }
  infos[concat.getResult()] = std::move(result);
  return true;
}

bool NestBuilder::addOp(Operation *op) {
  auto alias = [&](Value operand, auto &&dimsOf) {
    std::optional<Info> x = use(operand);
    if (!x)
      return false;
    std::optional<Dims> dims = dimsOf(x->dims);
    if (!dims)
      return false;
    infos[op->getResult(0)] = {x->node, std::move(*dims)};
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ConstantOp) { return addConstant(op); })
      .Case([&](TransposeOp transpose) {
        return alias(transpose.getX(), [&](const Dims &x) -> std::optional<Dims> {
          Dims dims;
          for (int64_t i : transpose.getPermutation())
            dims.push_back(x[i]);
          return dims;
        });
      })
      .Case([&](BroadcastOp broadcast) {
        return alias(broadcast.getX(), [&](const Dims &x) -> std::optional<Dims> {
          llvm::ArrayRef<int64_t> shape = shapeOf(broadcast.getResult());
          Dims dims(shape.size());
          llvm::SmallVector<bool> kept(shape.size());
          for (auto [i, dim] : llvm::enumerate(broadcast.getDimensions()))
            if (shapeOf(broadcast.getX())[i] == shape[dim]) {
              dims[dim] = x[i];
              kept[dim] = true;
            }
          for (size_t i = 0; i < shape.size(); ++i)
            if (!kept[i])
              dims[i] = factors.dimension(shape[i]);
          return dims;
        });
      })
      .Case([&](ReshapeOp reshape) {
        return alias(reshape.getX(), [&](const Dims &x) -> std::optional<Dims> {
          Dims dims = freshDims(shapeOf(reshape.getResult()));
          FactorList from, to;
          for (const FactorList &dim : x)
            from.append(dim);
          for (const FactorList &dim : dims)
            to.append(dim);
          if (!factors.unify(from, to)) {
            fail(op, "the extents of operand and result do not align");
            return std::nullopt;
          }
          return dims;
        });
      })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAnyOp, ReduceAllOp>(
          [&](auto reduce) { return addReduce(op, reduce.getDims()); })
      .Case([&](IotaOp iota) {
        Info info{0, freshDims(shapeOf(iota.getResult()))};
        Node node(Node::Iota, op, elementType(iota.getResult()));
        info.node = addNode(std::move(node), {{info.dims[iota.getDim()], 1}});
        infos[iota.getResult()] = std::move(info);
        return true;
      })
      .Case<UniformOp, NormalOp>([&](auto random) {
        std::optional<unsigned> key = inputNumber(random.getKey());
        if (!key)
          return fail(op, "its key must be an input of the group");
        Info info{0, freshDims(shapeOf(random.getResult()))};
        Node node(Node::Random, op, elementType(random.getResult()));
        node.input = *key;
        node.integer = random.getId();
        node.expensive = true;
        Terms index;
        for (auto [dim, stride] :
             llvm::zip(info.dims, contiguousStrides(shapeOf(random.getResult()))))
          index.push_back({dim, stride});
        info.node = addNode(std::move(node), std::move(index));
        infos[random.getResult()] = std::move(info);
        return true;
      })
      .Case<SliceOp, ReverseOp>([&](auto) { return addMoved(op); })
      .Case([&](PadOp) { return addPad(op); })
      .Case([&](ConcatOp) { return addConcat(op); })
      .Case([&](EmbeddingOp e) { return addTake(op, e.getWeight(), e.getIds(), 0); })
      .Case([&](TakeOp take) { return addTake(op, take.getX(), take.getIndices(), take.getDim()); })
      .Case([&](GatherOp g) { return addGather(op, g.getX(), g.getIndices(), g.getDim()); })
      .Default([&](Operation *) {
        if (isa<ScalarBodyOpInterface>(op))
          return addElementwise(op);
        return fail(op, isa<DecomposableOpInterface>(op) ? "a composite op must be decomposed first"
                                                         : "it cannot be part of a fused group");
      });
}

} // namespace raf::gen
