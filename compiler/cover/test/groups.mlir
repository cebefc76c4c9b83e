// Fused groups: what belongs together is one kernel, and no merge makes a cycle.
// RUN: raf-opt %s --raf-cover --raf-verify-covered --split-input-file | FileCheck %s

// The whole of a softmax is one kernel.
// CHECK-LABEL: func @softmax
// CHECK: gen.kernel
// CHECK: reduce_max
// CHECK: reduce_sum
// CHECK: raf.div
// CHECK-NOT: gen.kernel
// CHECK: return
func.func @softmax(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = raf.softmax %x {dim = 1 : i64} : tensor<6x64xf32>
  return %0 : tensor<6x64xf32>
}

// -----

// So is a layer norm with the residual addition before it, statistics included.
// CHECK-LABEL: func @residual_layer_norm
// CHECK: gen.kernel {{.*}}-> (tensor<6x64xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6x64xf32>)
// CHECK-NOT: gen.kernel
// CHECK: return
func.func @residual_layer_norm(%x: tensor<6x64xf32>, %y: tensor<6x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>)
    -> (tensor<6x64xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6x64xf32>) {
  %s = raf.add %x, %y : tensor<6x64xf32>
  %0:3 = "raf.layer_norm"(%s, %w, %b) {axes = 1 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<6x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<6x64xf32>, tensor<6xf32>, tensor<6xf32>)
  return %0#0, %0#1, %0#2, %s : tensor<6x64xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6x64xf32>
}

// -----

// The row part of its derivative is one kernel too: two sums over rows and what follows them.
// CHECK-LABEL: func @layer_norm_dx
// CHECK: gen.kernel
// CHECK: reduce_sum
// CHECK: reduce_sum
// CHECK-NOT: gen.kernel
// CHECK: return
func.func @layer_norm_dx(%g: tensor<6x64xf32>, %h: tensor<6x64xf32>, %rstd: tensor<6xf32>) -> tensor<6x64xf32> {
  %a = raf.reduce_sum %g dims [1] : tensor<6x64xf32> -> tensor<6xf32>
  %p = raf.mul %g, %h : tensor<6x64xf32>
  %c = raf.reduce_sum %p dims [1] : tensor<6x64xf32> -> tensor<6xf32>
  %ab = raf.broadcast %a dims [0] : tensor<6xf32> -> tensor<6x64xf32>
  %cb = raf.broadcast %c dims [0] : tensor<6xf32> -> tensor<6x64xf32>
  %hc = raf.mul %h, %cb : tensor<6x64xf32>
  %d = raf.sub %g, %ab : tensor<6x64xf32>
  %e = raf.sub %d, %hc : tensor<6x64xf32>
  %rb = raf.broadcast %rstd dims [0] : tensor<6xf32> -> tensor<6x64xf32>
  %dx = raf.mul %e, %rb : tensor<6x64xf32>
  return %dx : tensor<6x64xf32>
}

// -----

