// RUN: raf-opt %s --raf-insert-copies --raf-schedule --split-input-file --verify-diagnostics | FileCheck %s

// An update runs as soon as its gradient exists, so that no two gradients are alive at once.
// CHECK-LABEL: @updates_early
func.func @updates_early(%a: tensor<64xf32> {raf.name = "a", raf.kind = "param"}, %b: tensor<64xf32> {raf.name = "b", raf.kind = "param"},
                         %x: tensor<64xf32>) -> (tensor<64xf32> {raf.updates = "a"}, tensor<64xf32> {raf.updates = "b"}) {
  // CHECK: raf.exp
  // CHECK: raf.sub
  // CHECK: raf.log
  // CHECK: raf.sub
  %ga = gen.kernel (%0 = %x : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.exp %0 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %gb = gen.kernel (%0 = %x : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.log %0 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %na = gen.kernel (%0 = %a : tensor<64xf32>, %1 = %ga : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.sub %0, %1 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %nb = gen.kernel (%0 = %b : tensor<64xf32>, %1 = %gb : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.sub %0, %1 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  return %na, %nb : tensor<64xf32>, tensor<64xf32>
}

// -----

// Whoever reads an old state value runs before the kernel that overwrites it, whatever the given order.
// CHECK-LABEL: @readers_first
func.func @readers_first(%a: tensor<64xf32> {raf.name = "a", raf.kind = "param"}, %x: tensor<64xf32>)
    -> (tensor<64xf32> {raf.updates = "a"}, tensor<64xf32>) {
  // CHECK: raf.tanh
  // CHECK: raf.sub
  %na = gen.kernel (%0 = %a : tensor<64xf32>, %1 = %x : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.sub %0, %1 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %y = gen.kernel (%0 = %a : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.tanh %0 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  return %na, %y : tensor<64xf32>, tensor<64xf32>
}

// -----

// A big value that is needed late and made of an input is made late; its view stays with its reader.
// CHECK-LABEL: @late
func.func @late(%x: tensor<1x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: raf.add
  // CHECK: raf.neg
  // CHECK: raf.reshape
  // CHECK-NEXT: gen.kernel
  // CHECK-NEXT: raf.mul
  %big = gen.kernel (%0 = %x : tensor<1x64xf32>) -> (tensor<1x64xf32>) {
    %e = raf.neg %0 : tensor<1x64xf32>
    gen.yield %e : tensor<1x64xf32>
  }
  %view = raf.reshape %big : tensor<1x64xf32> -> tensor<64xf32>
  %a = gen.kernel (%0 = %y : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.exp %0 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %b = gen.kernel (%0 = %y : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.log %0 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %c = gen.kernel (%0 = %a : tensor<64xf32>, %1 = %b : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.add %0, %1 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  %d = gen.kernel (%0 = %c : tensor<64xf32>, %1 = %view : tensor<64xf32>) -> (tensor<64xf32>) {
    %e = raf.mul %0, %1 : tensor<64xf32>
    gen.yield %e : tensor<64xf32>
  }
  return %d : tensor<64xf32>
}
