#include "compiler/schedule/Place.h"

#include "compiler/schedule/Storage.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace raf::schedule {
namespace {

constexpr llvm::StringLiteral kSpaceNames[] = {"arena", "state", "constant", "input"};

} // namespace

std::string Place::text() const {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << kSpaceNames[static_cast<size_t>(space)];
  if (space == Space::Input)
    out << index;
  out << '+' << offset << '[';
  llvm::interleave(strides, out, ",");
  out << ']';
  return result;
}

std::optional<Place> Place::parse(llvm::StringRef text) {
  Place place;
  bool known = false;
  for (auto [i, name] : llvm::enumerate(kSpaceNames))
    if (text.consume_front(name)) {
      place.space = static_cast<Space>(i);
      known = true;
      break;
    }
  if (!known || (place.space == Space::Input && text.consumeInteger(10, place.index)) ||
      !text.consume_front("+") || text.consumeInteger(10, place.offset) ||
      !text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  while (!text.empty()) {
    int64_t stride;
    if ((!place.strides.empty() && !text.consume_front(",")) || text.consumeInteger(10, stride))
      return std::nullopt;
    place.strides.push_back(stride);
  }
  return place;
}

FailureOr<std::vector<StateEntry>> stateTable(ModuleOp module) {
  std::vector<StateEntry> table;
  llvm::StringMap<size_t> known;
  for (bool optimizer : {false, true})
    for (func::FuncOp func : module.getOps<func::FuncOp>())
      for (BlockArgument argument : func.getArguments()) {
        llvm::StringRef name = stateName(argument);
        if (name.empty())
          continue;
        auto attribute = [&](llvm::StringRef key) {
          auto text = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), key);
          return text ? text.str() : std::string();
        };
        StateEntry entry{name.str(),
                         attribute(raf::names::kKind),
                         attribute(raf::names::kInit),
                         cast<RankedTensorType>(argument.getType()),
                         func.getArgAttr(argument.getArgNumber(), raf::names::kFrozen) != nullptr,
                         0};
        if ((entry.kind == "opt") != optimizer)
          continue;
        auto [at, inserted] = known.try_emplace(name, table.size());
        if (inserted) {
          entry.offset = stateBytes(table);
          table.push_back(std::move(entry));
        } else if (table[at->second].type != entry.type) {
          return func.emitOpError("state \"") << name << "\": expected " << table[at->second].type
                                              << " as in another function, but got " << entry.type;
        }
      }
  return table;
}

uint64_t stateBytes(llvm::ArrayRef<StateEntry> table) {
  if (table.empty())
    return 0;
  const StateEntry &last = table.back();
  return alignUp(last.offset + static_cast<uint64_t>(last.type.getNumElements()) *
                                   static_cast<uint64_t>(elementBytes(last.type.getElementType())));
}

FailureOr<FunctionPlan> readPlan(func::FuncOp func) {
  FunctionPlan plan;
  auto arena = func->getAttrOfType<IntegerAttr>(names::kArenaBytes);
  auto bound = func->getAttrOfType<IntegerAttr>(names::kArenaBound);
  if (!arena || !bound || arena.getInt() < 0)
    return func.emitOpError("has no plan: expected attribute ") << names::kArenaBytes;
  plan.arenaBytes = static_cast<uint64_t>(arena.getInt());
  plan.arenaBound = static_cast<uint64_t>(bound.getInt());

  auto read = [&](Value value, Attribute attribute, Location loc) -> LogicalResult {
    auto text = dyn_cast_or_null<StringAttr>(attribute);
    std::optional<Place> place = text ? Place::parse(text.getValue()) : std::nullopt;
    if (!place || place->strides.size() != shapeOf(value).size())
      return emitError(loc) << "expected a place with " << shapeOf(value).size()
                            << " strides, but got " << attribute;
    plan.places[value] = std::move(*place);
    return success();
  };
  for (BlockArgument argument : func.getArguments())
    if (failed(
            read(argument, func.getArgAttr(argument.getArgNumber(), names::kPlace), func.getLoc())))
      return failure();
  for (Operation &op : func.front().without_terminator()) {
    auto places = op.getAttrOfType<ArrayAttr>(names::kPlaces);
    if (!places || places.size() != op.getNumResults())
      return op.emitOpError("expected ") << op.getNumResults() << " places in " << names::kPlaces;
    for (auto [result, place] : llvm::zip(op.getResults(), places))
      if (failed(read(result, place, op.getLoc())))
        return failure();
  }
  return plan;
}

std::pair<int64_t, int64_t> touchedBytes(Value value, const Place &place) {
  auto begin = static_cast<int64_t>(place.offset);
  int64_t low = 0, high = 0;
  for (auto [extent, stride] : llvm::zip(shapeOf(value), place.strides)) {
    if (extent == 0)
      return {begin, begin};
    (stride < 0 ? low : high) += (extent - 1) * stride;
  }
  int64_t bytes = elementBytes(elementType(value));
  return {begin + low * bytes, begin + (high + 1) * bytes};
}

} // namespace raf::schedule
