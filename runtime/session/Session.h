// Runs an executable: owns its arenas, its threads and its prepared kernels.
#pragma once

#include "common/DType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raf::runtime {

/// A tensor somebody else owns. Contiguous row-major unless `strides` (in elements) is given.
struct TensorView {
  void *data = nullptr;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // empty = contiguous

  int64_t numElements() const {
    int64_t n = 1;
    for (int64_t d : shape)
      n *= d;
    return n;
  }
  size_t bytes() const { return static_cast<size_t>(numElements()) * sizeOf(dtype); }
};

struct NamedTensor {
  std::string name;
  TensorView view;
};

enum class StateKind : uint8_t { Parameter = 0, Buffer = 1, OptimizerState = 2 };

struct StateInfo {
  std::string name;
  TensorView view; // in the state arena; write to it to initialise
  StateKind kind;
  bool frozen;
  std::string init; // "zeros", "ones", "normal(MEAN,STD)", "uniform(LOW,HIGH)", "fill(VALUE)"
};

struct SessionOptions {
  int threads = 0;            // 0: the number of cores this process may run on
  bool deterministic = false; // results independent of `threads` (section 9 of the contract)
  bool checkNumerics = false; // after each command look for NaN/inf in float results
};

struct CommandProfile {
  std::string label, dialect, source, modulePath;
  double seconds = 0; // of one call: mean over the profiled calls
  double flops = 0, bytes = 0, predictedSeconds = 0;
  int64_t calls = 0;
  double startSeconds = 0; // of the last call, relative to the function's start (for traces)
};

/// What a session takes when it is loaded.
struct MemoryStats {
  uint64_t stateBytes = 0;     // parameters, buffers, optimizer state
  uint64_t arenaBytes = 0;     // largest activation arena over the functions
  uint64_t workspaceBytes = 0; // scratch of generated kernels (all threads) and library kernels
  uint64_t constantBytes = 0;
  uint64_t plannedPeakBytes() const { return stateBytes + arenaBytes + workspaceBytes; }
};

class Session {
public:
  /// Copies and verifies `bytes` (throws InvalidFileError), checks the CPU features (throws
  /// UnsupportedError) and prepares every kernel. All memory of all later steps is taken here.
  static std::unique_ptr<Session> load(std::span<const std::byte> bytes,
                                       const SessionOptions &options = {});
  static std::unique_ptr<Session> loadFile(const std::string &path,
                                           const SessionOptions &options = {});
  ~Session();

  std::vector<std::string> functions() const;
  bool hasFunction(std::string_view name) const;
  /// Signature. `view.data` is null for inputs, and points into an arena for outputs.
  const std::vector<NamedTensor> &inputs(std::string_view function) const;
  const std::vector<NamedTensor> &outputs(std::string_view function) const;
  std::vector<StateInfo> &state();
  /// Shares `donor`'s state arena, which must have the same layout (ShapeError), e.g. of the same
  /// model at another batch size. This session's own state is gone.
  void shareState(Session &donor);

  /// Runs one call. `inputs` in signature order; dtype, shape, that the elements lie contiguously
  /// and that they are aligned are checked (ShapeError). One thread at a time, also among sessions
  /// that share their state. Outputs are valid until the next run. With checkNumerics a non-finite
  /// result throws Error naming the first command that made one.
  void run(std::string_view function, std::span<const TensorView> inputs);

  void startProfile();
  std::vector<CommandProfile> stopProfile(std::string_view function);
  MemoryStats memory() const;
  double flops(std::string_view function) const;
  const std::string &metadata() const;
  int threads() const;

private:
  Session();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace raf::runtime
