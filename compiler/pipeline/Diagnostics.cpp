#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace mlir;

namespace raf {
namespace {

/// More of them would hide the first.
constexpr size_t kMostErrors = 32;

} // namespace

std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line)
      return WalkResult::advance();
    place = (line.getFilename().getValue() + ":" + llvm::Twine(line.getLine()) + ":" +
             llvm::Twine(line.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

ErrorCollector::ErrorCollector(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        std::string text = placeOf(diagnostic.getLocation());
        text += (text.empty() ? "" : ": ") + diagnostic.str();
        std::ranges::replace(text, '\n', ' ');
        std::lock_guard lock(mutex);
        if (!llvm::is_contained(errors, text))
          errors.push_back(std::move(text));
        return success();
      }) {}

std::string ErrorCollector::line() const {
  std::string line;
  for (const std::string &error : llvm::ArrayRef(errors).take_front(kMostErrors))
    line += (line.empty() ? "" : "; ") + error;
  if (errors.size() > kMostErrors)
    line += "; and " + std::to_string(errors.size() - kMostErrors) + " more";
  return line;
}

} // namespace raf
