// RUN: raf-opt %s --raf-simplify | FileCheck %s

// Signs cancel, and only a negative zero may be dropped from a sum: x + 0.0 would turn -0.0 into 0.0.
// CHECK-LABEL: func.func @signs(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xi32>)
// CHECK: %[[ZERO:.*]] = raf.broadcast
// CHECK: %[[SUB:.*]] = raf.sub %arg0, %arg1
// CHECK: %[[MUL:.*]] = raf.mul %arg0, %arg1
// CHECK: %[[SUM:.*]] = raf.add %arg0, %[[ZERO]]
// CHECK: return %arg0, %[[SUB]], %[[MUL]], %arg0, %[[SUM]], %arg2
func.func @signs(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = raf.constant dense<0.0> : tensor<f32>
  %minus = raf.constant dense<-0.0> : tensor<f32>
  %izero = raf.constant dense<0> : tensor<i32>
  %z = raf.broadcast %zero dims [] : tensor<f32> -> tensor<4xf32>
  %m = raf.broadcast %minus dims [] : tensor<f32> -> tensor<4xf32>
  %iz = raf.broadcast %izero dims [] : tensor<i32> -> tensor<4xi32>
  %nx = raf.neg %x : tensor<4xf32>
  %ny = raf.neg %y : tensor<4xf32>
  %0 = raf.neg %nx : tensor<4xf32>
  %1 = raf.add %x, %ny : tensor<4xf32>
  %2 = raf.mul %nx, %ny : tensor<4xf32>
  %3 = raf.add %x, %m : tensor<4xf32>
  %4 = raf.add %x, %z : tensor<4xf32>
  %5 = raf.add %i, %iz : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// Dividing by a power of two is multiplying by its reciprocal, which is exact; by 3 it is not.
// CHECK-LABEL: func.func @divisions
// CHECK-DAG: %[[EIGHTH:.*]] = raf.constant dense<1.250000e-01>
// CHECK-DAG: %[[THREE:.*]] = raf.constant dense<3.000000e+00>
// CHECK: %[[A:.*]] = raf.mul %arg0, %[[EIGHTH]]
// CHECK: %[[B:.*]] = raf.div %arg0, %[[THREE]]
// CHECK: return %[[A]], %[[B]]
func.func @divisions(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %eight = raf.constant dense<8.0> : tensor<f32>
  %three = raf.constant dense<3.0> : tensor<f32>
  %0 = raf.div %x, %eight : tensor<f32>
  %1 = raf.div %x, %three : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// A cast that loses nothing goes, one that rounds stays.
// CHECK-LABEL: func.func @casts(%arg0: tensor<3xbf16>, %arg1: tensor<3xf32>, %arg2: tensor<3xi32>)
// CHECK: %[[A:.*]] = raf.cast %arg0 : tensor<3xbf16> -> tensor<3xf16>
// CHECK: %[[B:.*]] = raf.cast %arg1 : tensor<3xf32> -> tensor<3xbf16>
// CHECK: %[[C:.*]] = raf.cast %[[B]] : tensor<3xbf16> -> tensor<3xf32>
// CHECK: %[[D:.*]] = raf.cast %arg2 : tensor<3xi32> -> tensor<3xf32>
// CHECK: %[[E:.*]] = raf.cast %[[D]] : tensor<3xf32> -> tensor<3xi32>
// CHECK: return %arg0, %[[A]], %[[C]], %[[E]]
func.func @casts(%x: tensor<3xbf16>, %y: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>, tensor<3xi32>) {
  %0 = raf.cast %x : tensor<3xbf16> -> tensor<3xf32>
  %1 = raf.cast %0 : tensor<3xf32> -> tensor<3xbf16>
  %2 = raf.cast %0 : tensor<3xf32> -> tensor<3xf16>
  %3 = raf.cast %y : tensor<3xf32> -> tensor<3xbf16>
  %4 = raf.cast %3 : tensor<3xbf16> -> tensor<3xf32>
  %5 = raf.cast %i : tensor<3xi32> -> tensor<3xf32>
  %6 = raf.cast %5 : tensor<3xf32> -> tensor<3xi32>
  return %1, %2, %4, %6 : tensor<3xbf16>, tensor<3xf16>, tensor<3xf32>, tensor<3xi32>
}

// Equal computations are one, dead ones none, constant conditions choose.
// CHECK-LABEL: func.func @shared(%arg0: tensor<3xf32>, %arg1: tensor<3xi1>)
// CHECK-NEXT: %[[E:.*]] = raf.exp %arg0
// CHECK-NEXT: %[[S:.*]] = raf.select %arg1, %arg0, %[[E]]
// CHECK-NEXT: return %[[E]], %[[E]], %[[S]]
func.func @shared(%x: tensor<3xf32>, %c: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = raf.exp %x : tensor<3xf32>
  %1 = raf.exp %x : tensor<3xf32>
  %dead = raf.log %x : tensor<3xf32>
  %a = raf.constant dense<2.0> : tensor<f32>
  %b = raf.constant dense<3.0> : tensor<f32>
  %less = raf.compare lt %a, %b : tensor<f32> -> tensor<i1>
  %all = raf.broadcast %less dims [] : tensor<i1> -> tensor<3xi1>
  %2 = raf.select %all, %1, %x : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %n = raf.not %c : tensor<3xi1>
  %3 = raf.select %n, %0, %x : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
