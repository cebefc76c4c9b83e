#include "tools/raf/ResidentMemory.h"

#include "trainer/metrics/Metrics.h"

#include <fstream>
#include <string>

namespace raf::tool {

uint64_t peakResident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::stoull(line.substr(6)) * 1024;
  return trainer::peakResidentBytes(); // no /proc here
}

void resetPeakResident() { std::ofstream("/proc/self/clear_refs") << "5"; }

} // namespace raf::tool
