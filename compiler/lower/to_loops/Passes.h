#pragma once

namespace raf::gen {

void registerSplitReductionsPass(); // --raf-split-reductions
void registerEmitLlvmPass();        // --raf-emit-llvm

} // namespace raf::gen
