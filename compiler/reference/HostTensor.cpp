#include "compiler/reference/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"

#include <cassert>
#include <cmath>
#include <cstring>

namespace raf {
namespace {

const llvm::fltSemantics &semanticsOf(DType dtype) {
  return dtype == DType::BF16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
}

uint16_t toBits16(DType dtype, double value) {
  llvm::APFloat f(value);
  bool lossy;
  f.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(f.bitcastToAPInt().getZExtValue());
}

double fromBits16(DType dtype, uint16_t bits) {
  llvm::APFloat f(semanticsOf(dtype), llvm::APInt(16, bits));
  bool lossy;
  f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return f.convertToDouble();
}

template <typename T> T read(const void *bytes, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(bytes) + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void put(void *bytes, int64_t i, T value) {
  std::memcpy(static_cast<std::byte *>(bytes) + i * sizeof(T), &value, sizeof(T));
}

double readFloat(DType dtype, const void *bytes, int64_t i) {
  switch (dtype) {
  case DType::F32:
    return read<float>(bytes, i);
  case DType::F64:
    return read<double>(bytes, i);
  default:
    return fromBits16(dtype, read<uint16_t>(bytes, i));
  }
}

int64_t readInt(DType dtype, const void *bytes, int64_t i) {
  switch (dtype) {
  case DType::I1:
    return read<uint8_t>(bytes, i) != 0;
  case DType::U8:
    return read<uint8_t>(bytes, i);
  case DType::I8:
    return read<int8_t>(bytes, i);
  case DType::I16:
    return read<int16_t>(bytes, i);
  case DType::I32:
    return read<int32_t>(bytes, i);
  default:
    return read<int64_t>(bytes, i);
  }
}

} // namespace

double roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::F64:
    return value;
  case DType::F32:
    return static_cast<float>(value);
  default:
    return fromBits16(dtype, toBits16(dtype, static_cast<float>(value)));
  }
}

int64_t wrapTo(DType dtype, int64_t value) {
  switch (dtype) {
  case DType::I1:
    return value & 1;
  case DType::U8:
    return static_cast<uint8_t>(value);
  case DType::I8:
    return static_cast<int8_t>(value);
  case DType::I16:
    return static_cast<int16_t>(value);
  case DType::I32:
    return static_cast<int32_t>(value);
  default:
    return value;
  }
}

HostTensor::HostTensor(DType dtype, llvm::ArrayRef<int64_t> shape)
    : type(dtype), extents(shape), count(1), elements(std::make_shared<Elements>()) {
  for (int64_t extent : shape)
    count *= extent;
  assert(count <= kMaxElements && "the interpreter checks sizes first");
  if (isFloat())
    elements->floats.resize(count);
  else
    elements->ints.resize(count);
}

HostTensor::HostTensor(DType dtype, llvm::ArrayRef<int64_t> shape, const void *bytes)
    : HostTensor(dtype, shape) {
  for (int64_t i = 0; i < count; ++i)
    if (isFloat())
      elements->floats[i] = readFloat(dtype, bytes, i);
    else
      elements->ints[i] = readInt(dtype, bytes, i);
}

HostTensor HostTensor::reshaped(llvm::ArrayRef<int64_t> shape) const {
  HostTensor result = *this;
  result.extents.assign(shape.begin(), shape.end());
  return result;
}

HostTensor HostTensor::withFloats(DType dtype) const {
  if (!isFloat() || dtype == type)
    return *this;
  HostTensor result(dtype, extents);
  for (int64_t i = 0; i < count; ++i)
    result.setFloat(i, floats()[i]);
  return result;
}

void HostTensor::write(void *bytes) const {
  for (int64_t i = 0; i < count; ++i) {
    switch (type) {
    case DType::F32:
      put(bytes, i, static_cast<float>(floats()[i]));
      break;
    case DType::F64:
      put(bytes, i, floats()[i]);
      break;
    case DType::BF16:
    case DType::F16:
      put(bytes, i, toBits16(type, floats()[i]));
      break;
    case DType::I1:
    case DType::U8:
    case DType::I8:
      put(bytes, i, static_cast<uint8_t>(ints()[i]));
      break;
    case DType::I16:
      put(bytes, i, static_cast<int16_t>(ints()[i]));
      break;
    case DType::I32:
      put(bytes, i, static_cast<int32_t>(ints()[i]));
      break;
    case DType::I64:
      put(bytes, i, ints()[i]);
      break;
    }
  }
}

} // namespace raf