// exp -> matmul -> add and exp -> add: one kernel for exp and add would wait for itself.
// CHECK-LABEL: func @diamond
// CHECK: gen.kernel
// CHECK: raf.exp
// CHECK: onednn.matmul
// CHECK: gen.kernel
// CHECK: raf.mul
// CHECK: return
func.func @diamond(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = raf.exp %x : tensor<64x64xf32>
  %1 = raf.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = raf.mul %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Two results of one value: it is read once.
// CHECK-LABEL: func @siblings
// CHECK: gen.kernel {{.*}}-> (tensor<64x128xf32>, tensor<64x128xf32>)
// CHECK-NOT: gen.kernel
// CHECK: return
func.func @siblings(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = raf.exp %x : tensor<64x128xf32>
  %1 = raf.neg %x : tensor<64x128xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// A reshape and a transpose before element-wise work are how the kernel reads.
// CHECK-LABEL: func @views
// CHECK-NEXT: gen.kernel
// CHECK-NEXT: raf.reshape
// CHECK-NEXT: raf.transpose
// CHECK-NEXT: raf.exp
// CHECK-NEXT: gen.yield
func.func @views(%x: tensor<6x64xf32>) -> tensor<6x8x8xf32> {
  %0 = raf.reshape %x : tensor<6x64xf32> -> tensor<6x8x8xf32>
  %1 = raf.transpose %0 {permutation = array<i64: 0, 2, 1>} : (tensor<6x8x8xf32>) -> tensor<6x8x8xf32>
  %2 = raf.exp %1 : tensor<6x8x8xf32>
  return %2 : tensor<6x8x8xf32>
}

// -----

// A slice stays a view between kernels.
// CHECK-LABEL: func @slice
// CHECK: %[[S:.*]] = raf.slice %arg0
// CHECK: gen.kernel (%{{.*}} = %[[S]]
func.func @slice(%x: tensor<6x64xf32>) -> tensor<6x8xf32> {
  %0 = "raf.slice"(%x) {starts = array<i64: 0, 8>, limits = array<i64: 6, 16>, strides = array<i64: 1, 1>} : (tensor<6x64xf32>) -> tensor<6x8xf32>
  %1 = raf.exp %0 : tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// -----

// What nobody uses has no kernel.
// CHECK-LABEL: func @dead
// CHECK-NEXT: return %arg0
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = raf.exp %x : tensor<4xf32>
  %1 = raf.neg %0 : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// The inner tanh of a gelu is computed again for the derivative, not kept: the first kernel gives
// one result.
// CHECK-LABEL: func @recomputed
// CHECK: gen.kernel {{.*}} -> (tensor<1024x2048xf32>) {
// CHECK: onednn.matmul
// CHECK: gen.kernel
// CHECK: raf.tanh
// CHECK: raf.sub
func.func @recomputed(%h: tensor<1024x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<1024x2048xf32> {
  %t = raf.tanh %h : tensor<1024x2048xf32>
  %g = raf.mul %h, %t : tensor<1024x2048xf32>
  %y = raf.matmul %g, %w : (tensor<1024x2048xf32>, tensor<2048x2048xf32>) -> tensor<1024x2048xf32>
  %q = raf.mul %t, %h : tensor<1024x2048xf32>
  %d = raf.sub %y, %t : tensor<1024x2048xf32>
  %e = raf.mul %d, %h : tensor<1024x2048xf32>
  return %e : tensor<1024x2048xf32>
}

// -----

// A causal mask is arithmetic on indices: every kernel that needs it has its own.
// CHECK-LABEL: func @causal
// CHECK: gen.kernel
// CHECK: raf.iota
// CHECK: raf.select
// CHECK: onednn.matmul
// CHECK: gen.kernel
// CHECK: raf.iota
// CHECK: raf.select
// CHECK-NOT: tensor<64x64xi1>) {
func.func @causal(%s: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %i = raf.iota {dim = 0 : i64} : tensor<64x64xi32>
  %j = raf.iota {dim = 1 : i64} : tensor<64x64xi32>
  %m = raf.compare ge %i, %j : tensor<64x64xi32> -> tensor<64x64xi1>
  %c = raf.constant dense<0.0> : tensor<f32>
  %z = raf.broadcast %c dims [] : tensor<f32> -> tensor<64x64xf32>
  %0 = raf.select %m, %s, %z : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = raf.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = raf.select %m, %1, %z : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// A result that is a strided view of another is copied to memory of its own.
// CHECK-LABEL: func @returned_views
// CHECK: gen.kernel
// CHECK: return
func.func @returned_views(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<32xf32>) {
  %0 = raf.exp %x : tensor<4x8xf32>
  %1 = raf.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = raf.reshape %0 : tensor<4x8xf32> -> tensor<32xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<32xf32>
}

// -----

// sort is a kernel of the runtime; extents of zero and rank 0 are nothing special.
// CHECK-LABEL: func @odd_shapes
// CHECK-DAG: rt.sort
// CHECK-DAG: tensor<0x3xf32>
// CHECK: return
func.func @odd_shapes(%x: tensor<7xf32>, %e: tensor<0x3xf32>, %s: tensor<f64>) -> (tensor<7xf32>, tensor<0x3xf32>, tensor<f64>) {
  %0:2 = raf.sort %x {dim = 0 : i64} : (tensor<7xf32>) -> (tensor<7xf32>, tensor<7xi64>)
  %1 = raf.exp %e : tensor<0x3xf32>
  %2 = raf.exp %s : tensor<f64>
  return %0#0, %1, %2 : tensor<7xf32>, tensor<0x3xf32>, tensor<f64>
}

// -----

// Small groups that share nothing but their size are one launch; large ones are not.
// CHECK-LABEL: func @small_updates
// CHECK: gen.kernel {{.*}}-> (tensor<768xf32>, tensor<768xf32>, tensor<768xf32>)
// CHECK: gen.kernel {{.*}}-> (tensor<30000xf32>)
// CHECK: gen.kernel {{.*}}-> (tensor<30000xf32>)
func.func @small_updates(%a: tensor<768xf32>, %b: tensor<768xf32>, %c: tensor<768xf32>, %d: tensor<30000xf32>, %e: tensor<30000xf32>)
    -> (tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<30000xf32>, tensor<30000xf32>) {
  %0 = raf.exp %a : tensor<768xf32>
  %1 = raf.exp %b : tensor<768xf32>
  %2 = raf.exp %c : tensor<768xf32>
  %3 = raf.exp %d : tensor<30000xf32>
  %4 = raf.exp %e : tensor<30000xf32>
  return %0, %1, %2, %3, %4 : tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<30000xf32>, tensor<30000xf32>
}

// -----

// (8, 6) read as (6, 8) has no common loops: the transpose is a kernel, the reshape a view of its result.
// CHECK-LABEL: func @unaligned
// CHECK-NEXT: %[[T:.*]] = gen.kernel
// CHECK-NEXT: raf.transpose
// CHECK-NEXT: gen.yield
// CHECK: %[[R:.*]] = raf.reshape %[[T]] : tensor<8x6xf32> -> tensor<6x8xf32>
// CHECK-NEXT: gen.kernel (%{{.*}} = %[[R]]
// CHECK-NEXT: raf.exp
func.func @unaligned(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %1 = raf.reshape %0 : tensor<8x6xf32> -> tensor<6x8xf32>
  %2 = raf.exp %1 : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
