// The model builder: writes a forward model in C++ as RAF's zoo does. docs/guides/write-a-model.md
// walks through one.
//
//   build::Graph g(context);
//   build::Tensor x = g.input("x", {32, 784}), y = g.input("labels", {32}, DType::I64);
//   build::Tensor h = relu(linear(g, "fc1", x, 256));
//   g.output("loss", crossEntropy(linear(g, "fc2", h, 10), y));
//   mlir::OwningOpRef<mlir::ModuleOp> module = g.finish();
//
// Every function throws ShapeError, naming the op and the module path, when its operands do not
// fit.
#pragma once

#include "common/DType.h"
#include "compiler/ir/Raf.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace raf::build {

class Graph;
using Shape = llvm::SmallVector<int64_t>;

/// A value of the graph under construction. Cheap to copy; lives as long as its Graph.
class Tensor {
public:
  Tensor() = default;
  Tensor(Graph *graph, mlir::Value value) : owner(graph), ssa(value) {}

  Graph &graph() const { return *owner; }
  mlir::Value value() const { return ssa; }
  llvm::ArrayRef<int64_t> shape() const { return shapeOf(ssa); }
  int64_t dim(int64_t i) const { return shape()[i < 0 ? i + rank() : i]; }
  int64_t rank() const { return rankOf(ssa); }
  explicit operator bool() const { return static_cast<bool>(ssa); }

private:
  Graph *owner = nullptr;
  mlir::Value ssa;
};

struct ParameterOptions {
  bool decay = true; // false: no weight decay by default (biases, norms)
  bool frozen = false;
};

/// A function @forward being built. Parameters and inputs become its arguments in the order they
/// are declared.
class Graph {
public:
  explicit Graph(mlir::MLIRContext &context);

  /// Batch input; `name` is what data files and callers use.
  Tensor input(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, DType dtype = DType::F32);
  /// Parameter named after the open scopes ("h.0.attn." + name). `init` as in StateTensor.init of
  /// the executable.
  Tensor parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape, const std::string &init,
                   ParameterOptions options = {});
  /// Rank-0 constant.
  Tensor constant(double value, DType dtype = DType::F32);
  /// The (seed, step) key of random ops; an argument that appears with its first use.
  Tensor key();
  /// A fresh random-op id.
  int64_t nextRandomId() { return randomId++; }
  /// Result of @forward; the loss comes first. `updates` names the buffer this result replaces.
  void output(llvm::StringRef name, Tensor value, llvm::StringRef updates = "");
  /// Verifies and hands over the module. Throws Error when an op is malformed.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  /// Prefixes parameter names and locations while it lives.
  class Scope {
  public:
    Scope(Graph &graph, llvm::StringRef name);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    Graph &graph;
    size_t length;
  };

  /// Creates op `Op`; result types are inferred unless given. A null operand is an optional one
  /// left out. The general way to use an op that has no function below.
  template <typename Op>
  std::vector<Tensor> emit(llvm::ArrayRef<mlir::Value> operands,
                           llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                           mlir::TypeRange types = {});

  mlir::OpBuilder &builder() { return opBuilder; }
  /// The open scopes as a location; what ops made by hand should carry.
  mlir::Location location() const;
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value) {
    return opBuilder.getNamedAttr(name, opBuilder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, double value) {
    return opBuilder.getNamedAttr(name, opBuilder.getF64FloatAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, llvm::ArrayRef<int64_t> value) {
    return opBuilder.getNamedAttr(name, opBuilder.getDenseI64ArrayAttr(value));
  }
  mlir::NamedAttribute flag(llvm::StringRef name) {
    return opBuilder.getNamedAttr(name, opBuilder.getUnitAttr());
  }
  mlir::Type elementType(DType dtype);

private:
  /// Collects diagnostics while it lives and throws them as one ShapeError.
  class Complaints {
  public:
    explicit Complaints(Graph &graph);
    [[noreturn]] void raise();

  private:
    Graph &graph;
    std::string text;
    mlir::ScopedDiagnosticHandler handler;
  };

  mlir::Value addArgument(llvm::StringRef name, mlir::RankedTensorType type,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);

  std::vector<Tensor> finishOp(mlir::OperationState &state);

  mlir::OpBuilder opBuilder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::DictionaryAttr> resultAttrs;
  llvm::SmallVector<mlir::Value> results;
  std::string path;
  Tensor keyArgument;
  int64_t randomId = 0;
};

// Element by element, with NumPy broadcasting.
Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
Tensor operator/(Tensor a, Tensor b);
Tensor operator*(Tensor a, double s);
Tensor operator+(Tensor a, double s);
Tensor operator-(Tensor a);
Tensor relu(Tensor x);
Tensor tanh(Tensor x);
Tensor sin(Tensor x);
Tensor cos(Tensor x);
Tensor exp(Tensor x);
Tensor silu(Tensor x);
Tensor gelu(Tensor x, bool tanhApproximation = false);

// Shape.
Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape); // one extent may be -1
Tensor transpose(Tensor x, llvm::ArrayRef<int64_t> permutation);
Tensor broadcastTo(Tensor x, llvm::ArrayRef<int64_t> shape);
Tensor slice(Tensor x, int64_t dim, int64_t start, int64_t limit);
Tensor concat(llvm::ArrayRef<Tensor> xs, int64_t dim);
Tensor iota(Graph &g, llvm::ArrayRef<int64_t> shape, int64_t dim, DType dtype);

