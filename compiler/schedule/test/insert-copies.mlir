// RUN: raf-opt %s --raf-insert-copies --split-input-file --verify-diagnostics | FileCheck %s

// A reshape that strides cannot express reads a copy; one that they can express does not.
// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<12xf32>) {
  // CHECK: %[[T:.*]] = raf.transpose
  // CHECK: %[[C:.*]] = gen.kernel (%[[A:.*]] = %[[T]] : tensor<6x4xf32>) -> (tensor<6x4xf32>)
  // CHECK-NEXT: gen.yield %[[A]]
  // CHECK: raf.reshape %[[C]]
  %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %r = raf.reshape %t : tensor<6x4xf32> -> tensor<24xf32>
  %k = gen.kernel (%a = %x : tensor<4x6xf32>) -> (tensor<4x6xf32>) {
    %e = raf.exp %a : tensor<4x6xf32>
    gen.yield %e : tensor<4x6xf32>
  }
  // CHECK: %[[K:.*]] = gen.kernel
  // CHECK-NEXT: raf.exp
  // CHECK: %[[S:.*]] = raf.slice %[[K]]
  // CHECK-NEXT: raf.reshape %[[S]]
  %s = raf.slice %k {starts = array<i64: 2, 0>, limits = array<i64: 4, 6>, strides = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %v = raf.reshape %s : tensor<2x6xf32> -> tensor<12xf32>
  return %r, %v : tensor<24xf32>, tensor<12xf32>
}

// -----

