// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=sgd hyper=momentum:0.9,nesterov:1" --raf-simplify | FileCheck %s --check-prefix=SGD
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=adamw hyper=weight_decay:0.1 groups=b:weight_decay:0.5,w:lr_scale:2" --raf-simplify | FileCheck %s --check-prefix=ADAMW
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=adam decay-biases-and-norms=true hyper=weight_decay:0.1" | FileCheck %s --check-prefix=ALL
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=adagrad hyper=initial_accumulator_value:0.25" | FileCheck %s --check-prefix=ADAGRAD
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=rmsprop" | FileCheck %s --check-prefix=RMSPROP
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=lamb" | FileCheck %s --check-prefix=LAMB
// RUN: raf-opt %s --raf-differentiate --raf-optimizer="name=lion keep=true" | FileCheck %s --check-prefix=LION
// RUN: not raf-opt %s --raf-differentiate --raf-optimizer="name=adem" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not raf-opt %s --raf-differentiate --raf-optimizer="name=adam hyper=momentum:1" 2>&1 | FileCheck %s --check-prefix=HYPER
// RUN: not raf-opt %s --raf-differentiate --raf-optimizer="name=adam hyper=beta1:1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not raf-opt %s --raf-differentiate --raf-optimizer="name=adam groups=v:eps:1" 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not raf-opt %s --raf-differentiate --raf-optimizer="name=sgd hyper=nesterov:1" 2>&1 | FileCheck %s --check-prefix=NESTEROV

// State is one tensor per slot, zeros at first, named after its parameter; the parameter without a path to the loss stays as it is.
// SGD: func.func @train_step
// SGD-SAME: {raf.init = "zeros", raf.kind = "opt", raf.name = "w/momentum_buffer"}
// SGD-NOT: unused/momentum_buffer
// SGD-SAME: {raf.name = "w/momentum_buffer", raf.updates = "w/momentum_buffer"}
// SGD: raf.sgd_momentum %arg0, %{{.*}}dampening = 0.000000e+00 : f64, momentum = {{.*}}, nesterov, weight_decay = 0.000000e+00

// A group's word counts before the rule that biases and norms do not decay; lr_scale multiplies the rate.
// ADAMW: func.func @train_step
// ADAMW-NOT: @value_and_grad
// ADAMW: %[[RATE:.*]] = raf.mul %{{.*}}, %{{.*}} : tensor<f32>
// ADAMW: raf.adam %arg0, %{{.*}}, %[[RATE]], {{.*}}decoupled, {{.*}}weight_decay = 1.000000e-01
// ADAMW: raf.adam %{{.*}}, %arg{{[0-9]+}}, %{{.*}}decoupled, {{.*}}weight_decay = 5.000000e-01

// ALL: raf.adam
// ALL-NOT: decoupled
// ALL-SAME: weight_decay = 1.000000e-01 : f64} : (tensor<3x2xf32>
// ALL: raf.adam {{.*}}weight_decay = 1.000000e-01 : f64} : (tensor<2xf32>

// ADAGRAD: raf.init = "fill(0.25)", raf.kind = "opt", raf.name = "w/sum"
// ADAGRAD: raf.adagrad {{.*}}eps = 1.000000e-10 : f64, lr_decay = 0.000000e+00

// Without momentum there is no momentum state.
// RMSPROP: raf.name = "w/square_avg"
// RMSPROP-NOT: w/momentum_buffer
// RMSPROP: %{{.*}}, %{{.*}}, %{{.*}} = raf.rmsprop {{.*}}momentum = 0.000000e+00

// LAMB: raf.lamb {{.*}}eps = 9.9999999999999995E-7

// LION: func.func @value_and_grad
// LION: raf.lion {{.*}}beta2 = 0.98999999999999999

// NAME: expected an optimizer of sgd, adam, adamw, lamb, lans, adagrad, rmsprop, lion, but got 'adem'
// HYPER: expected a hyper-parameter of adam (lr_scale, beta1, beta2, eps, weight_decay, maximize), but got 'momentum'
// RANGE: expected 0 <= value < 1 for beta1, but got 1
// GROUP: expected a trainable parameter for the hyper-parameters of 'v', but there is none of that name
// NESTEROV: expected a momentum > 0 and dampening 0 with nesterov, but got 0
func.func @forward(%w: tensor<3x2xf32> {raf.name = "w", raf.kind = "param", raf.init = "normal(0,1)"},
                   %b: tensor<2xf32> {raf.name = "b", raf.kind = "param", raf.init = "zeros"},
                   %u: tensor<3x2xf32> {raf.name = "unused", raf.kind = "param", raf.init = "zeros"},
                   %x: tensor<5x3xf32> {raf.name = "x", raf.kind = "input"}) -> (tensor<f32> {raf.name = "loss"}) {
  %0 = raf.matmul %x, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %1 = raf.broadcast %b dims [1] : tensor<2xf32> -> tensor<5x2xf32>
  %2 = raf.add %0, %1 : tensor<5x2xf32>
  %3 = raf.mul %2, %2 : tensor<5x2xf32>
  %4 = raf.reduce_sum %3 dims [0, 1] : tensor<5x2xf32> -> tensor<f32>
  return %4 : tensor<f32>
}
