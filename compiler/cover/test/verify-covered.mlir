// What may stand in a function after the cover, and the errors for what may not.
// RUN: raf-opt %s --raf-verify-covered --split-input-file --verify-diagnostics

func.func @uncovered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{(V1) expected a kernel, a view or a constant, but got 'raf.exp'}}
  %0 = raf.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @moving_reshape(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // expected-error @+1 {{(V2) expected 'raf.reshape' between kernels to be a view, but it has to move elements}}
  %1 = raf.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

func.func @foreign_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = gen.kernel (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    // expected-error @+1 {{(V3) expected only raf ops in a generated kernel, but got 'gen.kernel'}}
    %1 = gen.kernel (%b = %a : tensor<4xf32>) -> (tensor<4xf32>) {
      gen.yield %b : tensor<4xf32>
    }
    gen.yield %1 : tensor<4xf32>
  } {raf.predicted_seconds = 1.0e-6 : f64}
  return %0 : tensor<4xf32>
}

// -----

func.func @composite(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{(V3) expected a group that has a loop nest}}
  %0 = gen.kernel (%a = %x : tensor<4x5xf32>) -> (tensor<4x5xf32>) {
    %1 = raf.softmax %a {dim = 1 : i64} : tensor<4x5xf32>
    gen.yield %1 : tensor<4x5xf32>
  } {raf.predicted_seconds = 1.0e-6 : f64}
  return %0 : tensor<4x5xf32>
}

// -----

func.func @strided_operand(%x: tensor<4x6x2xf32>, %w: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %0 = "raf.slice"(%x) {starts = array<i64: 0, 0, 1>, limits = array<i64: 4, 6, 2>, strides = array<i64: 1, 1, 1>} : (tensor<4x6x2xf32>) -> tensor<4x6x1xf32>
  %1 = raf.reshape %0 : tensor<4x6x1xf32> -> tensor<4x6xf32>
  // expected-error @+1 {{(V4) expected operand 0 in strides that the kernel takes, but got a view that it does not}}
  %2 = onednn.matmul %1, %w {raf.predicted_seconds = 1.0e-6 : f64} : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

func.func @no_cost(%x: tensor<4x6xf32>, %w: tensor<6x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{(V5) expected the attribute 'raf.predicted_seconds'}}
  %0 = onednn.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @strided_result(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // expected-error @+1 {{(V6) expected a contiguous value, but got a strided view as result 0}}
  return %0 : tensor<6x4xf32>
}
