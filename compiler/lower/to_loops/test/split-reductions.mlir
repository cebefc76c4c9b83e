// A long reduction becomes partial sums and their combination; a short one stays.
// RUN: raf-opt %s --raf-split-reductions | FileCheck %s

// CHECK-LABEL: @norm
// CHECK: raf.reshape %{{.*}} : tensor<3072x768xf32> -> tensor<64x48x768xf32>
// CHECK: raf.reduce_sum %{{.*}} dims [1, 2] : tensor<64x48x768xf32> -> tensor<64xf32>
// CHECK: raf.reduce_sum %{{.*}} dims [0] : tensor<64xf32> -> tensor<f32>
func.func @norm(%x: tensor<3072x768xf32>) -> tensor<f32> {
  %0 = raf.reduce_sum %x dims [0, 1] : tensor<3072x768xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @bias
// CHECK: raf.reshape %{{.*}} : tensor<4096x768xf32> -> tensor<8x512x768xf32>
// CHECK: dims [1] : tensor<8x512x768xf32> -> tensor<8x768xf32>
// CHECK: dims [0] : tensor<8x768xf32> -> tensor<768xf32>
func.func @bias(%x: tensor<4096x768xf32>) -> tensor<768xf32> {
  %0 = raf.reduce_sum %x dims [0] : tensor<4096x768xf32> -> tensor<768xf32>
  return %0 : tensor<768xf32>
}

// CHECK-LABEL: @rows
// CHECK-NOT: raf.reshape
func.func @rows(%x: tensor<4096x768xf32>) -> tensor<4096xf32> {
  %0 = raf.reduce_sum %x dims [1] : tensor<4096x768xf32> -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
