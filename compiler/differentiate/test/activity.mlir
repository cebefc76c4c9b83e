// RUN: raf-opt %s --split-input-file --raf-differentiate | FileCheck %s

// A value used three times gets its cotangents added in the order in which the walk meets its users: last user first.
// CHECK-LABEL: func.func @value_and_grad(%arg0: tensor<f32>
// CHECK: %[[E:.*]] = raf.exp %arg0
// CHECK: %[[T:.*]] = raf.tanh %[[E]]
// CHECK: %[[S:.*]] = raf.sin %[[E]]
// CHECK: %[[BY_SUM:.*]] = raf.add %[[G0:.*]], %[[G1:.*]] : tensor<f32>
// CHECK: raf.mul %{{.*}}, %[[E]]
func.func @forward(%x: tensor<f32> {raf.name = "x", raf.kind = "param", raf.init = "zeros"}) -> (tensor<f32> {raf.name = "loss"}) {
  %e = raf.exp %x : tensor<f32>
  %t = raf.tanh %e : tensor<f32>
  %s = raf.sin %e : tensor<f32>
  %a = raf.add %t, %s : tensor<f32>
  return %a : tensor<f32>
}

// -----

// Nothing is built for what the loss does not need or what does not vary: %other, the input's side, the integer path through
// compare, and floor, whose gradient is zero. A parameter without a path to the loss has a gradient of zeros.
// CHECK-LABEL: func.func @value_and_grad
// CHECK-SAME: -> (tensor<f32> {raf.name = "loss"}, tensor<3xf32> {raf.name = "grad/w"}, tensor<2xf32> {raf.name = "grad/unused"}, tensor<3xf32> {raf.name = "grad/floored"})
// CHECK: %[[LOSS:.*]] = raf.reduce_sum
// CHECK: %[[ONE:.*]] = raf.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = raf.broadcast %[[ONE]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: %[[DW:.*]] = raf.mul %[[G]], %{{.*}} : tensor<3xf32>
// CHECK-NEXT: %[[Z0:.*]] = raf.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[DU:.*]] = raf.broadcast %[[Z0]] dims [] : tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: %[[Z1:.*]] = raf.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[DF:.*]] = raf.broadcast %[[Z1]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: return %[[LOSS]], %[[DW]], %[[DU]], %[[DF]]
func.func @forward(%w: tensor<3xf32> {raf.name = "w", raf.kind = "param", raf.init = "zeros"},
                   %u: tensor<2xf32> {raf.name = "unused", raf.kind = "param", raf.init = "zeros"},
                   %f: tensor<3xf32> {raf.name = "floored", raf.kind = "param", raf.init = "zeros"},
                   %x: tensor<3xf32> {raf.name = "x", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}, tensor<3xf32> {raf.name = "other"}) {
  %other = raf.exp %w : tensor<3xf32>
  %m = raf.compare gt %w, %x : tensor<3xf32> -> tensor<3xi1>
  %c = raf.cast %m : tensor<3xi1> -> tensor<3xf32>
  %fl = raf.floor %f : tensor<3xf32>
  %s0 = raf.add %c, %fl : tensor<3xf32>
  %ex = raf.exp %x : tensor<3xf32>
  %p = raf.mul %w, %ex : tensor<3xf32>
  %s = raf.add %p, %s0 : tensor<3xf32>
  %loss = raf.reduce_sum %s dims [0] : tensor<3xf32> -> tensor<f32>
  return %loss, %other : tensor<f32>, tensor<3xf32>
}

// -----

// Updates of buffers stay, under their names, after the gradients.
// CHECK-LABEL: func.func @value_and_grad
// CHECK-SAME: -> (tensor<f32> {raf.name = "loss"}, tensor<f32> {raf.name = "grad/w"}, tensor<f32> {raf.name = "count", raf.updates = "count"})
func.func @forward(%w: tensor<f32> {raf.name = "w", raf.kind = "param", raf.init = "zeros"},
                   %n: tensor<f32> {raf.name = "count", raf.kind = "buffer"})
    -> (tensor<f32> {raf.name = "loss"}, tensor<f32> {raf.name = "count", raf.updates = "count"}) {
  %0 = raf.add %n, %n : tensor<f32>
  %1 = raf.mul %w, %n : tensor<f32>
  return %1, %0 : tensor<f32>, tensor<f32>
}
