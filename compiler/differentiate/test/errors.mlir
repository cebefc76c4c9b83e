// RUN: raf-opt %s --split-input-file --raf-differentiate=inputs=ids -verify-diagnostics

// What cannot be differentiated is said of the function or op it is about, with what was expected.

// expected-error @+1 {{expected the loss 'y' to be a rank-0 float tensor, but got 'tensor<2xf32>'}}
func.func @forward(%w: tensor<2xf32> {raf.name = "w", raf.kind = "param"}, %i: tensor<f32> {raf.name = "ids", raf.kind = "input"})
    -> (tensor<2xf32> {raf.name = "y"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected the loss 'n' to be a rank-0 float tensor, but got 'tensor<i64>'}}
func.func @forward(%w: tensor<i64> {raf.name = "w", raf.kind = "input"}, %i: tensor<f32> {raf.name = "ids", raf.kind = "input"}) -> (tensor<i64> {raf.name = "n"}) {
  return %w : tensor<i64>
}

// -----

// expected-error @+1 {{expected a float input named 'ids', but got 'tensor<2xi64>'}}
func.func @forward(%w: tensor<f32> {raf.name = "w", raf.kind = "param"}, %i: tensor<2xi64> {raf.name = "ids", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}) {
  return %w : tensor<f32>
}

// -----

// Every op without a derivative is named, not only the first.
func.func @forward(%w: tensor<f32> {raf.name = "w", raf.kind = "param"}, %i: tensor<f32> {raf.name = "ids", raf.kind = "input"}, %n: tensor<i64> {raf.name = "n", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}) {
  // expected-error @+1 {{'raf.sgd' op has no derivative}}
  %0 = raf.sgd %w, %w, %i, %i, %n {weight_decay = 0.0} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<f32>
  // expected-error @+1 {{'raf.lion' op has no derivative}}
  %1, %2 = raf.lion %w, %w, %w, %i, %i, %n {beta1 = 0.9, beta2 = 0.9, weight_decay = 0.0} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<f32>)
  %3 = raf.add %0, %1 : tensor<f32>
  return %3 : tensor<f32>
}
