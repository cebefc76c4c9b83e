// The report names each piece, what was decided, what came second, and both costs.
// RUN: raf-opt %s --raf-cover=report -o /dev/null 2>&1 | FileCheck %s
// RUN: raf-opt %s --raf-cover="report costs=onednn.matmul:100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLIP
// RUN: not raf-opt %s --raf-cover=dialects=cublas -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not raf-opt %s --raf-cover=costs=onednn.matmul:-1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=COSTS
// RUN: not raf-opt %s --raf-cover=dialects=onednn -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: matmul: onednn {{[0-9.]+}} ms, then gen {{[0-9.]+}} ms
// CHECK: exp: gen {{[0-9.]+}} ms
// CHECK: @f: 2 kernels, {{[0-9.]+}} ms predicted
// FLIP: matmul{{.*}}: gen {{[0-9.]+}} ms, then onednn {{[0-9.]+}} ms
// UNKNOWN: unknown operator dialect 'cublas': expected onednn, gen, rt
// COSTS: expected kernel:factor with a positive factor, but got 'onednn.matmul:-1'
// REFUSED: report.mlir:[[@LINE+3]]:8: error: no allowed operator dialect has a kernel for 'raf.exp'
func.func @f(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %0 = raf.matmul %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = raf.exp %0 : tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
