// A function of an executable made ready to run: every command has its code, its arguments and the
// addresses of its operands, so that a call walks one array.
#pragma once

#include "runtime/device/cpu/CodeImage.h"
#include "runtime/kernels/cpu/LibraryKernel.h"
#include "runtime/session/Session.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace raf::runtime {

/// Where the spaces of a session lie.
struct Spaces {
  std::byte *arena = nullptr, *state = nullptr;
  const std::byte *constants = nullptr;
};

class Program {
public:
  /// `function` is verified and outlives the program, as do `code` and `context.threads`. Throws
  /// InvalidFileError, prefixed with `where`, for a library call that its kernel refuses.
  Program(const fb::Function &function, const CodeImage &code, const KernelContext &context,
          std::string_view where);

  const fb::Function &source() const { return *function; }
  const std::vector<NamedTensor> &inputs() const { return inputTensors; }
  const std::vector<NamedTensor> &outputs() const { return outputTensors; }

  /// Scratch of generated kernels (all threads) and workspace of library kernels: one block of this
  /// size serves every command.
  uint64_t workspaceBytes() const { return workspaceSize; }

  /// Resolves every address but those of inputs. May be called again when a space moves.
  void place(const Spaces &spaces);

  /// Checks `values` against the signature (ShapeError) and takes their addresses.
  void bind(std::span<const TensorView> values);

  struct RunOptions {
    std::byte *workspace = nullptr;
    bool checkNumerics = false, profile = false;
  };
  void run(const RunOptions &options);

  void clearProfile();
  std::vector<CommandProfile> profile() const;

private:
  using Clock = std::chrono::steady_clock;

  struct Command {
    const fb::Command *source;
    void **operands; // into `addresses`
    // Generated code ...
    raf_kernel_fn code = nullptr;
    const int64_t *params = nullptr;
    int64_t work = 0, grain = 1;
    size_t scratch = 0; // bytes per thread
    // ... or a library kernel.
    std::unique_ptr<LibraryKernel> library;
    // What `profile` has seen.
    double seconds = 0, start = 0;
    int64_t calls = 0;
  };
  struct InputSlot {
    void **address;
    uint64_t offset;
    uint32_t input;
  };

  void prepare(Command &command, const CodeImage &code, const KernelContext &context);
  void execute(const Command &command, std::byte *workspace) const;
  void checkResults(const Command &command, size_t index) const;

  const fb::Function *function;
  const Threads &threads;
  std::vector<NamedTensor> inputTensors, outputTensors;
  std::vector<Command> commands;
  std::vector<void *> addresses; // of the operands of all commands
  std::vector<InputSlot> inputSlots;
  uint64_t workspaceSize = 0;
};

/// Says which element of a float tensor is the first NaN or infinity, in row-major order.
struct NonFinite {
  int64_t index = -1; // -1: none
  bool nan = false;
};
NonFinite firstNonFinite(const void *data, const OperandInfo &operand);

TensorView viewOf(const fb::Tensor &tensor, void *data = nullptr);

} // namespace raf::runtime
