"""The accuracy rule: how near RAF must be to PyTorch (docs/design: numerics).

For each tensor (outputs, loss, gradients, updated parameters), with the float64 result as the truth,

    rmse(raf) <= k * rmse(eager) + tol * rms(truth) + 1e-6 * (largest gradient rms of the model)

Relative to eager's own error, so that an ill-conditioned tensor is not held to more than float32 can give; the last term
is for tensors whose true value is zero (a key bias under softmax), where both only have rounding.
"""

import dataclasses

import numpy as np

# k: the room for another order of summation; few elements make the root mean square noisy.
K, K_FEW, FEW = 2.0, 3.0, 1000
TOLERANCE = {"fp32": 1e-4, "amp": 1e-3, "amp-deep": 1e-2}
ZERO_SHARE = 1e-6


def rms(x):
    x = np.asarray(x, dtype=np.float64)
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


@dataclasses.dataclass
class Rule:
    """The rule for one model; `zero` is the last term."""

    zero: float
    tolerance: float = TOLERANCE["fp32"]
    low_precision: bool = False

    def complaint(self, name, actual, eager, exact):
        """None when the tensor passes, else a line that says by how much it fails."""
        actual, eager, exact = (np.asarray(x, dtype=np.float64) for x in (actual, eager, exact))
        if actual.shape != exact.shape:
            return f"{name}: expected shape {exact.shape}, but got {actual.shape}"
        k = K_FEW if self.low_precision or exact.size < FEW else K
        allowed = k * rms(eager - exact) + self.tolerance * rms(exact) + self.zero
        error = rms(actual - exact)
        if error <= allowed:  # false for NaN
            return None
        return (f"{name}: rmse {error:.3g} against float64, allowed {allowed:.3g} "
                f"(eager has {rms(eager - exact):.3g}, the tensor's rms is {rms(exact):.3g})")

    def complaints(self, actual, eager, exact):
        """All complaints over dicts of tensors; a tensor that is missing or too much is one."""
        lines = [f"{name}: missing" for name in sorted(exact.keys() - actual.keys())]
        lines += [f"{name}: unexpected" for name in sorted(actual.keys() - exact.keys())]
        for name in exact.keys() & actual.keys():
            line = self.complaint(name, actual[name], eager[name], exact[name])
            if line:
                lines.append(line)
        return sorted(lines)


def rule_for(exact_gradients, tolerance="fp32"):
    """The rule of a model with these float64 gradients."""
    largest = max((rms(g) for g in exact_gradients.values()), default=0.0)
    return Rule(ZERO_SHARE * largest, TOLERANCE[tolerance], tolerance != "fp32")
