#include "compiler/api/Tools.h"

#include "common/Error.h"
#include "compiler/pipeline/Registration.h"
#include "compiler/reference/Interpreter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <mutex>

using namespace mlir;

namespace raf::tools {
namespace {

/// A context with all dialects, the diagnostics of which become one Error.
class Workbench {
public:
  Workbench()
      : context(registry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty())
            message = text(diagnostic);
        }) {
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(const std::string &source) {
    auto module = parseSourceString<ModuleOp>(source, ParserConfig(&context), "module");
    if (!module)
      fail();
    return module;
  }

  func::FuncOp find(ModuleOp module, const std::string &name) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      throw Error("expected a function @" + name + " in the module");
    return function;
  }

  [[noreturn]] void fail() { throw Error(message.empty() ? "failed without a message" : message); }

  MLIRContext context;

private:
  static DialectRegistry registry() {
    DialectRegistry dialects;
    registerDialects(dialects);
    return dialects;
  }

  static std::string text(Diagnostic &diagnostic) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    if (auto location = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      stream << location.getFilename().strref() << ':' << location.getLine() << ':'
             << location.getColumn() << ": ";
    stream << diagnostic;
    return result;
  }

  std::string message;
  ScopedDiagnosticHandler handler;
};

ArrayType typeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    throw ShapeError("expected static tensors in the signature");
  return {dtypeOf(tensor.getElementType()), tensor.getShape().vec()};
}

HostTensor toHost(const ArrayView &view) {
  int64_t count = 1;
  for (int64_t extent : view.type.shape)
    if (extent < 0 || (count *= extent) > HostTensor::kMaxElements)
      throw ShapeError("expected extents >= 0 and at most " +
                       std::to_string(HostTensor::kMaxElements) + " elements");
  if (view.bytes.size() != static_cast<size_t>(count) * sizeOf(view.type.dtype))
    throw ShapeError("expected " + std::to_string(count * sizeOf(view.type.dtype)) +
                     " bytes, but got " + std::to_string(view.bytes.size()));
  return {view.type.dtype, view.type.shape, view.bytes.data()};
}

Array toArray(const HostTensor &tensor) {
  Array array{{tensor.dtype(), tensor.shape().vec()}, {}};
  array.bytes.resize(static_cast<size_t>(tensor.size()) * sizeOf(tensor.dtype()));
  tensor.write(array.bytes.data());
  return array;
}

} // namespace

std::string transform(const std::string &source, const std::string &pipeline) {
  static std::once_flag registered;
  std::call_once(registered, registerPasses);
  Workbench bench;
  OwningOpRef<ModuleOp> module = bench.parse(source);
  PassManager passes = PassManager::on<ModuleOp>(&bench.context);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (failed(parsePassPipeline(pipeline, passes, problems)))
    throw UsageError(problems.str());
  if (failed(passes.run(*module)))
    bench.fail();
  std::string result;
  llvm::raw_string_ostream stream(result);
  module->print(stream);
  return stream.str();
}

Signature signature(const std::string &source, const std::string &name) {
  Workbench bench;
  OwningOpRef<ModuleOp> module = bench.parse(source);
  func::FuncOp function = bench.find(*module, name);
  Signature result;
  for (Type type : function.getArgumentTypes())
    result.arguments.push_back(typeOf(type));
  for (Type type : function.getResultTypes())
    result.results.push_back(typeOf(type));
  return result;
}

std::vector<Array> evaluate(const std::string &source, const std::string &name,
                            std::span<const ArrayView> arguments, bool float64) {
  Workbench bench;
  OwningOpRef<ModuleOp> module = bench.parse(source);
  llvm::SmallVector<HostTensor> tensors;
  for (const ArrayView &view : arguments)
    tensors.push_back(toHost(view));
  auto results = raf::evaluate(bench.find(*module, name), tensors,
                               float64 ? Precision::Float64 : Precision::Exact);
  if (failed(results))
    bench.fail();
  std::vector<Array> arrays;
  for (const HostTensor &tensor : *results)
    arrays.push_back(toArray(tensor));
  return arrays;
}

std::vector<OpInfo> registeredOps() {
  Workbench bench;
  std::vector<OpInfo> ops;
  for (RegisteredOperationName op : bench.context.getRegisteredOperations()) {
    if (!llvm::is_contained({"raf", "gen", "onednn", "rt"}, op.getDialectNamespace()))
      continue;
    OpInfo &info = ops.emplace_back(OpInfo{op.getStringRef().str(), {}});
    auto note = [&](bool has, const char *name) {
      if (has)
        info.interfaces.push_back(name);
    };
    note(op.hasInterface<CastPolicyOpInterface>(), "cast_policy");
    note(op.hasInterface<CostOpInterface>(), "cost");
    note(op.hasInterface<ShardableOpInterface>(), "shardable");
    note(op.hasInterface<DifferentiableOpInterface>(), "differentiable");
    note(op.hasInterface<DecomposableOpInterface>(), "decomposable");
    note(op.hasInterface<ScalarBodyOpInterface>(), "scalar_body");
    note(op.hasInterface<LoopNestOpInterface>(), "loop_nest");
    note(op.hasInterface<KernelOpInterface>(), "kernel");
    note(op.hasInterface<LibraryCallOpInterface>(), "library_call");
    note(op.hasInterface<ReferenceOpInterface>(), "reference");
  }
  return ops;
}

} // namespace raf::tools
