#include "compiler/import/builder/Builder.h"

#include "common/Error.h"

#include "mlir/IR/Verifier.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;

namespace raf::build {

Graph::Graph(MLIRContext &context) : opBuilder(&context) {
  context.loadDialect<RafDialect, func::FuncDialect>();
  module = ModuleOp::create(UnknownLoc::get(&context));
  opBuilder.setInsertionPointToEnd(module->getBody());
  function = opBuilder.create<func::FuncOp>(UnknownLoc::get(&context), "forward",
                                            opBuilder.getFunctionType({}, {}));
  opBuilder.setInsertionPointToEnd(function.addEntryBlock());
}

Graph::Complaints::Complaints(Graph &graph)
    : graph(graph), handler(graph.opBuilder.getContext(), [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text += (text.empty() ? "" : "; ") + diagnostic.str();
      }) {}

void Graph::Complaints::raise() {
  throw ShapeError(graph.path.empty() ? text : graph.path + ": " + text);
}

Location Graph::location() const {
  MLIRContext *context = opBuilder.getContext();
  Location unknown = UnknownLoc::get(context);
  if (path.empty())
    return unknown;
  return NameLoc::get(StringAttr::get(context, path), unknown);
}

Type Graph::elementType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return opBuilder.getF32Type();
  case DType::F64:
    return opBuilder.getF64Type();
  case DType::BF16:
    return opBuilder.getBF16Type();
  case DType::F16:
    return opBuilder.getF16Type();
  case DType::I1:
    return opBuilder.getI1Type();
  case DType::I8:
    return opBuilder.getI8Type();
  case DType::I16:
    return opBuilder.getI16Type();
  case DType::I32:
    return opBuilder.getI32Type();
  case DType::I64:
    return opBuilder.getI64Type();
  case DType::U8:
    return opBuilder.getIntegerType(8, /*isSigned=*/false);
  }
  throw Error(fmt::format("unknown dtype {}", static_cast<int>(dtype)));
}

Value Graph::addArgument(llvm::StringRef name, RankedTensorType type,
                         llvm::ArrayRef<NamedAttribute> attributes) {
  llvm::SmallVector<NamedAttribute> all(attributes);
  all.push_back(opBuilder.getNamedAttr(names::kName, opBuilder.getStringAttr(name)));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttrOfType<StringAttr>(i, names::kName).getValue() == name)
      throw UsageError(fmt::format("model builder: the name '{}' is used twice", name.str()));
  function.insertArgument(function.getNumArguments(), type, opBuilder.getDictionaryAttr(all),
                          location());
  return function.getArguments().back();
}

Tensor Graph::input(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, DType dtype) {
  return {this,
          addArgument(name, RankedTensorType::get(shape, elementType(dtype)),
                      {opBuilder.getNamedAttr(names::kKind, opBuilder.getStringAttr("input"))})};
}

Tensor Graph::parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                        const std::string &init, ParameterOptions options) {
  llvm::SmallVector<NamedAttribute> attributes = {
      opBuilder.getNamedAttr(names::kKind, opBuilder.getStringAttr("param")),
      opBuilder.getNamedAttr(names::kInit, opBuilder.getStringAttr(init))};
  if (options.frozen)
    attributes.push_back(opBuilder.getNamedAttr(names::kFrozen, opBuilder.getUnitAttr()));
  if (!options.decay)
    attributes.push_back(opBuilder.getNamedAttr(names::kNoDecay, opBuilder.getUnitAttr()));
  std::string full = path.empty() ? name.str() : path + "." + name.str();
  return {this,
          addArgument(full, RankedTensorType::get(shape, opBuilder.getF32Type()), attributes)};
}

Tensor Graph::constant(double value, DType dtype) {
  return {this, scalarConstant(opBuilder, location(), value, elementType(dtype))};
}

Tensor Graph::key() {
  if (!keyArgument)
    keyArgument = {
        this, addArgument("key", RankedTensorType::get({2}, opBuilder.getI64Type()),
                          {opBuilder.getNamedAttr(names::kKind, opBuilder.getStringAttr("key"))})};
  return keyArgument;
}

void Graph::output(llvm::StringRef name, Tensor value, llvm::StringRef updates) {
  llvm::SmallVector<NamedAttribute> attributes = {
      opBuilder.getNamedAttr(names::kName, opBuilder.getStringAttr(name))};
  if (!updates.empty())
    attributes.push_back(opBuilder.getNamedAttr(names::kUpdates, opBuilder.getStringAttr(updates)));
  resultAttrs.push_back(opBuilder.getDictionaryAttr(attributes));
  results.push_back(value.value());
}

