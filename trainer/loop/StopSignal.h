// SIGINT and SIGTERM ask a run to stop after the step it is in.
#pragma once

namespace raf::trainer {

/// While one lives, the first SIGINT or SIGTERM is only noted; a second one ends the process as
/// usual. One at a time.
class StopSignal {
public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal &) = delete;
  StopSignal &operator=(const StopSignal &) = delete;

  /// The signal that came, 0 for none.
  static int received();
};

} // namespace raf::trainer
