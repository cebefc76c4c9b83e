// mlir-opt with the dialects and passes of RAF.
#include "compiler/pipeline/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  raf::registerDialects(registry);
  raf::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "RAF optimizer driver\n", registry));
}