// Whole operators.
Tensor mean(Tensor x, llvm::ArrayRef<int64_t> dims);
Tensor matmul(Tensor a, Tensor b, bool transposeA = false, bool transposeB = false);
Tensor softmax(Tensor x, int64_t dim);
Tensor dropout(Tensor x, double p); // x itself when p is 0
struct AttentionOptions {
  bool causal = false;
  double dropout = 0;
  double scale = 0; // 0: 1 / sqrt(head size)
};
/// q (B, Hq, T, D), k and v (B, Hk, S, D) -> (B, Hq, T, D).
Tensor attention(Tensor q, Tensor k, Tensor v, AttentionOptions options = {});
/// logits (..., C), labels (...) -> mean over labels other than -100.
Tensor crossEntropy(Tensor logits, Tensor labels, double labelSmoothing = 0);

// Modules: an operator with its parameters under scope `name`.
struct LinearOptions {
  bool bias = true;
  std::string init = "normal(0,0.02)";
};
/// (..., in) -> (..., out) with weight (out, in).
Tensor linear(Graph &g, llvm::StringRef name, Tensor x, int64_t out, LinearOptions options = {});
/// Product with a given weight (out, in): tied output heads.
Tensor linearWith(Tensor x, Tensor weight);
Tensor layerNorm(Graph &g, llvm::StringRef name, Tensor x, double eps = 1e-5);
Tensor rmsNorm(Graph &g, llvm::StringRef name, Tensor x, double eps = 1e-5);
/// The table (rows, width) and its lookup.
Tensor embeddingTable(Graph &g, llvm::StringRef name, int64_t rows, int64_t width,
                      const std::string &init = "normal(0,0.02)");
Tensor embedding(Tensor table, Tensor ids);

// --- implementation of the template ---

template <typename Op>
std::vector<Tensor> Graph::emit(llvm::ArrayRef<mlir::Value> operands,
                                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                                mlir::TypeRange types) {
  mlir::OperationState state(location(), Op::getOperationName());
  llvm::SmallVector<int32_t> segments;
  for (mlir::Value operand : operands) {
    segments.push_back(operand ? 1 : 0);
    if (operand)
      state.operands.push_back(operand);
  }
  state.addAttributes(attributes);
  if constexpr (Op::template hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", opBuilder.getDenseI32ArrayAttr(segments));
  state.addTypes(types);
  if constexpr (Op::template hasTrait<mlir::InferTypeOpInterface::Trait>()) {
    if (types.empty()) {
      mlir::DictionaryAttr dictionary = state.attributes.getDictionary(opBuilder.getContext());
      auto infer = [&](mlir::OpaqueProperties properties) {
        return Op::inferReturnTypes(opBuilder.getContext(), state.location, state.operands,
                                    dictionary, properties, {}, state.types);
      };
      Complaints complaints(*this);
      mlir::LogicalResult inferred = mlir::success();
      if constexpr (requires { typename Op::Properties; }) {
        typename Op::Properties properties{};
        if constexpr (requires { Op::populateDefaultProperties(state.name, properties); })
          Op::populateDefaultProperties(state.name, properties);
        inferred = Op::setPropertiesFromAttr(properties, dictionary,
                                             [&] { return mlir::emitError(state.location); });
        if (mlir::succeeded(inferred))
          inferred = infer(&properties);
      } else {
        inferred = infer(nullptr);
      }
      if (mlir::failed(inferred))
        complaints.raise();
    }
  }
  return finishOp(state);
}

} // namespace raf::build
