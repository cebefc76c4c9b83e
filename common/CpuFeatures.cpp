#include "common/CpuFeatures.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

namespace raf {
namespace {

struct Cpuid {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

Cpuid cpuid(uint32_t leaf, uint32_t subleaf) {
  Cpuid r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d); // leaves zeros for an unknown leaf
  return r;
}

uint64_t readXcr0() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

constexpr bool bit(uint64_t word, int n) { return word >> n & 1; }

std::vector<std::string> detect() {
  const Cpuid one = cpuid(1, 0), seven = cpuid(7, 0), sevenOne = cpuid(7, 1);
  // The processor may have registers that the system does not save: only XCR0 tells.
  const uint64_t xcr0 = bit(one.c, 27) ? readXcr0() : 0;
  const bool ymm = (xcr0 & 0x6) == 0x6;
  const bool zmm = (xcr0 & 0xe6) == 0xe6;
  const bool tiles = (xcr0 & 0x60000) == 0x60000;

  std::vector<std::string> found;
  auto add = [&](bool here, const char *name) {
    if (here)
      found.emplace_back(name);
  };
  add(bit(one.c, 20), "sse4.2");
  add(bit(one.c, 23), "popcnt");
  add(bit(seven.b, 3), "bmi");
  add(bit(seven.b, 8), "bmi2");
  add(ymm && bit(one.c, 28), "avx");
  add(ymm && bit(seven.b, 5), "avx2");
  add(ymm && bit(one.c, 12), "fma");
  add(ymm && bit(one.c, 29), "f16c");
  add(ymm && bit(sevenOne.a, 4), "avxvnni");
  add(zmm && bit(seven.b, 16), "avx512f");
  add(zmm && bit(seven.b, 17), "avx512dq");
  add(zmm && bit(seven.b, 28), "avx512cd");
  add(zmm && bit(seven.b, 30), "avx512bw");
  add(zmm && bit(seven.b, 31), "avx512vl");
  add(zmm && bit(seven.c, 11), "avx512vnni");
  add(zmm && bit(sevenOne.a, 5), "avx512bf16");
  add(zmm && bit(seven.d, 23), "avx512fp16");
  add(tiles && bit(seven.d, 24), "amx-tile");
  add(tiles && bit(seven.d, 25), "amx-int8");
  add(tiles && bit(seven.d, 22), "amx-bf16");
  return found;
}

} // namespace

const std::vector<std::string> &cpuFeatures() {
  static const std::vector<std::string> features = detect();
  return features;
}

bool hasCpuFeature(std::string_view name) {
  const std::vector<std::string> &all = cpuFeatures();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::vector<std::string> missingCpuFeatures(std::span<const std::string> needed) {
  std::vector<std::string> missing;
  for (const std::string &name : needed)
    if (!hasCpuFeature(name))
      missing.push_back(name);
  return missing;
}

bool enableAmx() {
  constexpr long kRequestPermission = 0x1023,
                 kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

} // namespace raf
