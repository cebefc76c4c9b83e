// RUN: raf-opt %s --raf-evaluation-mode | FileCheck %s

// Evaluation drops nothing and updates nothing; the key stays, since a random op is left.
// CHECK-LABEL: func.func @evaluate(%arg0: tensor<4xf32>
// CHECK-SAME: %arg1: tensor<f32> {raf.kind = "buffer", raf.name = "seen"}, %arg2: tensor<2xi64>
// CHECK-SAME: -> (tensor<4xf32> {raf.name = "y"}) {
// CHECK-NEXT: %[[U:.*]] = raf.uniform %arg2
// CHECK-NEXT: %[[Y:.*]] = raf.add %arg0, %[[U]]
// CHECK-NEXT: return %[[Y]]
func.func @forward(%x: tensor<4xf32> {raf.name = "x", raf.kind = "input"}, %n: tensor<f32> {raf.name = "seen", raf.kind = "buffer"},
                   %key: tensor<2xi64> {raf.name = "key", raf.kind = "key"})
    -> (tensor<4xf32> {raf.name = "y"}, tensor<f32> {raf.name = "seen", raf.updates = "seen"}) {
  %0 = raf.dropout %x, %key {id = 0 : i64, p = 0.5} : tensor<4xf32>, tensor<2xi64> -> tensor<4xf32>
  %1 = raf.uniform %key {id = 1 : i64} : tensor<2xi64> -> tensor<4xf32>
  %2 = raf.add %0, %1 : tensor<4xf32>
  %3 = raf.add %n, %n : tensor<f32>
  return %2, %3 : tensor<4xf32>, tensor<f32>
}
