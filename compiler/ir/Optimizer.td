// One update of one parameter. Formulas and defaults are torch.optim's; `step` counts from 1; `scale` multiplies the gradient first
// (the factor of global-norm clipping, 1 without it).
#ifndef RAF_IR_OPTIMIZER_TD
#define RAF_IR_OPTIMIZER_TD

include "compiler/ir/Base.td"

def SameTypeUpdate : NativeOpTrait<"SameTypeUpdate"> { let cppNamespace = "::raf"; }

// (C1) param, grad and slots have equal types. lr, scale: tensor<f32>; step: tensor<i64>.
class RAF_UpdateOp<string mnemonic, string formula, dag slots, dag newSlots, dag attributes> : RAF_Op<mnemonic, [SameTypeUpdate]> {
  let summary = formula;
  let arguments = !con((ins RAF_FloatTensor:$param, RAF_FloatTensor:$grad), slots,
                       (ins RAF_F32Scalar:$lr, RAF_F32Scalar:$scale, RAF_I64Scalar:$step), attributes);
  let results = !con((outs RAF_FloatTensor:$new_param), newSlots);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 12 * ::raf::countElements({getParam().getType()}); }
  }];
}

def RAF_SgdOp : RAF_UpdateOp<"sgd", "stochastic gradient descent without momentum", (ins), (outs),
    (ins F64Attr:$weight_decay, UnitAttr:$maximize)>;
def RAF_SgdMomentumOp : RAF_UpdateOp<"sgd_momentum", "SGD with momentum (Nesterov)", (ins RAF_FloatTensor:$momentum_buffer), (outs RAF_FloatTensor:$new_momentum_buffer),
    (ins F64Attr:$momentum, F64Attr:$dampening, F64Attr:$weight_decay, UnitAttr:$nesterov, UnitAttr:$maximize)>;
def RAF_AdamOp : RAF_UpdateOp<"adam", "Adam (decay added to the gradient) or AdamW (decoupled)", (ins RAF_FloatTensor:$exp_avg, RAF_FloatTensor:$exp_avg_sq),
    (outs RAF_FloatTensor:$new_exp_avg, RAF_FloatTensor:$new_exp_avg_sq),
    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$eps, F64Attr:$weight_decay, UnitAttr:$decoupled, UnitAttr:$maximize)>;
def RAF_LambOp : RAF_UpdateOp<"lamb", "Adam direction scaled by |param| / |update|", (ins RAF_FloatTensor:$exp_avg, RAF_FloatTensor:$exp_avg_sq),
    (outs RAF_FloatTensor:$new_exp_avg, RAF_FloatTensor:$new_exp_avg_sq),
    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$eps, F64Attr:$weight_decay)>;
def RAF_LansOp : RAF_UpdateOp<"lans", "LAMB with the gradient normalised per tensor and Nesterov momentum", (ins RAF_FloatTensor:$exp_avg, RAF_FloatTensor:$exp_avg_sq),
    (outs RAF_FloatTensor:$new_exp_avg, RAF_FloatTensor:$new_exp_avg_sq),
    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$eps, F64Attr:$weight_decay)>;
def RAF_AdagradOp : RAF_UpdateOp<"adagrad", "Adagrad", (ins RAF_FloatTensor:$sum), (outs RAF_FloatTensor:$new_sum),
    (ins F64Attr:$lr_decay, F64Attr:$eps, F64Attr:$weight_decay)>;
def RAF_RmspropOp : RAF_UpdateOp<"rmsprop", "RMSprop, with momentum when momentum > 0", (ins RAF_FloatTensor:$square_avg, RAF_FloatTensor:$momentum_buffer),
    (outs RAF_FloatTensor:$new_square_avg, RAF_FloatTensor:$new_momentum_buffer),
    (ins F64Attr:$alpha, F64Attr:$eps, F64Attr:$weight_decay, F64Attr:$momentum)>;
def RAF_LionOp : RAF_UpdateOp<"lion", "sign of an interpolated momentum", (ins RAF_FloatTensor:$exp_avg), (outs RAF_FloatTensor:$new_exp_avg),
    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$weight_decay)>;

#endif
