// Where a value lies, as the plan decides it and the IR shows it.
#pragma once

#include "compiler/ir/Raf.h"

#include <optional>
#include <string>

namespace raf::schedule {

/// The values are those of `Space` in Executable.fbs.
enum class Space : uint8_t { Arena = 0, State = 1, Constant = 2, Input = 3 };

/// `offset` bytes into a space (into input number `index` of it), strides in elements.
/// Text: "arena+128[8,1]", "state+0[1]", "constant+64[]", "input2+0[4,1]".
struct Place {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0;
  llvm::SmallVector<int64_t> strides;

  std::string text() const;
  static std::optional<Place> parse(llvm::StringRef text);
};

/// Attributes that carry the plan.
namespace names {
inline constexpr llvm::StringLiteral kPlaces = "raf.places";          // ops: one place per result
inline constexpr llvm::StringLiteral kPlace = "raf.place";            // function arguments
inline constexpr llvm::StringLiteral kArenaBytes = "raf.arena_bytes"; // functions
inline constexpr llvm::StringLiteral kArenaBound = "raf.arena_bound"; // functions: least possible
inline constexpr llvm::StringLiteral kStateBytes = "raf.state_bytes"; // module
inline constexpr llvm::StringLiteral kConstantBytes = "raf.constant_bytes"; // module
} // namespace names

/// One piece of state and where it lies.
struct StateEntry {
  std::string name, kind, init; // kind: "param", "buffer", "opt"
  mlir::RankedTensorType type;
  bool frozen = false;
  uint64_t offset = 0;
};

/// All state of the module's functions, in order of declaration: first parameters and buffers, then
/// optimizer state, so that functions and batch sizes of one model agree on every offset. Fails
/// with a diagnostic when two functions declare one name with different types.
mlir::FailureOr<std::vector<StateEntry>> stateTable(mlir::ModuleOp module);
/// End of the last entry, aligned.
uint64_t stateBytes(llvm::ArrayRef<StateEntry> table);

/// The plan of one function.
struct FunctionPlan {
  uint64_t arenaBytes = 0, arenaBound = 0;
  llvm::DenseMap<mlir::Value, Place> places; // of every value
};

/// Reads the attributes that --raf-plan left. Fails with a diagnostic where they are missing or
/// malformed.
mlir::FailureOr<FunctionPlan> readPlan(mlir::func::FuncOp func);

/// Bytes [first, second) that a value at `place` touches within its space; equal when it has no
/// elements.
std::pair<int64_t, int64_t> touchedBytes(mlir::Value value, const Place &place);

} // namespace raf::schedule
