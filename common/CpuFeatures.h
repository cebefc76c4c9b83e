// What this processor and operating system can run, asked by cpuid and XCR0: under virtualisation
// the processor's name says nothing. Shared, so that what the compiler compiles for and what the
// runtime checks are the same words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raf {

/// Features found here, spelled as LLVM spells them: "avx2", "fma", "f16c", "bmi2", "avx512f",
/// "avx512bf16", "amx-tile", ... in a fixed order.
const std::vector<std::string> &cpuFeatures();

bool hasCpuFeature(std::string_view name);

/// The ones of `needed` that are missing here.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed);

/// Asks the system for the AMX tile registers, which Linux gives only on request. False when
/// refused; true at once where it is already granted.
bool enableAmx();

} // namespace raf