OwningOpRef<ModuleOp> Graph::finish() {
  opBuilder.create<func::ReturnOp>(location(), results);
  function.setFunctionType(
      opBuilder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(resultAttrs);
  Complaints complaints(*this);
  if (failed(verify(*module)))
    complaints.raise();
  return std::move(module);
}

std::vector<Tensor> Graph::finishOp(OperationState &state) {
  Operation *op = opBuilder.create(state);
  Complaints complaints(*this);
  if (failed(verify(op)))
    complaints.raise();
  std::vector<Tensor> out;
  for (Value result : op->getResults())
    out.push_back({this, result});
  return out;
}

Graph::Scope::Scope(Graph &graph, llvm::StringRef name) : graph(graph), length(graph.path.size()) {
  graph.path += (graph.path.empty() ? "" : ".") + name.str();
}

Graph::Scope::~Scope() { graph.path.resize(length); }

// --- functions on tensors ---

namespace {

/// NumPy's broadcast of two shapes; throws ShapeError when they do not fit.
Shape broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw ShapeError(
          fmt::format("model builder: expected shapes that broadcast, but got ({}) and ({})",
                      fmt::join(a, ", "), fmt::join(b, ", ")));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

template <typename Op> Tensor unary(Tensor x) {
  return x.graph().emit<Op>({x.value()}, {}, x.value().getType())[0];
}

template <typename Op> Tensor binary(Tensor a, Tensor b) {
  Shape shape = broadcastShape(a.shape(), b.shape());
  Tensor x = broadcastTo(a, shape), y = broadcastTo(b, shape);
  return x.graph().emit<Op>({x.value(), y.value()}, {}, x.value().getType())[0];
}

Tensor scalarLike(Tensor x, double value) {
  Graph &g = x.graph();
  return {&g, scalarConstant(g.builder(), g.location(), value, elementType(x.value()))};
}

RankedTensorType withShape(Tensor x, llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, elementType(x.value()));
}

int64_t wrap(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

} // namespace

Tensor operator+(Tensor a, Tensor b) { return binary<AddOp>(a, b); }
Tensor operator-(Tensor a, Tensor b) { return binary<SubOp>(a, b); }
Tensor operator*(Tensor a, Tensor b) { return binary<MulOp>(a, b); }
Tensor operator/(Tensor a, Tensor b) { return binary<DivOp>(a, b); }
Tensor operator*(Tensor a, double s) { return binary<MulOp>(a, scalarLike(a, s)); }
Tensor operator+(Tensor a, double s) { return binary<AddOp>(a, scalarLike(a, s)); }
Tensor operator-(Tensor a) { return unary<NegOp>(a); }
Tensor relu(Tensor x) { return unary<ReluOp>(x); }
Tensor tanh(Tensor x) { return unary<TanhOp>(x); }
Tensor sin(Tensor x) { return unary<SinOp>(x); }
Tensor cos(Tensor x) { return unary<CosOp>(x); }
Tensor exp(Tensor x) { return unary<ExpOp>(x); }
Tensor silu(Tensor x) { return unary<SiluOp>(x); }

Tensor gelu(Tensor x, bool tanhApproximation) {
  Graph &g = x.graph();
  llvm::SmallVector<NamedAttribute> attributes;
  if (tanhApproximation)
    attributes.push_back(g.flag("tanh"));
  return g.emit<GeluOp>({x.value()}, attributes, x.value().getType())[0];
}

Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape) {
  Shape to(shape);
  int64_t known = 1, unknown = -1;
  for (auto [i, extent] : llvm::enumerate(to)) {
    if (extent == -1)
      unknown = static_cast<int64_t>(i);
    else
      known *= extent;
  }
  if (unknown >= 0 && known > 0)
    to[unknown] = tensorType(x.value()).getNumElements() / known;
  if (llvm::ArrayRef<int64_t>(to) == x.shape())
    return x;
  return x.graph().emit<ReshapeOp>({x.value()}, {}, withShape(x, to))[0];
}

Tensor transpose(Tensor x, llvm::ArrayRef<int64_t> permutation) {
  return x.graph().emit<TransposeOp>({x.value()}, {x.graph().attr("permutation", permutation)})[0];
}

Tensor broadcastTo(Tensor x, llvm::ArrayRef<int64_t> shape) {
  if (x.shape() == shape)
    return x;
  Shape dimensions;
  for (int64_t i = 0; i < x.rank(); ++i)
    dimensions.push_back(static_cast<int64_t>(shape.size()) - x.rank() + i);
  return x.graph().emit<BroadcastOp>({x.value()}, {x.graph().attr("dimensions", dimensions)},
                                     withShape(x, shape))[0];
}

Tensor slice(Tensor x, int64_t dim, int64_t start, int64_t limit) {
  Shape starts(x.rank(), 0), limits(x.shape()), strides(x.rank(), 1);
  starts[wrap(dim, x.rank())] = start;
  limits[wrap(dim, x.rank())] = limit;
  Graph &g = x.graph();
  return g.emit<SliceOp>({x.value()}, {g.attr("starts", starts), g.attr("limits", limits),
                                       g.attr("strides", strides)})[0];
}

Tensor concat(llvm::ArrayRef<Tensor> xs, int64_t dim) {
  llvm::SmallVector<Value> values;
  for (Tensor x : xs)
    values.push_back(x.value());
  Graph &g = xs.front().graph();
  return g.emit<ConcatOp>(values, {g.attr("dim", wrap(dim, xs.front().rank()))})[0];
}

