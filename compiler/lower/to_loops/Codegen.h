// Code generation for fused groups: what the cover, the plan and the emitter ask of it.
#pragma once

#include "compiler/lower/to_loops/Gen.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace raf::gen {

/// The machine that code is made for.
struct Target {
  std::string cpu;      // LLVM's name: "x86-64-v3", "x86-64-v4"
  std::string features; // LLVM's feature string
  int vectorBytes = 32; // width of the vector registers used: 32 (AVX2) or 64 (AVX-512)
  /// What the runtime checks before it runs the code: "avx2", "fma", "avx512f", ...
  std::vector<std::string> required;
};

/// "native" (cpuid and XCR0, never LLVM's host name), "avx2", "avx512", "amx". Throws UsageError
/// for another name.
Target parseTarget(llvm::StringRef cpu);

/// Whether `ops` (in program order; their operands from outside become inputs) can be one kernel
/// that gives `outputs`. Other results of theirs may have users outside too: those compute them
/// again, from a copy of the op. On failure `why` says what stands against it.
bool checkGroup(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<mlir::Value> outputs,
                std::string *why = nullptr);

/// Strides, in elements, of each input of a kernel as planned (results are contiguous). Offsets are
/// not part of it: a kernel gets the address of each operand's first element.
using InputStrides = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// One launch of a kernel.
struct KernelCode {
  std::string key; // content key of the machine code: structure, dtypes, target; never extents
  std::vector<int64_t> params; // see runtime/abi/KernelAbi.h
  int64_t work = 0;            // work items
  int64_t grain = 1;           // fewest items worth a thread
  uint64_t scratchBytes = 0;   // per thread
};

/// Fails with a located diagnostic when the group has no loop nest.
mlir::FailureOr<KernelCode> describeKernel(KernelOp kernel, const InputStrides &strides,
                                           const Target &target);

/// Relocated, position-independent machine code of one kernel.
struct MachineCode {
  struct Import {
    std::string symbol; // of libm
    uint64_t slot;      // offset of the 8-byte address slot in `code`
  };
  std::vector<uint8_t> code;
  uint64_t entry = 0;
  std::vector<Import> imports;
};

/// Compiles what `describeKernel` described; threads may compile kernels of one
/// context at once.
mlir::FailureOr<MachineCode> compileKernel(KernelOp kernel, const InputStrides &strides,
                                           const Target &target);

/// Machine code by key: memory first, then `<cacheDir>/objects/<key>` (empty: no disk), else
/// compiled and stored. Corrupt entries are compiled anew. Counts what it did. Threads may ask for
/// different keys at once.
class CodeCache {
public:
  explicit CodeCache(std::string cacheDir);
  mlir::FailureOr<const MachineCode *>
  get(llvm::StringRef key, llvm::function_ref<mlir::FailureOr<MachineCode>()> compile);
  int64_t compiled = 0, fromDisk = 0;

private:
  std::string directory;
  std::mutex mutex; // of entries and counters
  llvm::StringMap<MachineCode> entries;
};

/// A reduction over more elements than one work item should take, split into partial sums over
/// chunks that depend on shapes only, and their ordered combination. Rewrites reductions in place
/// before grouping; --raf-split-reductions.
void splitReductions(mlir::func::FuncOp function);

} // namespace raf::gen
