// From an LLVM module to relocated machine code.
#pragma once

#include "compiler/lower/to_loops/Codegen.h"

#include "llvm/IR/Module.h"

namespace raf::gen {

/// Optimizes and compiles `module`, whose only definition is "kernel". On failure `why` is set.
std::optional<MachineCode> compileModule(llvm::Module &module, const Target &target,
                                         std::string *why);

/// Lays the sections of a relocatable x86-64 ELF file out as one blob, applies its relocations and
/// gives every undefined symbol an address slot.
std::optional<MachineCode> linkObject(llvm::StringRef object, std::string *why);

/// The module of a kernel, for compiling and printing.
std::unique_ptr<llvm::Module> buildModule(llvm::LLVMContext &context, KernelOp kernel,
                                          const InputStrides &strides, const Target &target);

} // namespace raf::gen
