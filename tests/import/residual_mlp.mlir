// The program of docs/guides/write-a-model.md prints a module that raf-opt verifies.
// RUN: residual-mlp | raf-opt | FileCheck %s
// CHECK: func.func @forward
// CHECK-SAME: raf.name = "blocks.1.down.weight"
// CHECK-SAME: raf.name = "loss"
// CHECK: raf.cross_entropy