Tensor iota(Graph &g, llvm::ArrayRef<int64_t> shape, int64_t dim, DType dtype) {
  return g.emit<IotaOp>({}, {g.attr("dim", dim)},
                        RankedTensorType::get(shape, g.elementType(dtype)))[0];
}

Tensor mean(Tensor x, llvm::ArrayRef<int64_t> dims) {
  return x.graph().emit<MeanOp>({x.value()}, {x.graph().attr("dims", dims)})[0];
}

Tensor matmul(Tensor a, Tensor b, bool transposeA, bool transposeB) {
  Graph &g = a.graph();
  llvm::SmallVector<NamedAttribute> attributes;
  if (transposeA)
    attributes.push_back(g.flag("transpose_a"));
  if (transposeB)
    attributes.push_back(g.flag("transpose_b"));
  return g.emit<MatmulOp>({a.value(), b.value()}, attributes)[0];
}

Tensor softmax(Tensor x, int64_t dim) {
  return x.graph().emit<SoftmaxOp>({x.value()}, {x.graph().attr("dim", wrap(dim, x.rank()))},
                                   x.value().getType())[0];
}

Tensor dropout(Tensor x, double p) {
  if (p == 0)
    return x;
  Graph &g = x.graph();
  return g.emit<DropoutOp>({x.value(), g.key().value()},
                           {g.attr("p", p), g.attr("id", g.nextRandomId())},
                           x.value().getType())[0];
}

Tensor attention(Tensor q, Tensor k, Tensor v, AttentionOptions options) {
  Graph &g = q.graph();
  double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(q.dim(-1)));
  llvm::SmallVector<NamedAttribute> attributes = {g.attr("scale", scale)};
  if (options.causal)
    attributes.push_back(g.flag("causal"));
  Value key;
  if (options.dropout > 0) {
    key = g.key().value();
    attributes.push_back(g.attr("dropout", options.dropout));
    attributes.push_back(g.attr("id", g.nextRandomId()));
  }
  return g.emit<AttentionOp>({q.value(), k.value(), v.value(), Value(), key}, attributes)[0];
}

Tensor crossEntropy(Tensor logits, Tensor labels, double labelSmoothing) {
  Graph &g = logits.graph();
  Tensor flat = reshape(logits, {-1, logits.dim(-1)}), targets = reshape(labels, {-1});
  llvm::SmallVector<NamedAttribute> attributes = {g.builder().getNamedAttr(
      "reduction", ReductionAttr::get(g.builder().getContext(), Reduction::mean))};
  if (labelSmoothing != 0)
    attributes.push_back(g.attr("label_smoothing", labelSmoothing));
  return g.emit<CrossEntropyOp>({flat.value(), targets.value(), Value()}, attributes)[0];
}

Tensor linearWith(Tensor x, Tensor weight) {
  Shape out(x.shape());
  out.back() = weight.dim(0);
  return reshape(matmul(reshape(x, {-1, x.dim(-1)}), weight, false, true), out);
}

Tensor linear(Graph &g, llvm::StringRef name, Tensor x, int64_t out, LinearOptions options) {
  Graph::Scope scope(g, name);
  Tensor weight = g.parameter("weight", {out, x.dim(-1)}, options.init);
  Tensor flat = matmul(reshape(x, {-1, x.dim(-1)}), weight, false, true);
  if (options.bias)
    flat = flat + g.parameter("bias", {out}, "zeros", {.decay = false});
  Shape shape(x.shape());
  shape.back() = out;
  return reshape(flat, shape);
}

Tensor layerNorm(Graph &g, llvm::StringRef name, Tensor x, double eps) {
  Graph::Scope scope(g, name);
  Tensor weight = g.parameter("weight", {x.dim(-1)}, "ones", {.decay = false});
  Tensor bias = g.parameter("bias", {x.dim(-1)}, "zeros", {.decay = false});
  return g.emit<LayerNormOp>({x.value(), weight.value(), bias.value()},
                             {g.attr("axes", int64_t(1)), g.attr("eps", eps)})[0];
}

Tensor rmsNorm(Graph &g, llvm::StringRef name, Tensor x, double eps) {
  Graph::Scope scope(g, name);
  Tensor weight = g.parameter("weight", {x.dim(-1)}, "ones", {.decay = false});
  return g.emit<RmsNormOp>({x.value(), weight.value()},
                           {g.attr("axes", int64_t(1)), g.attr("eps", eps)})[0];
}

Tensor embeddingTable(Graph &g, llvm::StringRef name, int64_t rows, int64_t width,
                      const std::string &init) {
  Graph::Scope scope(g, name);
  return g.parameter("weight", {rows, width}, init);
}

Tensor embedding(Tensor table, Tensor ids) {
  return table.graph().emit<EmbeddingOp>({table.value(), ids.value()})[0];
}

} // namespace raf::build
