#include "compiler/emit/Emit.h"

#include "common/Version.h"
#include "compiler/emit/Kernels.h"
#include "compiler/emit/Origin.h"
#include "compiler/schedule/Place.h"
#include "compiler/schedule/Plan.h"
#include "compiler/schedule/Storage.h"
#include "runtime/executable/Executable.h"

using namespace mlir;
using raf::schedule::Place;

namespace raf::emit {
namespace {

using flatbuffers::Offset;

uint8_t dtypeNumber(Value value) { return static_cast<uint8_t>(dtypeOf(elementType(value))); }

fb::Ref refOf(const Place &place) {
  return {place.offset, place.index, static_cast<fb::Space>(place.space)};
}

class Emitter {
public:
  Emitter(ModuleOp module, const Options &options)
      : module(module), options(options), kernels(options) {}

  FailureOr<std::vector<std::byte>> run(Statistics &statistics) {
    std::vector<Offset<fb::Function>> functions;
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      auto function = emitFunction(func);
      if (failed(function))
        return failure();
      functions.push_back(*function);
    }
    auto state = emitState();
    if (failed(state) || failed(kernels.compile(statistics)))
      return failure();
    auto code = emitKernels();
    const std::vector<uint8_t> constants = schedule::constantBytes(module);
    b.ForceVectorAlignment(constants.size(), 1, 64);
    auto constantVector = b.CreateVector(constants);
    auto stateBytes = module->getAttrOfType<IntegerAttr>(schedule::names::kStateBytes);
    auto producer = b.CreateString(std::string("raf ") + version());
    auto features = b.CreateVectorOfStrings(options.target.required);
    auto functionVector = b.CreateVector(functions);
    auto stateVector = b.CreateVector(*state);
    auto metadata = b.CreateString(options.metadata);
    b.Finish(fb::CreateExecutable(b, producer, features, functionVector, code, stateVector,
                                  static_cast<uint64_t>(stateBytes.getInt()), constantVector,
                                  metadata),
             fb::ExecutableIdentifier());
    if (b.GetSize() > executable::kMaxPayloadBytes)
      return module.emitError("expected an executable of at most ")
             << executable::kMaxPayloadBytes << " bytes, but got " << b.GetSize();
    return executable::seal(b);
  }

private:
  FailureOr<Offset<fb::Function>> emitFunction(func::FuncOp func) {
    FailureOr<schedule::FunctionPlan> plan = schedule::readPlan(func);
    if (failed(plan))
      return failure();
    std::vector<Offset<fb::Tensor>> inputs, outputs;
    for (BlockArgument argument : func.getArguments()) {
      const Place &place = plan->places[argument];
      if (place.space != schedule::Space::Input)
        continue;
      auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), raf::names::kName);
      inputs.push_back(
          emitTensor(name ? name.str() : "input" + std::to_string(place.index), argument, place));
    }
    for (auto [i, value] : llvm::enumerate(schedule::returnOf(func)->getOperands())) {
      const auto result = static_cast<unsigned>(i);
      if (func.getResultAttr(result, raf::names::kUpdates))
        continue;
      auto name = func.getResultAttrOfType<StringAttr>(result, raf::names::kName);
      outputs.push_back(emitTensor(name ? name.str() : "output" + std::to_string(outputs.size()),
                                   value, plan->places[value]));
    }
    std::vector<Offset<fb::Command>> commands;
    double flops = 0;
    for (Operation &op : func.front()) {
      if (!schedule::isKernel(&op))
        continue;
      auto command = emitCommand(&op, *plan);
      if (failed(command))
        return failure();
      commands.push_back(*command);
      if (auto cost = dyn_cast<CostOpInterface>(op))
        flops += cost.getFlops();
    }
    return fb::CreateFunction(b, b.CreateString(func.getSymName().str()), b.CreateVector(inputs),
                              b.CreateVector(outputs), b.CreateVector(commands), plan->arenaBytes,
                              flops);
  }

  Offset<fb::Tensor> emitTensor(const std::string &name, Value value, const Place &place) {
    const fb::Ref ref = refOf(place);
    return fb::CreateTensor(b, b.CreateString(name), dtypeNumber(value), emitInts(shapeOf(value)),
                            &ref);
  }

  Offset<flatbuffers::Vector<int64_t>> emitInts(llvm::ArrayRef<int64_t> ints) {
    return b.CreateVector(ints.data(), ints.size());
  }

  FailureOr<Offset<fb::Command>> emitCommand(Operation *op, schedule::FunctionPlan &plan) {
    fb::Call kind = fb::Call::KernelCall;
    Offset<void> call;
    llvm::SmallVector<unsigned> transposed;
    if (auto kernel = dyn_cast<gen::KernelOp>(op)) {
      auto described = emitKernelCall(kernel, plan);
      if (failed(described))
        return failure();
      call = *described;
    } else if (auto library = dyn_cast<LibraryCallOpInterface>(op)) {
      kind = fb::Call::LibraryCall;
      LibraryCallDescription description = library.describeCall();
      transposed = description.transposed;
      call = emitLibraryCall(description);
    } else {
      return op->emitOpError("expected a generated kernel or a library call");
    }

    std::vector<Offset<fb::Operand>> operands;
    auto add = [&](Value value, bool swapped) {
      const Place &place = plan.places[value];
      llvm::SmallVector<int64_t> shape(shapeOf(value)), strides = place.strides;
      if (swapped) {
        std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
        std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
      }
      const fb::Ref ref = refOf(place);
      operands.push_back(
          fb::CreateOperand(b, &ref, dtypeNumber(value), emitInts(shape), emitInts(strides)));
    };
    for (OpOperand &operand : op->getOpOperands()) {
      if (rankOf(operand.get()) > static_cast<int64_t>(executable::kMaxRank))
        return op->emitOpError("operand ")
               << operand.getOperandNumber() << ": expected a rank of at most "
               << executable::kMaxRank << ", but got " << rankOf(operand.get());
      add(operand.get(), llvm::is_contained(transposed, operand.getOperandNumber()));
    }
    for (Value result : op->getResults())
      add(result, false);

    const Origin origin = originOf(op);
    auto cost = dyn_cast<CostOpInterface>(op);
    auto seconds = op->getAttrOfType<FloatAttr>("raf.predicted_seconds");
    auto runnerUp = op->getAttrOfType<StringAttr>("raf.runner_up");
    return fb::CreateCommand(b, kind, call, b.CreateVector(operands), op->getNumResults(),
                             b.CreateString(cast<KernelOpInterface>(op).getLabel()),
                             b.CreateSharedString(op->getName().getDialectNamespace().str()),
                             b.CreateSharedString(origin.source),
                             b.CreateSharedString(origin.modulePath), cost ? cost.getFlops() : 0,
                             cost ? cost.getBytes() : 0, seconds ? seconds.getValueAsDouble() : 0,
                             b.CreateSharedString(runnerUp ? runnerUp.str() : std::string()));
  }

  FailureOr<Offset<void>> emitKernelCall(gen::KernelOp kernel, schedule::FunctionPlan &plan) {
    gen::InputStrides strides;
    for (Value input : kernel.getInputs())
      strides.push_back(plan.places[input].strides);
    auto launch = kernels.add(kernel, strides);
    if (failed(launch))
      return failure();
    const gen::KernelCode &code = launch->code;
    return fb::CreateKernelCall(b, launch->kernel, b.CreateVector(code.params), code.work,
                                code.grain, code.scratchBytes)
        .Union();
  }

  Offset<void> emitLibraryCall(const LibraryCallDescription &call) {
    auto name = b.CreateString(call.name);
    auto ints = emitInts(call.ints);
    auto floats = b.CreateVector(call.floats.data(), call.floats.size());
    auto strings =
        b.CreateVectorOfStrings(std::vector<std::string>(call.strings.begin(), call.strings.end()));
    return fb::CreateLibraryCall(b, name, ints, floats, strings).Union();
  }

  FailureOr<std::vector<Offset<fb::StateTensor>>> emitState() {
    FailureOr<std::vector<schedule::StateEntry>> table = schedule::stateTable(module);
    if (failed(table))
      return failure();
    std::vector<Offset<fb::StateTensor>> state;
    for (const schedule::StateEntry &entry : *table) {
      const fb::Ref ref(entry.offset, 0, fb::Space::State);
      auto tensor = fb::CreateTensor(b, b.CreateString(entry.name),
                                     static_cast<uint8_t>(dtypeOf(entry.type.getElementType())),
                                     emitInts(entry.type.getShape()), &ref);
      const auto kind = entry.kind == "param"    ? fb::StateKind::Parameter
                        : entry.kind == "buffer" ? fb::StateKind::Buffer
                                                 : fb::StateKind::OptimizerState;
      state.push_back(
          fb::CreateStateTensor(b, tensor, kind, entry.frozen, b.CreateSharedString(entry.init)));
    }
    return state;
  }

  Offset<flatbuffers::Vector<Offset<fb::Kernel>>> emitKernels() {
    std::vector<Offset<fb::Kernel>> code;
    for (const KernelTable::Entry &entry : kernels.entries()) {
      std::vector<Offset<fb::Import>> imports;
      for (const gen::MachineCode::Import &import : entry.code.imports)
        imports.push_back(fb::CreateImport(b, b.CreateSharedString(import.symbol), import.slot));
      auto name = b.CreateString(entry.key);
      b.ForceVectorAlignment(entry.code.code.size(), 1, 64);
      auto bytes = b.CreateVector(entry.code.code);
      code.push_back(fb::CreateKernel(b, name, bytes, entry.code.entry, b.CreateVector(imports)));
    }
    return b.CreateVector(code);
  }

  ModuleOp module;
  const Options &options;
  KernelTable kernels;
  flatbuffers::FlatBufferBuilder b{1 << 20};
};

} // namespace

FailureOr<std::vector<std::byte>> emitExecutable(ModuleOp module, const Options &options,
                                                 Statistics &statistics) {
  return Emitter(module, options).run(statistics);
}

} // namespace raf::emit
