#include "compiler/emit/Origin.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;

namespace raf::emit {
namespace {

/// The leading components that both paths have.
llvm::StringRef commonPath(llvm::StringRef a, llvm::StringRef b) {
  size_t common = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool endA = i == a.size() || a[i] == '.', endB = i == b.size() || b[i] == '.';
    if (endA && endB)
      common = i;
    if (i == a.size() || i == b.size() || a[i] != b[i])
      break;
  }
  return a.take_front(common);
}

class Collector {
public:
  /// A name inside of another one is part of it: only the outermost is a module path.
  void add(LocationAttr location, bool named = false) {
    if (auto line = dyn_cast<FileLineColLoc>(location)) {
      if (origin.source.empty())
        origin.source = (line.getFilename().getValue() + ":" + llvm::Twine(line.getLine())).str();
    } else if (auto name = dyn_cast<NameLoc>(location)) {
      if (!named)
        path = path ? commonPath(*path, name.getName()) : name.getName().getValue();
      add(name.getChildLoc(), true);
    } else if (auto fused = dyn_cast<FusedLoc>(location)) {
      for (Location part : fused.getLocations())
        add(part, named);
    } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
      add(call.getCallee(), named);
    }
  }

  Origin finish() {
    origin.modulePath = path.value_or("").str();
    return std::move(origin);
  }

private:
  Origin origin;
  std::optional<llvm::StringRef> path;
};

} // namespace

Origin originOf(Operation *op) {
  Collector collector;
  bool inside = false;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (!inner.hasTrait<OpTrait::IsTerminator>() && !inner.hasTrait<OpTrait::ConstantLike>()) {
        collector.add(inner.getLoc());
        inside = true;
      }
  if (!inside)
    collector.add(op->getLoc());
  return collector.finish();
}

} // namespace raf::emit