// A kernel that wants contiguous elements gets a copy of a view; one that takes strides does not.
// CHECK-LABEL: @operand
func.func @operand(%x: tensor<4x6xf32>, %y: tensor<3x5xf32>) -> (tensor<4x5xf32>, tensor<6x6xf32>) {
  // CHECK-DAG: %[[S:.*]] = raf.slice
  // CHECK-DAG: %[[T:.*]] = raf.transpose
  %s = raf.slice %x {starts = array<i64: 0, 0>, limits = array<i64: 4, 6>, strides = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK: %[[C:.*]] = gen.kernel ({{.*}} = %[[S]]
  // CHECK: onednn.matmul %[[C]], %arg1
  %a = onednn.matmul %s, %y : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  // CHECK: onednn.matmul %[[T]], %arg0
  %b = onednn.matmul %t, %x : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  return %a, %b : tensor<4x5xf32>, tensor<6x6xf32>
}

// -----

// A result that is a caller's input, or does not lie contiguously, is copied; other views are not.
// CHECK-LABEL: @results
func.func @results(%x: tensor<4x6xf32>, %w: tensor<4xf32> {raf.name = "w", raf.kind = "param"})
    -> (tensor<4x6xf32>, tensor<6x4xf32>, tensor<2x2xf32>) {
  // CHECK-DAG: %[[T:.*]] = raf.transpose
  // CHECK-DAG: %[[R:.*]] = raf.reshape %{{.*}} : tensor<4xf32> -> tensor<2x2xf32>
  // CHECK: %[[A:.*]] = gen.kernel ({{.*}} = %arg0
  // CHECK: %[[B:.*]] = gen.kernel ({{.*}} = %[[T]]
  // CHECK: return %[[A]], %[[B]], %[[R]]
  %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %r = raf.reshape %w : tensor<4xf32> -> tensor<2x2xf32>
  return %x, %t, %r : tensor<4x6xf32>, tensor<6x4xf32>, tensor<2x2xf32>
}

// -----

// States that swap their values: one of them is saved, and the update that no kernel makes is copied.
// CHECK-LABEL: @swap
func.func @swap(%a: tensor<4xf32> {raf.name = "a", raf.kind = "buffer"}, %b: tensor<4xf32> {raf.name = "b", raf.kind = "buffer"})
    -> (tensor<4xf32> {raf.updates = "a"}, tensor<4xf32> {raf.updates = "b"}) {
  // CHECK: %[[SAVED:.*]] = gen.kernel ({{.*}} = %arg1
  // CHECK: %[[NEWA:.*]] = gen.kernel ({{.*}} = %[[SAVED]]
  // CHECK: %[[NEWB:.*]] = gen.kernel ({{.*}} = %arg0
  // CHECK: return %[[NEWA]], %[[NEWB]]
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// An old value that is needed after its successor was made is saved; readers that can come first read the state itself.
// CHECK-LABEL: @late_reader
func.func @late_reader(%w: tensor<4xf32> {raf.name = "w", raf.kind = "param"}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {raf.updates = "w"}, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SAVED:.*]] = gen.kernel ({{.*}} = %arg0 : tensor<4xf32>) -> (tensor<4xf32>) {
  // CHECK-NEXT: gen.yield
  // CHECK: %[[NEW:.*]] = gen.kernel ({{.*}} = %arg0 : tensor<4xf32>, {{.*}} = %arg1
  %new = gen.kernel (%a = %w : tensor<4xf32>, %b = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %e = raf.sub %a, %b : tensor<4xf32>
    gen.yield %e : tensor<4xf32>
  }
  // CHECK: gen.kernel ({{.*}} = %[[NEW]] : tensor<4xf32>, {{.*}} = %[[SAVED]]
  %late = gen.kernel (%a = %new : tensor<4xf32>, %b = %w : tensor<4xf32>) -> (tensor<4xf32>) {
    %e = raf.sub %a, %b : tensor<4xf32>
    gen.yield %e : tensor<4xf32>
  }
  // CHECK: gen.kernel ({{.*}} = %arg0
  %early = gen.kernel (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) {
    %e = raf.exp %a : tensor<4xf32>
    gen.yield %e : tensor<4xf32>
  }
  return %new, %late, %early : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel that reads a state in another order than it writes it cannot write in place.
// CHECK-LABEL: @other_order
func.func @other_order(%w: tensor<4x4xf32> {raf.name = "w", raf.kind = "param"}) -> (tensor<4x4xf32> {raf.updates = "w"}) {
  // CHECK: %[[SAVED:.*]] = gen.kernel ({{.*}} = %arg0 : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  // CHECK-NEXT: gen.yield
  // CHECK: %[[T:.*]] = raf.transpose %[[SAVED]]
  // CHECK: gen.kernel ({{.*}} = %[[T]]
  %t = raf.transpose %w {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %k = gen.kernel (%a = %t : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
    %e = raf.exp %a : tensor<4x4xf32>
    gen.yield %e : tensor<4x4xf32>
  }
  return %k : tensor<4x4xf32>
}

// -----

// A splat constant keeps one element; what nobody uses goes.
// CHECK-LABEL: @splat
func.func @splat(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: %[[C:.*]] = raf.constant dense<2.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[B:.*]] = raf.broadcast %[[C]] dims [] : tensor<f32> -> tensor<4x6xf32>
  // CHECK-NEXT: %[[K:.*]] = gen.kernel
  %c = raf.constant dense<2.0> : tensor<4x6xf32>
  %dead = raf.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %k = gen.kernel (%a = %x : tensor<4x6xf32>, %b = %c : tensor<4x6xf32>) -> (tensor<4x6xf32>) {
    %e = raf.mul %a, %b : tensor<4x6xf32>
    gen.yield %e : tensor<4x6xf32>
  }
  // CHECK: return %[[K]]
  return %k : tensor<4x6xf32>
}

// -----

func.func @not_covered(%x: tensor<4xf32>) -> tensor<4xf32> { // expected-note {{raf-cover gives every op a kernel}}
  // expected-error @below {{'raf.exp' op expected kernels, views and constants after the cover}}
  %e = raf.exp %x : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 updates "v", which is no state of the function}}
func.func @no_such_state(%x: tensor<4xf32> {raf.name = "w", raf.kind = "param"}) -> (tensor<4xf32> {raf.updates = "v"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 updates "w": expected 'tensor<4xf32>', but got 'tensor<2xf32>'}}
func.func @other_type(%x: tensor<4xf32> {raf.name = "w", raf.kind = "param"}, %y: tensor<2xf32>) -> (tensor<2xf32> {raf.updates = "w"}) {
  return %y : tensor<2xf32>
}
