// Library kernels: what a LibraryCall of an executable names. Each is prepared once, when the
// executable is loaded, and then run once per command.
#pragma once

#include "common/DType.h"
#include "runtime/executable/Schema.h"
#include "runtime/threads/Threads.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace raf::runtime {

/// More than any memory holds; keeps sizes computed from it far from overflow. A broadcast view can
/// claim more.
inline constexpr int64_t kMaxLibraryElements = int64_t{1} << 44;

struct OperandInfo {
  DType dtype = DType::F32;
  std::span<const int64_t> shape, strides; // equally many; strides in elements
  fb::Ref place;

  int64_t numElements() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
};

struct LibraryCallInfo {
  std::string_view name;
  std::span<const int64_t> ints;
  std::span<const double> floats;
  std::vector<OperandInfo> operands; // inputs first, then results
  size_t numResults = 0;

  std::span<const OperandInfo> results() const { return std::span(operands).last(numResults); }
};

struct KernelContext {
  const Threads &threads;
  bool deterministic = false; // results must not depend on threads.count()
};

class LibraryKernel {
public:
  virtual ~LibraryKernel() = default;

  /// Memory `run` may write while it runs, of all threads together; 64-byte aligned. It holds
  /// nothing between calls, so all commands of a session share one block.
  virtual size_t workspaceBytes() const { return 0; }

  /// `operands` are the addresses of the elements 0, in the order of the call. Allocates nothing of
  /// ours and does not throw for a call that was prepared.
  virtual void run(void *const *operands, std::byte *workspace) = 0;
};

/// Prepares the call. The operands' shapes, strides and dtypes are sound in themselves (see
/// executable::open), whether they suit the kernel is checked here: InvalidFileError, starting with
/// the kernel's name, also for a name that this runtime does not have.
std::unique_ptr<LibraryKernel> prepareLibraryCall(const LibraryCallInfo &call,
                                                  const KernelContext &context);

/// Every name that prepareLibraryCall knows.
std::vector<std::string_view> libraryKernelNames();

/// One per kernel, in the file of its name.
std::unique_ptr<LibraryKernel> prepareMatmul(const LibraryCallInfo &, const KernelContext &);
std::unique_ptr<LibraryKernel> prepareSort(const LibraryCallInfo &, const KernelContext &);
std::unique_ptr<LibraryKernel> prepareTopK(const LibraryCallInfo &, const KernelContext &);

} // namespace raf::runtime
