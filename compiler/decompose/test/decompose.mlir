// Each composite op is replaced by simpler ops, with the intermediate type and the order that docs/design/ir.md promises.
// RUN: raf-opt %s --raf-decompose --canonicalize --cse | FileCheck %s
// RUN: raf-opt %s --raf-decompose=ops=softmax | FileCheck %s --check-prefix=ONLY
// RUN: not raf-opt %s --raf-decompose=ops=matmul 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: expected a composite op of the raf dialect in ops=, but got matmul

// Intermediates of a 16-bit gelu are float32 and the result is rounded once.
// CHECK-LABEL: func @gelu_bf16
// CHECK: %[[X:.*]] = raf.cast %arg0 : tensor<7xbf16> -> tensor<7xf32>
// CHECK-NOT: bf16
// CHECK: raf.erf
// CHECK: raf.cast {{.*}} : tensor<7xf32> -> tensor<7xbf16>
// CHECK-NEXT: return
func.func @gelu_bf16(%x: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = raf.gelu %x : tensor<7xbf16>
  return %0 : tensor<7xbf16>
}

// The maximum is subtracted before anything is raised to a power.
// CHECK-LABEL: func @softmax
// CHECK: %[[M:.*]] = raf.reduce_max %arg0 dims [1]
// CHECK: %[[B:.*]] = raf.broadcast %[[M]] dims [0, 2]
// CHECK: %[[S:.*]] = raf.sub %arg0, %[[B]]
// CHECK: %[[E:.*]] = raf.exp %[[S]]
// CHECK: raf.reduce_sum %[[E]] dims [1]
// CHECK: raf.div %[[E]]
// ONLY-LABEL: func @softmax
// ONLY: raf.reduce_max
func.func @softmax(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = raf.softmax %x {dim = 1 : i64} : tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// The variance is that of the centred values: two sweeps, no cancellation.
// CHECK-LABEL: func @layer_norm
// CHECK: raf.reduce_sum %arg0 dims [1]
// CHECK: %[[C:.*]] = raf.sub %arg0
// CHECK: %[[Q:.*]] = raf.mul %[[C]], %[[C]]
// CHECK: raf.reduce_sum %[[Q]] dims [1]
// CHECK: raf.rsqrt
// ONLY-LABEL: func @layer_norm
// ONLY: raf.layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = "raf.layer_norm"(%x, %w) {axes = 1 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
}

// The label's column is found by comparison: no gather, so that one row kernel does it all.
// CHECK-LABEL: func @cross_entropy
// CHECK-DAG: raf.iota {dim = 1 : i64} : tensor<4x10xi32>
// CHECK-DAG: raf.compare ne %arg1
// CHECK: raf.compare eq
// CHECK-NOT: raf.gather
// CHECK-NOT: raf.take
// CHECK: return
func.func @cross_entropy(%x: tensor<4x10xf32>, %l: tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = raf.cross_entropy %x, %l {reduction = 1 : i32} : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}

// Query heads of one key head are one longer sequence: keys are not repeated.
// CHECK-LABEL: func @grouped_attention
// CHECK: %[[Q:.*]] = raf.reshape %arg0 : tensor<1x4x5x8xf32> -> tensor<1x2x10x8xf32>
// CHECK: raf.matmul %[[Q]], %arg1 {transpose_b} : (tensor<1x2x10x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x10x7xf32>
// CHECK: raf.compare ge
func.func @grouped_attention(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x7x8xf32>, %v: tensor<1x2x7x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x4x5xf32>) {
  %0:2 = raf.attention %q, %k, %v {scale = 0.5 : f64, causal, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x4x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x4x5xf32>)
  return %0#0, %0#1 : tensor<1x4x5x8xf32>, tensor<1x4x5xf32>
}

// Bias corrections are float64 scalars, rounded once.
// CHECK-LABEL: func @adamw
// CHECK: raf.pow {{.*}} : tensor<f64>
// CHECK: raf.cast {{.*}} : tensor<f64> -> tensor<f32>
// CHECK: raf.sqrt {{.*}} : tensor<3x5xf32>
func.func @adamw(%p: tensor<3x5xf32>, %g: tensor<3x5xf32>, %m: tensor<3x5xf32>, %v: tensor<3x5xf32>, %lr: tensor<f32>, %scale: tensor<f32>, %step: tensor<i64>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0:3 = raf.adam %p, %g, %m, %v, %lr, %scale, %step {beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.1 : f64, decoupled}
    : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
