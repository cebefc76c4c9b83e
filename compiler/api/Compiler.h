// The compiler as its users (the `raf` tool, the Python package, tests) see it. No MLIR type shows
// here, and nothing links against libraf_compiler.so: `loadCompiler` opens it when a compilation is
// asked for, so that running an executable needs neither MLIR nor LLVM.
#pragma once

#include "common/DType.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace raf {

/// One tensor of a model's or function's signature.
struct TensorSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::string kind; // "param", "buffer", "input", "output"
  std::string init; // parameters: see StateTensor.init in Executable.fbs
};

/// Where a forward model comes from.
struct ModelSource {
  std::string spec; // zoo spec "gpt2:layers=6,width=384", or a path: .mlir (.pt2 and .onnx: next)
  std::map<std::string, int64_t> sizes; // outer extents by name, e.g. {"batch", 12}
};

/// Hyper-parameters by their torch.optim names ("lr" is an input of the step, never compiled in).
struct OptimizerSpec {
  std::string name = "adamw";          // sgd adam adamw lamb lans adagrad rmsprop lion
  std::map<std::string, double> hyper; // "beta1", "beta2", "eps", "weight_decay", "momentum", ...
  bool decayBiasesAndNorms = false;    // false: weight decay only on tensors of rank >= 2
  std::map<std::string, std::map<std::string, double>> groups; // parameter name -> overrides
};

struct CompileOptions {
  std::vector<std::string> functions = {
      "train_step"}; // also "evaluate", "forward", "value_and_grad"
  OptimizerSpec optimizer;
  std::string loss;        // name of a loss to append; empty: the model's own
  double clipGradNorm = 0; // 0: off
  int gradAccum = 1;
  std::string amp;            // "", "bf16", "fp16"
  uint64_t memoryBudget = 0;  // bytes, 0: none
  std::string dialects;       // comma list, in order of preference; empty: all
  std::string cpu = "native"; // "native", "avx2", "avx512", "amx"
  int threads = 2;            // for the cost model and the planned peak only
  bool deterministic = false;
  std::string cacheDir;     // object code cache; empty: no cache on disk
  bool outputs = false;     // keep the model's other outputs alive in train_step
  std::string stopAfter;    // phase name: stop there (printing); empty: run all
  std::string printIrAfter; // phase name or "all": its IR is passed to `printer`
  std::function<void(const std::string &phase, const std::string &text)> printer;
  std::function<void(const std::string &phase, double fraction)> progress;
};

struct KernelStat {
  std::string op, dialect;
  int64_t count = 0;
};

struct CompileResult {
  std::vector<std::byte> executable;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> phaseSeconds;
  int64_t kernelsCompiled = 0, kernelsFromCache = 0;
  uint64_t arenaBytes = 0, stateBytes = 0;
  double flops = 0; // of one train_step (or of the first function)
  std::vector<KernelStat> kernels;
  std::string decisions; // the cover's report: decision, runner-up and both costs per piece
};

/// What `raf inspect MODEL` prints: known without compiling.
struct ModelInfo {
  std::string name;
  std::vector<TensorSpec> parameters, inputs, outputs;
  int64_t parameterCount = 0;
  double forwardFlops = 0;
  uint64_t parameterBytes = 0, activationBytes = 0; // activations kept for the backward pass
  std::vector<std::pair<std::string, int64_t>> opCensus;
};

class Compiler {
public:
  virtual ~Compiler() = default;
  virtual CompileResult compile(const ModelSource &model, const CompileOptions &options) = 0;
  virtual ModelInfo inspect(const ModelSource &model) = 0;
  /// Textual IR of the forward model, as `raf-opt` reads it.
  virtual std::string print(const ModelSource &model) = 0;
  /// The graph in Graphviz format.
  virtual std::string dot(const ModelSource &model) = 0;
  /// Names and one-line descriptions of the zoo's models, with their keys and defaults.
  virtual std::vector<std::pair<std::string, std::string>> zoo() = 0;
};

/// Opens libraf_compiler.so (beside the program or library this is linked into, or in ../lib of it)
/// on first use. Throws Error when it cannot be loaded. In tools/loader, for who links no compiler.
Compiler &loadCompiler();

} // namespace raf

/// What loadCompiler looks for in libraf_compiler.so. The result lives as long as the process.
extern "C" raf::Compiler *raf_create_compiler();
