#include "tests/unit/codegen/Run.h"

#include "common/CpuFeatures.h"
#include "compiler/ir/Views.h"
#include "compiler/pipeline/Registration.h"
#include "runtime/device/cpu/CodeImage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <random>
#include <regex>

namespace raf::test {

namespace {

// The machine code as the loader maps it.
runtime::CodeImage load(const gen::MachineCode &code) {
  flatbuffers::FlatBufferBuilder builder;
  auto bytes = builder.CreateVector(code.code);
  std::vector<flatbuffers::Offset<fb::Import>> imports;
  for (const auto &import : code.imports)
    imports.push_back(fb::CreateImport(builder, builder.CreateString(import.symbol), import.slot));
  auto importList = builder.CreateVector(imports);
  auto name = builder.CreateString("test");
  auto kernel = fb::CreateKernel(builder, name, bytes, code.entry, importList);
  auto kernels = builder.CreateVector(std::vector{kernel});
  auto functions = builder.CreateVector(std::vector<flatbuffers::Offset<fb::Function>>{});
  fb::ExecutableBuilder executable(builder);
  executable.add_functions(functions);
  executable.add_kernels(kernels);
  builder.Finish(executable.Finish());
  const auto *root = flatbuffers::GetRoot<fb::Executable>(builder.GetBufferPointer());
  return runtime::CodeImage(*root->kernels(), "test");
}

} // namespace

Kernel::Kernel(const std::string &text, const std::string &cpu, gen::InputStrides givenStrides) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context = std::make_shared<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->getDiagEngine().registerHandler([&](mlir::Diagnostic &d) { error += d.str(); });
  // The types of the function's arguments are those the kernel names: "%a = %0 : tensor<...>".
  static const std::regex input(R"(= %(\w+) : (tensor<[^>]*>))");
  std::string arguments;
  size_t results = text.find("-> (");
  std::string head = text.substr(0, results);
  for (std::sregex_iterator it(head.begin(), head.end(), input), end; it != end; ++it)
    arguments += (arguments.empty() ? "%" : ", %") + (*it)[1].str() + ": " + (*it)[2].str();
  std::string types = text.substr(results + 4, text.find(") {", results) - results - 4);
  const long count = std::count(types.begin(), types.end(), '<');
  std::string values, source = "func.func @f(" + arguments + ") -> (" + types + ") {\n";
  for (long i = 0; i < count; ++i)
    values += (i ? ", %k#" : "%k#") + std::to_string(i);
  source += "%k" + (count > 1 ? ":" + std::to_string(count) : "") + " = gen.kernel " + text + "\n";
  source += "return " + (count > 1 ? values : "%k") + " : " + types + "\n}\n";
  module = std::make_shared<mlir::OwningOpRef<mlir::ModuleOp>>(
      mlir::parseSourceString<mlir::ModuleOp>(source, context.get()));
  if (!*module)
    throw std::runtime_error("cannot parse: " + error + "\n" + source);
  gen::KernelOp kernel = op();
  strides = std::move(givenStrides);
  if (strides.empty())
    for (mlir::Value v : kernel.getInputs())
      strides.push_back(contiguousStrides(shapeOf(v)));
  const gen::Target target = gen::parseTarget(cpu);
  auto description = gen::describeKernel(kernel, strides, target);
  if (mlir::failed(description))
    return;
  code = *description;
  auto compiled = gen::compileKernel(kernel, strides, target);
  if (mlir::succeeded(compiled))
    machineCode = *compiled;
}

gen::KernelOp Kernel::op() const {
  gen::KernelOp found;
  (**module).walk([&](gen::KernelOp kernel) { found = kernel; });
  return found;
}

std::vector<Bytes> Kernel::run(const std::vector<Bytes> &inputs, int splits) const {
  if (!error.empty())
    throw std::runtime_error(error);
  std::vector<Bytes> results;
  std::vector<void *> operands;
  for (const Bytes &in : inputs)
    operands.push_back(const_cast<std::byte *>(in.data()));
  constexpr size_t kGuard = 64; // bytes behind each result that must stay
  for (mlir::Value v : gen::KernelOp(op()).getOutputs()) {
    const auto type = mlir::cast<mlir::RankedTensorType>(v.getType());
    results.emplace_back(type.getNumElements() * elementBytes(type.getElementType()) + kGuard,
                         std::byte{0xab});
  }
  for (Bytes &r : results)
    operands.push_back(r.data());
  std::vector<std::byte> scratch(code.scratchBytes + 64);
  auto address = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t{63};
  runtime::CodeImage image = load(machineCode);
  for (int s = 0; s < splits; ++s)
    image.entry(0)(operands.data(), code.params.data(), code.work * s / splits,
                   code.work * (s + 1) / splits, reinterpret_cast<void *>(address));
  for (Bytes &r : results) {
    for (size_t i = r.size() - kGuard; i < r.size(); ++i)
      if (r[i] != std::byte{0xab})
        throw std::runtime_error("a kernel wrote behind its result");
    r.resize(r.size() - kGuard);
  }
  return results;
}

std::vector<std::string> runnableCpus() {
  std::vector<std::string> cpus;
  for (const char *cpu : {"avx2", "avx512"})
    if (missingCpuFeatures(gen::parseTarget(cpu).required).empty())
      cpus.push_back(cpu);
  return cpus;
}

std::vector<float> sample(size_t n, float low, float high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(n);
  for (float &v : values)
    v = distribution(generator);
  return values;
}

} // namespace raf::test
