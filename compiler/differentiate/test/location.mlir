// RUN: raf-opt %s --raf-differentiate -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Ops of the backward pass carry the source line of the op they differentiate.
// CHECK-LABEL: func.func @value_and_grad
// CHECK: raf.exp %arg0 : tensor<f32> loc("model.py":7:0)
// CHECK: raf.constant {{.*}} loc("model.py":9:0)
// CHECK: raf.mul {{.*}} loc("model.py":7:0)
func.func @forward(%x: tensor<f32> {raf.name = "x", raf.kind = "param"}) -> (tensor<f32> {raf.name = "loss"}) {
  %0 = raf.exp %x : tensor<f32> loc("model.py":7:0)
  %1 = raf.neg %0 : tensor<f32> loc("model.py":9:0)
  return %1 : tensor<f32>
}
