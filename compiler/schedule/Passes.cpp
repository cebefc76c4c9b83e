#include "compiler/schedule/Passes.h"

#include "compiler/schedule/Copies.h"
#include "compiler/schedule/Order.h"
#include "compiler/schedule/Plan.h"
#include "compiler/schedule/VerifyPlan.h"

namespace raf::schedule {

void registerSchedulePasses() {
  mlir::registerPass(createInsertCopiesPass);
  mlir::registerPass(createSchedulePass);
  mlir::registerPass(createPlanPass);
  mlir::registerPass(createVerifyPlanPass);
}

} // namespace raf::schedule
