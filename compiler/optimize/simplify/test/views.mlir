// RUN: raf-opt %s --raf-simplify | FileCheck %s

// Broadcasts and the reshapes around them merge.
// CHECK-LABEL: func.func @broadcasts(%arg0: tensor<4xf32>, %arg1: tensor<2x1xf32>)
// CHECK-NEXT: %[[A:.*]] = raf.broadcast %arg0 dims [2] : tensor<4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[B:.*]] = raf.reshape %arg1 : tensor<2x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[C:.*]] = raf.broadcast %[[B]] dims [0] : tensor<2xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[D:.*]] = raf.broadcast %arg0 dims [0] : tensor<4xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[A]], %[[C]], %[[D]]
func.func @broadcasts(%x: tensor<4xf32>, %y: tensor<2x1xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>) {
  %0 = raf.reshape %x : tensor<4xf32> -> tensor<1x1x4xf32>
  %1 = raf.broadcast %0 dims [0, 1, 2] : tensor<1x1x4xf32> -> tensor<2x3x4xf32>
  %2 = raf.broadcast %y dims [0, 1] : tensor<2x1xf32> -> tensor<2x1xf32>
  %3 = raf.reshape %2 : tensor<2x1xf32> -> tensor<2xf32>
  %4 = raf.broadcast %3 dims [0] : tensor<2xf32> -> tensor<2x3xf32>
  %5 = raf.broadcast %x dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %6 = raf.transpose %5 {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %1, %4, %6 : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>
}

// A transpose of extents of 1 moves nothing.
// CHECK-LABEL: func.func @units
// CHECK-NEXT: raf.reshape %arg0 : tensor<2x1x3x1xf32> -> tensor<1x2x1x3xf32>
func.func @units(%x: tensor<2x1x3x1xf32>) -> tensor<1x2x1x3xf32> {
  %0 = raf.transpose %x {permutation = array<i64: 1, 0, 3, 2>} : (tensor<2x1x3x1xf32>) -> tensor<1x2x1x3xf32>
  return %0 : tensor<1x2x1x3xf32>
}

// Slices of slices, of one part of a concatenation, of what a pad surrounds, and of a broadcast.
// CHECK-LABEL: func.func @slices(%arg0: tensor<20xf32>, %arg1: tensor<5xf32>)
// CHECK-NEXT: %[[A:.*]] = raf.slice %arg0 {limits = array<i64: 16>, starts = array<i64: 3>, strides = array<i64: 6>} : (tensor<20xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[B:.*]] = raf.slice %arg1 {limits = array<i64: 4>, starts = array<i64: 1>, strides = array<i64: 1>} : (tensor<5xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[D:.*]] = raf.broadcast %[[B]] dims [1] : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[B]], %[[D]]
func.func @slices(%x: tensor<20xf32>, %y: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %0 = raf.slice %x {starts = array<i64: 1>, limits = array<i64: 20>, strides = array<i64: 2>} : (tensor<20xf32>) -> tensor<10xf32>
  %1 = raf.slice %0 {starts = array<i64: 1>, limits = array<i64: 10>, strides = array<i64: 3>} : (tensor<10xf32>) -> tensor<3xf32>
  %2 = raf.concat %x, %y {dim = 0 : i64} : (tensor<20xf32>, tensor<5xf32>) -> tensor<25xf32>
  %3 = raf.slice %2 {starts = array<i64: 21>, limits = array<i64: 24>, strides = array<i64: 1>} : (tensor<25xf32>) -> tensor<3xf32>
  %zero = raf.constant dense<0.0> : tensor<f32>
  %4 = raf.pad %y, %zero {low = array<i64: 2>, high = array<i64: 1>} : (tensor<5xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = raf.slice %4 {starts = array<i64: 3>, limits = array<i64: 6>, strides = array<i64: 1>} : (tensor<8xf32>) -> tensor<3xf32>
  %6 = raf.broadcast %y dims [1] : tensor<5xf32> -> tensor<7x5xf32>
  %7 = raf.slice %6 {starts = array<i64: 5, 1>, limits = array<i64: 7, 4>, strides = array<i64: 1, 1>} : (tensor<7x5xf32>) -> tensor<2x3xf32>
  return %1, %3, %5, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}

// Putting the pieces of a value together again gives the value; a gap keeps them apart.
// CHECK-LABEL: func.func @pieces(%arg0: tensor<6x4xf32>)
// CHECK: %[[C:.*]] = raf.concat
// CHECK: return %arg0, %[[C]]
func.func @pieces(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<5x4xf32>) {
  %0 = raf.slice %x {starts = array<i64: 0, 0>, limits = array<i64: 2, 4>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<2x4xf32>
  %1 = raf.slice %x {starts = array<i64: 2, 0>, limits = array<i64: 6, 4>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<4x4xf32>
  %2 = raf.slice %x {starts = array<i64: 3, 0>, limits = array<i64: 6, 4>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %3 = raf.concat %0, %1 {dim = 0 : i64} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %4 = raf.concat %0, %2 {dim = 0 : i64} : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %3, %4 : tensor<6x4xf32>, tensor<5x4xf32>
}
