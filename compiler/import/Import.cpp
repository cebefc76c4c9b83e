#include "compiler/import/Import.h"

#include "common/Error.h"
#include "compiler/import/zoo/Zoo.h"
#include "compiler/ir/Raf.h"
#include "compiler/ir/Types.h"
#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <fmt/format.h>

using namespace mlir;

namespace raf {
namespace {

/// A model's text holds its structure; weights of this size belong into a checkpoint.
constexpr uint64_t kMostTextBytes = uint64_t{1} << 28;
/// MLIR's parser recurses with brackets; real models nest a handful.
constexpr int kMostNesting = 256;

/// Refuses text that would exhaust the parser's stack.
void checkNesting(llvm::StringRef text, const std::string &path) {
  int depth = 0;
  size_t line = 1;
  for (char c : text) {
    line += c == '\n';
    if (llvm::StringRef("([{<").contains(c) && ++depth > kMostNesting)
      throw InvalidFileError(
          fmt::format("{}:{}: expected at most {} nested brackets", path, line, kMostNesting));
    // "->" closes nothing; depth never goes below zero for it either.
    if (llvm::StringRef(")]}>").contains(c) && depth > 0)
      --depth;
  }
}

OwningOpRef<ModuleOp> parseFile(MLIRContext &context, const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  if (!buffer)
    throw InvalidFileError(fmt::format("{}: {}", path, buffer.getError().message()));
  if ((*buffer)->getBufferSize() > kMostTextBytes)
    throw InvalidFileError(fmt::format("{}: expected at most {} bytes, but got {}", path,
                                       kMostTextBytes, (*buffer)->getBufferSize()));
  checkNesting((*buffer)->getBuffer(), path);
  ErrorCollector errors(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || failed(checkForward(*module)))
    throw InvalidFileError(errors.empty() ? path + ": expected a module" : errors.line());
  return module;
}

/// The shapes of a file are what they are; a size may only say the same.
void checkSizes(ModuleOp module, const ModelSource &source) {
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  for (const auto &[name, size] : source.sizes) {
    if (name != "batch")
      throw UsageError(
          fmt::format("{}: its shapes are fixed, so size \"{}\" cannot be set", source.spec, name));
    for (BlockArgument argument : forward.getArguments()) {
      auto kind = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kKind);
      auto shape = cast<RankedTensorType>(argument.getType()).getShape();
      if (kind == "input" && !shape.empty() && shape.front() != size)
        throw ShapeError(
            fmt::format("{}: expected a batch of {}, to which its shapes are fixed, but got {}",
                        source.spec, shape.front(), size));
    }
  }
}

} // namespace

LogicalResult checkForward(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward || forward.isExternal())
    return module.emitError("(F1) expected a function @forward");
  if (!forward.getBody().hasOneBlock())
    return forward.emitOpError("(F1) expected one block");
  auto isRafTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
           isElementType(tensor.getElementType());
  };

  llvm::StringMap<Type> arguments;
  bool key = false;
  for (BlockArgument argument : forward.getArguments()) {
    const unsigned i = argument.getArgNumber();
    auto fail = [&] { return forward.emitOpError("argument ") << i << ": "; };
    auto name = forward.getArgAttrOfType<StringAttr>(i, names::kName);
    auto kind = forward.getArgAttrOfType<StringAttr>(i, names::kKind);
    if (!isRafTensor(argument.getType()))
      return fail() << "(F2) expected a static tensor of raf's element types, but got "
                    << argument.getType();
    if (!kind || !llvm::is_contained({"param", "buffer", "input", "key"}, kind.getValue()))
      return fail() << "(F2) expected " << names::kKind
                    << " to be param, buffer, input or key, but got " << kind;
    if (!name || name.getValue().empty() ||
        !arguments.try_emplace(name.getValue(), argument.getType()).second)
      return fail() << "(F2) expected a " << names::kName << " of its own, but got " << name;
    if (kind == "key") {
      auto type = cast<RankedTensorType>(argument.getType());
      if (key || type.getShape() != llvm::ArrayRef<int64_t>{2} ||
          !type.getElementType().isSignlessInteger(64))
        return fail() << "(F3) expected at most one key, tensor<2xi64>";
      key = true;
    }
    if (kind == "param" && !forward.getArgAttrOfType<StringAttr>(i, names::kInit))
      return fail() << "(F4) parameter \"" << name.getValue() << "\" has no " << names::kInit;
  }
  llvm::StringSet<> results;
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    auto fail = [&] { return forward.emitOpError("result ") << i << ": "; };
    Type type = forward.getResultTypes()[i];
    if (!isRafTensor(type))
      return fail() << "(F5) expected a static tensor of raf's element types, but got " << type;
    if (auto updates = forward.getResultAttrOfType<StringAttr>(i, names::kUpdates)) {
      if (arguments.lookup(updates.getValue()) != type)
        return fail() << "(F5) expected a buffer \"" << updates.getValue() << "\" of type " << type;
      continue;
    }
    auto name = forward.getResultAttrOfType<StringAttr>(i, names::kName);
    if (!name || !results.insert(name.getValue()).second)
      return fail() << "(F5) expected a " << names::kName << " of its own, but got " << name;
  }
  return success();
}

OwningOpRef<ModuleOp> importModel(MLIRContext &context, const ModelSource &source) {
  if (llvm::StringRef(source.spec).ends_with(".mlir")) {
    OwningOpRef<ModuleOp> module = parseFile(context, source.spec);
    checkSizes(*module, source);
    return module;
  }
  if (!zoo::has(source.spec)) {
    std::string known;
    for (const auto &[name, description] : zoo::list())
      known += (known.empty() ? "" : ", ") + name;
    throw UsageError(fmt::format("expected a .mlir file or a model of the zoo ({}), but got \"{}\"",
                                 known, source.spec));
  }
  OwningOpRef<ModuleOp> module = zoo::build(context, source.spec, source.sizes);
  ErrorCollector errors(context);
  if (failed(mlir::verify(*module)) || failed(checkForward(*module)))
    throw Error(source.spec + ": " + errors.line());
  return module;
}

} // namespace raf
