// Resident size of this process, with a peak that can be started anew.
#pragma once

#include <cstdint>

namespace raf::tool {

/// Largest resident size since the last reset.
uint64_t peakResident();

/// Starts the peak anew at the present size; where the system refuses, the peak stays.
void resetPeakResident();

} // namespace raf::tool
