// Extents are parameters; exp is computed on vectors, without a call.
// RUN: raf-opt %s --raf-emit-llvm 2>&1 >/dev/null | FileCheck %s

// CHECK: define void @kernel(ptr noalias readonly %0, ptr noalias readonly %1, i64 %2, i64 %3, ptr noalias %4)
// CHECK-NOT: call float @expf
// CHECK: call <8 x float> @llvm.fma.v8f32
// CHECK: call void @llvm.masked.store.v8f32
func.func @f(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = gen.kernel (%a = %x : tensor<100xf32>) -> (tensor<100xf32>) {
    %e = raf.exp %a : tensor<100xf32>
    gen.yield %e : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}
