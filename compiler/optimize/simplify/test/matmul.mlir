// RUN: raf-opt %s --raf-simplify | FileCheck %s

// A transpose of the last two dimensions is a flag of the product.
// CHECK-LABEL: func.func @transposes(%arg0: tensor<3x2xf32>, %arg1: tensor<5x3xf32>)
// CHECK-NEXT: raf.matmul %arg0, %arg1 {transpose_a, transpose_b} : (tensor<3x2xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
func.func @transposes(%a: tensor<3x2xf32>, %b: tensor<5x3xf32>) -> tensor<2x5xf32> {
  %0 = raf.transpose %a {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = raf.matmul %0, %b {transpose_b} : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// Rows of all samples are rows of one product, also when the matrix was repeated for each sample.
// CHECK-LABEL: func.func @linear(%arg0: tensor<2x5x3xf32>, %arg1: tensor<3x4xf32>)
// CHECK-NEXT: %[[X:.*]] = raf.reshape %arg0 : tensor<2x5x3xf32> -> tensor<10x3xf32>
// CHECK-NEXT: %[[Y:.*]] = raf.matmul %[[X]], %arg1 : (tensor<10x3xf32>, tensor<3x4xf32>) -> tensor<10x4xf32>
// CHECK-NEXT: %[[Z:.*]] = raf.reshape %[[Y]] : tensor<10x4xf32> -> tensor<2x5x4xf32>
// CHECK-NEXT: return %[[Z]]
func.func @linear(%x: tensor<2x5x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x5x4xf32> {
  %0 = raf.broadcast %w dims [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  %1 = raf.matmul %x, %0 : (tensor<2x5x3xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
  return %1 : tensor<2x5x4xf32>
}

// When both are repeated one of them keeps the batch.
// CHECK-LABEL: func.func @both(%arg0: tensor<5x3xf32>, %arg1: tensor<3x4xf32>)
// CHECK: raf.matmul {{.*}} -> tensor<10x4xf32>
func.func @both(%x: tensor<5x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x5x4xf32> {
  %0 = raf.broadcast %x dims [1, 2] : tensor<5x3xf32> -> tensor<2x5x3xf32>
  %1 = raf.broadcast %w dims [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  %2 = raf.matmul %0, %1 : (tensor<2x5x3xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
  return %2 : tensor<2x5x4xf32>
}
