// A matmul kernel takes over what follows it; costs and --dialects decide which kernel it is.
// RUN: raf-opt %s --raf-cover --raf-verify-covered --split-input-file | FileCheck %s
// RUN: raf-opt %s --raf-cover=dialects=gen --raf-verify-covered --split-input-file | FileCheck %s --check-prefix=GEN
// RUN: raf-opt %s --raf-cover=costs=onednn.matmul:100 --split-input-file | FileCheck %s --check-prefix=GEN
// RUN: raf-opt %s --raf-cover=dialects=matmul=gen --split-input-file | FileCheck %s --check-prefix=GEN

// The bias is added by the matmul kernel.
// CHECK-LABEL: func @linear
// CHECK-NEXT: %[[Y:.*]] = onednn.matmul %arg0, %arg1 bias %arg2 {
// CHECK-NEXT: return %[[Y]]
// GEN-LABEL: func @linear
// GEN-NOT: onednn.matmul
// GEN: gen.kernel
// GEN: raf.matmul
// GEN: raf.add
// GEN-NOT: onednn.matmul
// GEN: return
func.func @linear(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = raf.matmul %x, %w : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %1 = raf.broadcast %b dims [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %2 = raf.add %0, %1 : tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// -----

// Of the sum of two products one is the other's accumulator.
// CHECK-LABEL: func @sum_of_products
// CHECK: %[[B:.*]] = onednn.matmul %arg2, %arg1 {
// CHECK: onednn.matmul %arg0, %arg1 accumulate %[[B]] {
// CHECK-NOT: gen.kernel
// CHECK: return
func.func @sum_of_products(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %z: tensor<6x8xf32>) -> tensor<6x4xf32> {
  %0 = raf.matmul %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = raf.matmul %z, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %2 = raf.add %0, %1 : tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// A product that others read too keeps its own memory: nothing is taken over.
// CHECK-LABEL: func @shared_product
// CHECK: onednn.matmul %arg0, %arg1 {
// CHECK: gen.kernel
// CHECK: raf.add
func.func @shared_product(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = raf.matmul %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = raf.broadcast %b dims [1] : tensor<4xf32> -> tensor<6x4xf32>
  %2 = raf.add %0, %1 : tensor<6x4xf32>
  return %0, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// Heads are split by strides: no kernel moves an element before the product.
// CHECK-LABEL: func @heads
// CHECK: raf.reshape
// CHECK: raf.transpose
// CHECK-NOT: gen.kernel
// CHECK: onednn.matmul
// CHECK-SAME: transpose_b
func.func @heads(%q: tensor<2x5x12xf32>, %k: tensor<2x5x12xf32>) -> tensor<2x3x5x5xf32> {
  %0 = raf.reshape %q : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %1 = raf.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
  %2 = raf.reshape %k : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %3 = raf.transpose %2 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
  %4 = raf.matmul %1, %3 {transpose_b} : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x5xf32>
  return %4 : tensor<2x3x5x5xf32>
}

// -----

// What no strides express is one copy, made by a kernel of its own.
// CHECK-LABEL: func @joined_heads
// CHECK: %[[C:.*]] = gen.kernel
// CHECK-NEXT: raf.transpose
// CHECK-NEXT: raf.reshape
// CHECK: onednn.matmul %[[C]], %arg1
func.func @joined_heads(%x: tensor<2x3x5x4xf32>, %w: tensor<12x8xf32>) -> tensor<10x8xf32> {
  %0 = raf.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
  %1 = raf.reshape %0 : tensor<2x5x3x4xf32> -> tensor<10x12xf32>
  %2 = raf.matmul %1, %w : (tensor<10x12xf32>, tensor<12x8xf32>) -> tensor<10x8xf32>
  return %2 : tensor<10x8xf32>
}

// -----

// float64, for which oneDNN has nothing fast, is generated; an empty sum is a product too.
// CHECK-LABEL: func @odd_products
// CHECK: raf.matmul {{.*}} -> tensor<6x4xf64>
// CHECK: onednn.matmul {{.*}} -> tensor<3x2xf32>
func.func @odd_products(%x: tensor<6x8xf64>, %w: tensor<8x4xf64>, %e: tensor<3x0xf32>, %f: tensor<0x2xf32>) -> (tensor<6x4xf64>, tensor<3x2xf32>) {
  %0 = raf.matmul %x, %w : (tensor<6x8xf64>, tensor<8x4xf64>) -> tensor<6x4xf64>
  %1 = raf.matmul %e, %f : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<6x4xf64>, tensor<3x2xf32>
}

// -----

// The same under another shape: the gradient of the input of two linear layers.
// CHECK-LABEL: func @sum_of_reshaped_products
// CHECK-NEXT: %[[B:.*]] = onednn.matmul %arg2, %arg1 {
// CHECK-NEXT: %[[R:.*]] = raf.reshape %[[B]]
// CHECK-NEXT: %[[A:.*]] = raf.reshape %[[R]] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[C:.*]] = onednn.matmul %arg0, %arg1 accumulate %[[A]] {
// CHECK-NEXT: %[[D:.*]] = raf.reshape %[[C]] : tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[D]]
func.func @sum_of_reshaped_products(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %z: tensor<6x8xf32>) -> tensor<2x3x4xf32> {
  %0 = raf.matmul %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = raf.matmul %z, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %2 = raf.reshape %0 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %3 = raf.reshape %1 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %4 = raf.add %2, %3 : tensor<2x3x4xf32>
  return %4 : tensor<2x3x4xf32>
}
