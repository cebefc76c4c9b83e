#include "compiler/differentiate/Functions.h"

using namespace mlir;

namespace raf {
namespace {

llvm::StringRef stringIn(DictionaryAttr attributes, llvm::StringRef key) {
  auto s = attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
  return s ? s.getValue() : llvm::StringRef();
}

} // namespace

llvm::StringRef FunctionResult::name() const { return stringIn(attributes, names::kName); }
llvm::StringRef FunctionResult::updates() const { return stringIn(attributes, names::kUpdates); }

llvm::StringRef argumentName(func::FuncOp f, unsigned i) {
  return stringIn(f.getArgAttrDict(i), names::kName);
}
llvm::StringRef argumentKind(func::FuncOp f, unsigned i) {
  return stringIn(f.getArgAttrDict(i), names::kKind);
}
bool hasArgumentFlag(func::FuncOp f, unsigned i, llvm::StringRef flag) {
  return static_cast<bool>(f.getArgAttr(i, flag));
}

std::vector<FunctionResult> resultsOf(func::FuncOp f) {
  std::vector<FunctionResult> results;
  for (auto [i, v] : llvm::enumerate(f.getBody().front().getTerminator()->getOperands()))
    results.push_back({v, f.getResultAttrDict(i)});
  return results;
}

void setResults(func::FuncOp f, llvm::ArrayRef<FunctionResult> results) {
  llvm::SmallVector<Value> values;
  llvm::SmallVector<DictionaryAttr> attributes;
  for (const FunctionResult &r : results) {
    values.push_back(r.value);
    attributes.push_back(r.attributes ? r.attributes : DictionaryAttr::get(f.getContext()));
  }
  f.getBody().front().getTerminator()->setOperands(values);
  f.removeResAttrsAttr();
  f.setFunctionType(
      FunctionType::get(f.getContext(), f.getArgumentTypes(), ValueRange(values).getTypes()));
  f.setAllResultAttrs(attributes);
}

FunctionResult namedResult(Value value, llvm::StringRef name) {
  Builder b(value.getContext());
  return {value, b.getDictionaryAttr(b.getNamedAttr(names::kName, b.getStringAttr(name)))};
}

func::FuncOp lookupFunction(ModuleOp module, llvm::StringRef name) {
  auto f = module.lookupSymbol<func::FuncOp>(name);
  if (!f || f.isExternal()) {
    module.emitError() << "expected a function @" << name << " with a body";
    return {};
  }
  if (!f.getBody().hasOneBlock()) {
    f.emitOpError("expected a single block");
    return {};
  }
  return f;
}

func::FuncOp copyFunction(ModuleOp module, func::FuncOp f, llvm::StringRef name) {
  if (auto earlier = module.lookupSymbol<func::FuncOp>(name); earlier && earlier != f)
    earlier.erase();
  func::FuncOp copy = f.clone();
  copy.setName(name);
  module.getBody()->getOperations().insertAfter(f->getIterator(), copy);
  return copy;
}

} // namespace raf
