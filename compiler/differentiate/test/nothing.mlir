// RUN: raf-opt %s --raf-differentiate -verify-diagnostics

// A model with neither a trainable parameter nor a requested input has nothing to differentiate.
// expected-error @+1 {{has nothing to differentiate: expected a trainable parameter or an input that needs a gradient}}
func.func @forward(%w: tensor<f32> {raf.name = "w", raf.kind = "param", raf.frozen}, %x: tensor<f32> {raf.name = "x", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}) {
  %0 = raf.mul %w, %x : tensor<f32>
  return %0 : tensor<f32>
}
