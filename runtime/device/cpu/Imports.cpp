// What generated code may call. Adding a name here is all it takes to allow it.
#include "runtime/device/cpu/CodeImage.h"

#include "common/HalfFloat.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <math.h>
#include <unordered_map>

namespace raf::runtime {
namespace {

// LLVM calls this where the processor cannot round to bf16 itself; older libgcc lacks it.
__bf16 truncateToBf16(float value) { return std::bit_cast<__bf16>(BF16(value).bits); }

template <class Fn> const void *address(Fn *fn) { return reinterpret_cast<const void *>(fn); }

using F64Unary = double(double);
using F64Binary = double(double, double);
using F32Unary = float(float);
using F32Binary = float(float, float);

#define RAF_UNARY(name)                                                                            \
  {#name, address(static_cast<F64Unary *>(::name))}, {                                             \
    #name "f", address(static_cast<F32Unary *>(::name##f))                                         \
  }
#define RAF_BINARY(name)                                                                           \
  {#name, address(static_cast<F64Binary *>(::name))}, {                                            \
    #name "f", address(static_cast<F32Binary *>(::name##f))                                        \
  }

const std::unordered_map<std::string_view, const void *> &table() {
  static const std::unordered_map<std::string_view, const void *> symbols = {
      RAF_UNARY(exp),
      RAF_UNARY(exp2),
      RAF_UNARY(expm1),
      RAF_UNARY(log),
      RAF_UNARY(log2),
      RAF_UNARY(log10),
      RAF_UNARY(log1p),
      RAF_UNARY(sqrt),
      RAF_UNARY(cbrt),
      RAF_UNARY(sin),
      RAF_UNARY(cos),
      RAF_UNARY(tan),
      RAF_UNARY(asin),
      RAF_UNARY(acos),
      RAF_UNARY(atan),
      RAF_UNARY(sinh),
      RAF_UNARY(cosh),
      RAF_UNARY(tanh),
      RAF_UNARY(asinh),
      RAF_UNARY(acosh),
      RAF_UNARY(atanh),
      RAF_UNARY(erf),
      RAF_UNARY(erfc),
      RAF_UNARY(tgamma),
      RAF_UNARY(lgamma),
      RAF_UNARY(floor),
      RAF_UNARY(ceil),
      RAF_UNARY(trunc),
      RAF_UNARY(round),
      RAF_UNARY(roundeven),
      RAF_UNARY(rint),
      RAF_UNARY(nearbyint),
      RAF_UNARY(fabs),
      RAF_BINARY(pow),
      RAF_BINARY(atan2),
      RAF_BINARY(fmod),
      RAF_BINARY(hypot),
      RAF_BINARY(fmin),
      RAF_BINARY(fmax),
      RAF_BINARY(copysign),
      RAF_BINARY(remainder),
      {"fma", address(static_cast<double (*)(double, double, double)>(::fma))},
      {"fmaf", address(static_cast<float (*)(float, float, float)>(::fmaf))},
      {"memcpy", address(static_cast<void *(*)(void *, const void *, size_t)>(::memcpy))},
      {"memmove", address(static_cast<void *(*)(void *, const void *, size_t)>(::memmove))},
      {"memset", address(static_cast<void *(*)(void *, int, size_t)>(::memset))},
      {"__truncsfbf2", address(truncateToBf16)},
  };
  return symbols;
}

#undef RAF_UNARY
#undef RAF_BINARY

} // namespace

const void *importedSymbol(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

} // namespace raf::runtime
