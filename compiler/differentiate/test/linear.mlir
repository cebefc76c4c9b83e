// RUN: raf-opt %s --raf-differentiate | FileCheck %s
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=sgd" --raf-simplify | FileCheck %s --check-prefix=STEP

// A linear layer on samples of rank 3: the weight's gradient is one product over all rows, no transpose moves an element, and the
// frozen parameter and the input get no gradient.

// CHECK-LABEL: func.func @value_and_grad
// CHECK-SAME: (%[[X:.*]]: tensor<2x5x3xf32> {{.*}}, %[[W:.*]]: tensor<4x3xf32> {{.*}}, %[[F:.*]]: tensor<4xf32>
// CHECK-SAME: -> (tensor<f32> {raf.name = "loss"}, tensor<4x3xf32> {raf.name = "grad/w"})
// CHECK: raf.mse_loss
// CHECK-NOT: raf.transpose
// CHECK: %[[XF:.*]] = raf.reshape %[[X]] : tensor<2x5x3xf32> -> tensor<10x3xf32>
// CHECK: %[[GF:.*]] = raf.reshape %{{.*}} : tensor<2x5x4xf32> -> tensor<10x4xf32>
// CHECK: %[[DW:.*]] = raf.matmul %[[GF]], %[[XF]] {transpose_a} : (tensor<10x4xf32>, tensor<10x3xf32>) -> tensor<4x3xf32>
// CHECK-NOT: raf.matmul
// CHECK: return %{{.*}}, %[[DW]]

// STEP-LABEL: func.func @train_step
// STEP-SAME: raf.name = "w"
// STEP-SAME: raf.name = "frozen"
// STEP-SAME: raf.name = "x"
// STEP-SAME: raf.name = "target"
// STEP-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {raf.kind = "input", raf.name = "lr"}
// STEP-SAME: %[[KEY:[a-z0-9]+]]: tensor<2xi64> {raf.kind = "key", raf.name = "key"}
// STEP-SAME: -> (tensor<4x3xf32> {raf.name = "w", raf.updates = "w"}, tensor<f32> {raf.name = "loss"}, tensor<f32> {raf.name = "grad_norm"})
// STEP-NOT: func.func
// STEP: raf.matmul {{.*}} {transpose_b} : (tensor<10x3xf32>, tensor<4x3xf32>) -> tensor<10x4xf32>
// STEP: raf.sqrt
// STEP: raf.sgd
func.func @forward(%x: tensor<2x5x3xf32> {raf.name = "x", raf.kind = "input"},
                   %w: tensor<4x3xf32> {raf.name = "w", raf.kind = "param", raf.init = "normal(0,0.02)"},
                   %f: tensor<4xf32> {raf.name = "frozen", raf.kind = "param", raf.init = "zeros", raf.frozen},
                   %t: tensor<2x5x4xf32> {raf.name = "target", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}, tensor<2x5x4xf32> {raf.name = "prediction"}) {
  %0 = raf.matmul %x, %w {transpose_b} : (tensor<2x5x3xf32>, tensor<4x3xf32>) -> tensor<2x5x4xf32>
  %1 = raf.broadcast %f dims [2] : tensor<4xf32> -> tensor<2x5x4xf32>
  %2 = raf.add %0, %1 : tensor<2x5x4xf32>
  %3 = raf.mse_loss %2, %t {reduction = 1 : i32} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<2x5x4xf32>
}
