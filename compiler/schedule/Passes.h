// Passes of this folder under their flags.
#pragma once

namespace raf::schedule {

/// --raf-insert-copies, --raf-schedule, --raf-plan, --raf-verify-plan.
void registerSchedulePasses();

} // namespace raf::schedule
