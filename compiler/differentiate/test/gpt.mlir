// RUN: raf-opt %s --raf-simplify --raf-differentiate=outputs=true --raf-optimizer="name=adamw clip=1 outputs=true keep=true" --raf-evaluation-mode --raf-simplify | FileCheck %s

// A transformer's train step as a whole: pieces of the fused projection get one joined cotangent, attention has its own gradient op,
// dropout repeats its mask from the key, and tied weights add their two gradients.

// CHECK-LABEL: func.func @forward
// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: "key"
// CHECK-NOT: raf.dropout
// CHECK: raf.attention {{.*}} {causal, id = 1
// CHECK-SAME: operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>
// CHECK-LABEL: func.func @value_and_grad
// CHECK-LABEL: func.func @train_step
// CHECK: %[[A:.*]], %[[L:.*]] = raf.attention %[[Q:.*]], %[[K:.*]], %[[V:.*]], %[[KEY:.*]] {causal, dropout = 1.000000e-01
// CHECK: raf.cross_entropy
// CHECK: raf.attention_grad %[[Q]], %[[K]], %[[V]], %[[A]], %[[L]], %{{.*}}, %[[KEY]] {causal, dropout = 1.000000e-01
// CHECK-NOT: raf.pad
// CHECK: raf.concat {{.*}} {dim = 2 : i64} : (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x18xf32>
// CHECK-NOT: raf.pad
// CHECK: raf.dropout %{{.*}}, %[[KEY]] {id = 0 : i64
// CHECK: raf.embedding_grad
// CHECK: raf.minimum
// CHECK-DAG: raf.adam %[[W:.*]]decoupled, eps = 1.000000e-08 : f64, weight_decay = 1.000000e-02 : f64} : (tensor<11x6xf32>
// CHECK-DAG: raf.adam %{{.*}}decoupled, eps = 1.000000e-08 : f64, weight_decay = 0.000000e+00 : f64} : (tensor<6xf32>
func.func @forward(%wte: tensor<11x6xf32> {raf.name = "wte", raf.kind = "param", raf.init = "normal(0,0.02)"},
                   %lnw: tensor<6xf32> {raf.name = "ln.weight", raf.kind = "param", raf.init = "ones"},
                   %lnb: tensor<6xf32> {raf.name = "ln.bias", raf.kind = "param", raf.init = "zeros"},
                   %wqkv: tensor<6x18xf32> {raf.name = "qkv", raf.kind = "param", raf.init = "normal(0,0.02)"},
                   %ids: tensor<2x4xi64> {raf.name = "ids", raf.kind = "input"},
                   %labels: tensor<2x4xi64> {raf.name = "labels", raf.kind = "input"},
                   %key: tensor<2xi64> {raf.name = "key", raf.kind = "key"})
    -> (tensor<f32> {raf.name = "loss"}, tensor<2x4x11xf32> {raf.name = "logits"}) {
  %0 = raf.embedding %wte, %ids : (tensor<11x6xf32>, tensor<2x4xi64>) -> tensor<2x4x6xf32>
  %1 = raf.dropout %0, %key {id = 0 : i64, p = 0.1} : tensor<2x4x6xf32>, tensor<2xi64> -> tensor<2x4x6xf32>
  %2, %mean, %rstd = raf.layer_norm %1, %lnw, %lnb {axes = 1 : i64, eps = 1.0e-5, operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<2x4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x4x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %3 = raf.matmul %2, %wqkv : (tensor<2x4x6xf32>, tensor<6x18xf32>) -> tensor<2x4x18xf32>
  %q0 = raf.slice %3 {starts = array<i64: 0, 0, 0>, limits = array<i64: 2, 4, 6>, strides = array<i64: 1, 1, 1>} : (tensor<2x4x18xf32>) -> tensor<2x4x6xf32>
  %k0 = raf.slice %3 {starts = array<i64: 0, 0, 6>, limits = array<i64: 2, 4, 12>, strides = array<i64: 1, 1, 1>} : (tensor<2x4x18xf32>) -> tensor<2x4x6xf32>
  %v0 = raf.slice %3 {starts = array<i64: 0, 0, 12>, limits = array<i64: 2, 4, 18>, strides = array<i64: 1, 1, 1>} : (tensor<2x4x18xf32>) -> tensor<2x4x6xf32>
  %q1 = raf.reshape %q0 : tensor<2x4x6xf32> -> tensor<2x4x2x3xf32>
  %k1 = raf.reshape %k0 : tensor<2x4x6xf32> -> tensor<2x4x2x3xf32>
  %v1 = raf.reshape %v0 : tensor<2x4x6xf32> -> tensor<2x4x2x3xf32>
  %q = raf.transpose %q1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
  %k = raf.transpose %k1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
  %v = raf.transpose %v1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
  %a0, %lse = raf.attention %q, %k, %v, %key {causal, dropout = 0.1, id = 1 : i64, scale = 0.5773, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>, tensor<2xi64>) -> (tensor<2x2x4x3xf32>, tensor<2x2x4xf32>)
  %a1 = raf.transpose %a0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x2x4x3xf32>) -> tensor<2x4x2x3xf32>
  %a2 = raf.reshape %a1 : tensor<2x4x2x3xf32> -> tensor<2x4x6xf32>
  %a3 = raf.gelu %a2 tanh : tensor<2x4x6xf32>
  %4 = raf.add %a3, %1 : tensor<2x4x6xf32>
  %logits = raf.matmul %4, %wte {transpose_b} : (tensor<2x4x6xf32>, tensor<11x6xf32>) -> tensor<2x4x11xf32>
  %5 = raf.reshape %logits : tensor<2x4x11xf32> -> tensor<8x11xf32>
  %6 = raf.reshape %labels : tensor<2x4xi64> -> tensor<8xi64>
  %loss, %lse2 = raf.cross_entropy %5, %6 {reduction = 1 : i32} : (tensor<8x11xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
  return %loss, %logits : tensor<f32>, tensor<2x4x11xf32>
}
