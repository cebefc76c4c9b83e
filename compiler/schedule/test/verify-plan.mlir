// RUN: raf-opt %s --raf-verify-plan --split-input-file --verify-diagnostics

// Plans that are wrong on purpose, one for each rule of VerifyPlan.h.

// C1: outside of the arena.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c1(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<4xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-error @below {{(C1) bytes [56, 72) at arena+56[1] lie outside of 64 bytes}}
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+56[1]"]}
    return %a : tensor<4xf32>
  }
}

// -----

// C1: not aligned.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c1(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<4xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-error @below {{(C1) arena+2[1] is not aligned to elements of 4 bytes}}
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+2[1]"]}
    return %a : tensor<4xf32>
  }
}

// -----

// C2: a view that lies elsewhere.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c2(%x: tensor<2x4xf32> {raf.place = "input0+0[4,1]"}) -> tensor<4x2xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-error @below {{(C2) input0+0[2,1] is no view of input0+0[4,1]}}
    %t = raf.transpose %x {permutation = array<i64: 1, 0>, raf.places = ["input0+0[2,1]"]} : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %a = gen.kernel (%0 = %t : tensor<4x2xf32>) -> (tensor<4x2xf32>) {
      gen.yield %0 : tensor<4x2xf32>
    } {raf.places = ["arena+0[2,1]"]}
    return %a : tensor<4x2xf32>
  }
}

// -----

// C3: two results in one place.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c3(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> (tensor<4xf32>, tensor<4xf32>) attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-error @below {{(C3) results 0 and 1 overlap}}
    %a, %b = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
    } {raf.places = ["arena+0[1]", "arena+8[1]"]}
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// C3: a product over its own operand.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c3(%x: tensor<4x4xf32> {raf.place = "input0+0[4,1]"}) -> tensor<4x4xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    %a = gen.kernel (%0 = %x : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
      gen.yield %0 : tensor<4x4xf32>
    } {raf.places = ["arena+0[4,1]"]}
    // expected-error @below {{(C3) result 0 at arena+0[4,1] overwrites operand 0 at arena+0[4,1]}}
    %b = onednn.matmul %a, %x {raf.places = ["arena+0[4,1]"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %b : tensor<4x4xf32>
  }
}

// -----

// C3: element by element may overwrite, but not shifted by one element.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c3(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<4xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    // expected-error @below {{(C3) result 0 at arena+4[1] overwrites operand 0 at arena+0[1]}}
    %b = gen.kernel (%0 = %a : tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %1 : tensor<4xf32>
    } {raf.places = ["arena+4[1]"]}
    return %b : tensor<4xf32>
  }
}

// -----

// C4: a value that is gone when it is read, through a view.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c4(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<2x2xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    %v = raf.reshape %a {raf.places = ["arena+0[2,1]"]} : tensor<4xf32> -> tensor<2x2xf32>
    // expected-note @below {{by this kernel}}
    %b = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+12[1]"]}
    // expected-error @below {{(C4) the value at arena+0[1] is read after it was overwritten}}
    %c = gen.kernel (%0 = %v : tensor<2x2xf32>) -> (tensor<2x2xf32>) {
      gen.yield %0 : tensor<2x2xf32>
    } {raf.places = ["arena+48[2,1]"]}
    return %c : tensor<2x2xf32>
  }
}

// -----

// C4: an output that does not live to the end.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c4(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> (tensor<4xf32>, tensor<4xf32>) attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    // expected-note @below {{by this kernel}}
    %b = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    // expected-error @below {{(C4) the value at arena+0[1] is read after it was overwritten}}
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// C5: the old value of a state.
module attributes {raf.state_bytes = 64 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c5(%w: tensor<4xf32> {raf.name = "w", raf.kind = "param", raf.place = "state+0[1]"})
      -> (tensor<4xf32> {raf.updates = "w"}, tensor<4xf32>) attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-note @below {{by this kernel}}
    %a = gen.kernel (%0 = %w : tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %1 : tensor<4xf32>
    } {raf.places = ["state+0[1]"]}
    // expected-error @below {{(C5) the old value of state "w" at state+0[1] is read after it was overwritten}}
    %b = gen.kernel (%0 = %w : tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %1 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// C6: an update that ends elsewhere.
module attributes {raf.state_bytes = 64 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c6(%w: tensor<4xf32> {raf.name = "w", raf.kind = "param", raf.place = "state+0[1]"})
      -> (tensor<4xf32> {raf.updates = "w"}) attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    %a = gen.kernel (%0 = %w : tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %1 : tensor<4xf32>
    } {raf.places = ["arena+0[1]"]}
    // expected-error @below {{(C6) the new value of state "w" lies at arena+0[1], expected state+0[1]}}
    return %a : tensor<4xf32>
  }
}

// -----

// C6: state that is written although nothing updates it.
module attributes {raf.state_bytes = 64 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c6(%w: tensor<4xf32> {raf.name = "w", raf.kind = "param", raf.place = "state+0[1]"}) -> tensor<4xf32>
      attributes {raf.arena_bytes = 0 : i64, raf.arena_bound = 0 : i64} {
    // expected-error @below {{(C6) state "w" is overwritten, but no result updates it}}
    %a = gen.kernel (%0 = %w : tensor<4xf32>) -> (tensor<4xf32>) {
      %1 = raf.exp %0 : tensor<4xf32>
      gen.yield %1 : tensor<4xf32>
    } {raf.places = ["state+0[1]"]}
    return %a : tensor<4xf32>
  }
}

// -----

// C7: a result in what the caller owns.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c7(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<4xf32> attributes {raf.arena_bytes = 0 : i64, raf.arena_bound = 0 : i64} {
    // expected-error @below {{(C7) a result cannot lie at input0+0[1]}}
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["input0+0[1]"]}
    return %a : tensor<4xf32>
  }
}

// -----

// C8: strides that the kernel does not take.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c8(%x: tensor<4x8xf32> {raf.place = "input0+0[8,1]"}) -> tensor<4x8xf32> attributes {raf.arena_bytes = 128 : i64, raf.arena_bound = 128 : i64} {
    %s = raf.slice %x {starts = array<i64: 0, 0>, limits = array<i64: 4, 8>, strides = array<i64: 1, 2>, raf.places = ["input0+0[8,2]"]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
    // expected-error @below {{(C8) operand 0 at input0+0[8,2]: the kernel expects contiguous elements}}
    %a = onednn.matmul %s, %x {raf.places = ["arena+0[8,1]"]} : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

// -----

// C8: a result with gaps.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  func.func @c8(%x: tensor<4xf32> {raf.place = "input0+0[1]"}) -> tensor<4xf32> attributes {raf.arena_bytes = 64 : i64, raf.arena_bound = 64 : i64} {
    // expected-error @below {{(C8) result 0 at arena+0[2] is not contiguous}}
    %a = gen.kernel (%0 = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %0 : tensor<4xf32>
    } {raf.places = ["arena+0[2]"]}
    return %a : tensor<4xf32>
  }
}

// -----

// A malformed place is named.
module attributes {raf.state_bytes = 0 : i64, raf.constant_bytes = 0 : i64} {
  // expected-error @below {{expected a place with 1 strides, but got "arena0[1]"}}
  func.func @malformed(%x: tensor<4xf32> {raf.place = "arena0[1]"}) attributes {raf.arena_bytes = 0 : i64, raf.arena_bound = 0 : i64} {
    return
  }
}

// -----

// No plan at all.
// expected-error @below {{has no plan: expected attributes raf.state_bytes and raf.constant_bytes}}
module {
  func.func @none(%x: tensor<4xf32>) { return }
}
