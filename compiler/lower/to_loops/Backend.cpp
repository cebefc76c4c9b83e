#include "compiler/lower/to_loops/Backend.h"

#include "common/CpuFeatures.h"
#include "common/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

namespace raf::gen {

Target parseTarget(llvm::StringRef cpu) {
  auto all = [](std::initializer_list<const char *> names) {
    std::vector<std::string> list(names.begin(), names.end());
    return list;
  };
  const std::vector<std::string> avx2 = all({"avx2", "fma", "f16c", "bmi2"});
  const std::vector<std::string> avx512 = all(
      {"avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  const std::vector<std::string> tiles = all({"amx-tile", "amx-bf16", "avx512bf16"});
  auto has = [](const std::vector<std::string> &names) {
    return missingCpuFeatures(names).empty();
  };
  Target target;
  if (cpu == "native")
    cpu = !has(avx512) ? "avx2" : has(tiles) ? "amx" : "avx512";
  if (cpu == "avx2") {
    target.cpu = "x86-64-v3";
    target.vectorBytes = 32;
    target.required = avx2;
  } else if (cpu == "avx512" || cpu == "amx") {
    target.cpu = "x86-64-v4";
    target.vectorBytes = 64;
    target.required = avx512;
    target.features = "-prefer-256-bit";
    if (cpu == "amx")
      target.required.insert(target.required.end(), tiles.begin(), tiles.end());
  } else {
    throw UsageError("expected native, avx2, avx512 or amx as cpu, but got " + cpu.str());
  }
  return target;
}

static std::unique_ptr<llvm::TargetMachine> createMachine(const Target &target, std::string *why) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  const char *triple = "x86_64-unknown-linux-gnu";
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, *why);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // bits do not depend on grouping
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

std::optional<MachineCode> compileModule(llvm::Module &module, const Target &target,
                                         std::string *why) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, why);
  if (!machine)
    return std::nullopt;
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  llvm::raw_string_ostream os(*why);
  if (llvm::verifyModule(module, &os))
    return std::nullopt;

  // The emitter writes what it means; only what it leaves to be moved out of loops is moved.
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(100, 250, /*AllowSpeculation=*/true), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, fam);

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    *why = "the target writes no object files";
    return std::nullopt;
  }
  emission.run(module);
  return linkObject(llvm::StringRef(object.data(), object.size()), why);
}

} // namespace raf::gen
