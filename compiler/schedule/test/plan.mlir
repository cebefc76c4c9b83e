// RUN: raf-opt %s --raf-insert-copies --raf-schedule --raf-plan --raf-verify-plan --split-input-file --verify-diagnostics | FileCheck %s

// State lies in one table, parameters before optimizer state, shared by all functions; inputs are numbered; an update lies where
// the old value lay; a dying operand lends its place; outputs lie in the arena.
// CHECK: module attributes {{.*}}raf.constant_bytes = 64 : i64{{.*}}raf.state_bytes = 192 : i64
// CHECK-LABEL: @train_step
// CHECK-SAME: %arg0: tensor<5xf32> {{{.*}}raf.place = "state+0[1]"}
// CHECK-SAME: %arg1: tensor<5xf32> {{{.*}}raf.place = "state+128[1]"}
// CHECK-SAME: %arg2: tensor<5xf32> {{{.*}}raf.place = "state+64[1]"}
// CHECK-SAME: %arg3: tensor<5xf32> {raf.place = "input0+0[1]"}
// CHECK-SAME: %arg4: tensor<f32> {raf.place = "input1+0[]"}
// CHECK-SAME: raf.arena_bound = 128 : i64, raf.arena_bytes = 128 : i64
func.func @train_step(%w: tensor<5xf32> {raf.name = "w", raf.kind = "param"}, %m: tensor<5xf32> {raf.name = "w/m", raf.kind = "opt"},
                      %f: tensor<5xf32> {raf.name = "f", raf.kind = "buffer"}, %x: tensor<5xf32>, %lr: tensor<f32>)
    -> (tensor<5xf32> {raf.updates = "w"}, tensor<5xf32> {raf.updates = "w/m"}, tensor<f32> {raf.name = "loss"}) {
  // CHECK: raf.exp
  // CHECK: {raf.places = ["arena+[[A:[0-9]+]][1]"]}
  // CHECK: raf.constant {raf.places = ["constant+0[]"]} dense<2.000000e+00>
  // CHECK: raf.broadcast {{.*}} {raf.places = ["constant+0[0]"]}
  %c = raf.constant dense<2.0> : tensor<5xf32>
  %a = gen.kernel (%0 = %x : tensor<5xf32>) -> (tensor<5xf32>) {
    %e = raf.exp %0 : tensor<5xf32>
    gen.yield %e : tensor<5xf32>
  }
  // CHECK: raf.mul
  // CHECK: {raf.places = ["arena+[[A]][1]"]}
  %b = gen.kernel (%0 = %a : tensor<5xf32>, %1 = %c : tensor<5xf32>) -> (tensor<5xf32>) {
    %e = raf.mul %0, %1 : tensor<5xf32>
    gen.yield %e : tensor<5xf32>
  }
  // CHECK: raf.reduce_sum
  // CHECK: {raf.places = ["arena+{{[0-9]+}}[]"]}
  %loss = gen.kernel (%0 = %b : tensor<5xf32>) -> (tensor<f32>) {
    %e = raf.reduce_sum %0 dims [0] : tensor<5xf32> -> tensor<f32>
    gen.yield %e : tensor<f32>
  }
  // CHECK: raf.sub
  // CHECK: {raf.places = ["state+0[1]", "state+128[1]"]}
  %nw, %nm = gen.kernel (%0 = %w : tensor<5xf32>, %1 = %m : tensor<5xf32>, %2 = %b : tensor<5xf32>, %3 = %lr : tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>) {
    %l = raf.broadcast %3 dims [] : tensor<f32> -> tensor<5xf32>
    %g = raf.add %1, %2 : tensor<5xf32>
    %s = raf.mul %g, %l : tensor<5xf32>
    %e = raf.sub %0, %s : tensor<5xf32>
    gen.yield %e, %g : tensor<5xf32>, tensor<5xf32>
  }
  return %nw, %nm, %loss : tensor<5xf32>, tensor<5xf32>, tensor<f32>
}
// The same names mean the same memory here.
// CHECK-LABEL: @evaluate
// CHECK-SAME: %arg0: tensor<5xf32> {raf.kind = "buffer", raf.name = "f", raf.place = "state+64[1]"}
func.func @evaluate(%f: tensor<5xf32> {raf.name = "f", raf.kind = "buffer"}) -> tensor<5xf32> {
  return %f : tensor<5xf32>
}

// -----

// Views lie in their operand's memory; buffers that are never alive together share theirs.
// CHECK-LABEL: @views
// CHECK-SAME: raf.arena_bytes = 192 : i64
func.func @views(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  // CHECK: {raf.places = ["arena+[[A:[0-9]+]][6,1]"]}
  %a = gen.kernel (%0 = %x : tensor<4x6xf32>) -> (tensor<4x6xf32>) {
    %e = raf.exp %0 : tensor<4x6xf32>
    gen.yield %e : tensor<4x6xf32>
  }
  // CHECK: raf.transpose {{.*}}raf.places = ["arena+[[A]][1,6]"]
  %t = raf.transpose %a {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK: raf.slice {{.*}}raf.places = ["arena+{{[0-9]+}}[1,12]"]
  %s = raf.slice %t {starts = array<i64: 2, 1>, limits = array<i64: 6, 4>, strides = array<i64: 1, 2>} : (tensor<6x4xf32>) -> tensor<4x2xf32>
  %b = gen.kernel (%0 = %s : tensor<4x2xf32>) -> (tensor<4xf32>) {
    %e = raf.reduce_sum %0 dims [1] : tensor<4x2xf32> -> tensor<4xf32>
    gen.yield %e : tensor<4xf32>
  }
  %c = gen.kernel (%0 = %b : tensor<4xf32>) -> (tensor<6xf32>) {
    %e = raf.reduce_sum %0 dims [0] : tensor<4xf32> -> tensor<f32>
    %f = raf.broadcast %e dims [] : tensor<f32> -> tensor<6xf32>
    gen.yield %f : tensor<6xf32>
  }
  return %c : tensor<6xf32>
}

// -----

// A zero-sized value takes no memory; i1 takes a byte an element.
// CHECK-LABEL: @empty
// CHECK-SAME: raf.arena_bytes = 128 : i64
func.func @empty(%x: tensor<0x6xf32>, %y: tensor<65xf32>) -> (tensor<0x6xf32>, tensor<65xi1>) {
  %a = gen.kernel (%0 = %x : tensor<0x6xf32>) -> (tensor<0x6xf32>) {
    %e = raf.exp %0 : tensor<0x6xf32>
    gen.yield %e : tensor<0x6xf32>
  }
  %b = gen.kernel (%0 = %y : tensor<65xf32>) -> (tensor<65xi1>) {
    %e = raf.is_nan %0 : (tensor<65xf32>) -> tensor<65xi1>
    gen.yield %e : tensor<65xi1>
  }
  return %a, %b : tensor<0x6xf32>, tensor<65xi1>
}

// -----

func.func @one(%w: tensor<5xf32> {raf.name = "w", raf.kind = "param"}) { return }
// expected-error @below {{state "w": expected 'tensor<5xf32>' as in another function, but got 'tensor<4xf32>'}}
func.func @other(%w: tensor<4xf32> {raf.name = "w", raf.kind = "param"}) { return }
