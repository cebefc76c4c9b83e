// A linear model with a ReLU and a mean squared error: the smallest training step that has everything. ARCHITECTURE.md follows it.
func.func @forward(%w: tensor<4x3xf32> {raf.name = "w", raf.kind = "param", raf.init = "normal(0,0.5)"},
                   %x: tensor<8x3xf32> {raf.name = "x", raf.kind = "input"},
                   %target: tensor<8x4xf32> {raf.name = "target", raf.kind = "input"})
    -> (tensor<f32> {raf.name = "loss"}) {
  %z = raf.matmul %x, %w {transpose_b} : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
  %y = raf.relu %z : tensor<8x4xf32>
  %d = raf.sub %y, %target : tensor<8x4xf32>
  %square = raf.mul %d, %d : tensor<8x4xf32>
  %loss = raf.mean %square dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
