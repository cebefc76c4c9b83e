// RUN: raf-opt %s --raf-differentiate=inputs=x --raf-differentiate="function=value_and_grad result=second loss=grad/x inputs=x" --raf-simplify | FileCheck %s

// The pass differentiates its own result: the derivative of sin is cos, and that of the derivative -sin.
// CHECK-LABEL: func.func @second(%arg0: tensor<f64>
// CHECK-SAME: -> (tensor<f64> {raf.name = "grad/x"}, tensor<f64> {raf.name = "grad/x"}
// CHECK: %[[COS:.*]] = raf.cos %arg0
// CHECK: %[[SIN:.*]] = raf.sin %arg0
// CHECK: %[[NEG:.*]] = raf.neg %[[SIN]]
// CHECK: return %[[COS]], %[[NEG]]
func.func @forward(%x: tensor<f64> {raf.name = "x", raf.kind = "input"}) -> (tensor<f64> {raf.name = "loss"}) {
  %0 = raf.sin %x : tensor<f64>
  return %0 : tensor<f64>
}
