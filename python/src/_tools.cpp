// raf._tools: the compiler for tests. Arrays cross as (dtype name, shape, bytes); raf/tools.py
// makes NumPy arrays of them.
#include "compiler/api/Tools.h"

#include "python/src/Errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace raf;

namespace {

using Shape = std::vector<int64_t>;
using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Typed = std::tuple<std::string, Shape>;
using Argument = std::tuple<std::string, Shape, Bytes>;
using Result = std::tuple<std::string, Shape, nb::bytes>;

DType parse(const std::string &name) {
  if (auto dtype = dtypeFromName(name))
    return *dtype;
  throw UsageError("expected a dtype such as f32, but got " + name);
}

std::vector<Result> evaluate(const std::string &module, const std::string &function,
                             const std::vector<Argument> &arguments, bool float64) {
  std::vector<tools::ArrayView> views;
  for (const auto &[dtype, shape, bytes] : arguments)
    views.push_back(
        {{parse(dtype), shape}, {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()}});
  std::vector<tools::Array> arrays;
  {
    nb::gil_scoped_release release;
    arrays = tools::evaluate(module, function, views, float64);
  }
  std::vector<Result> results;
  for (const tools::Array &array : arrays)
    results.emplace_back(std::string(nameOf(array.type.dtype)), array.type.shape,
                         nb::bytes(array.bytes.data(), array.bytes.size()));
  return results;
}

std::vector<Typed> typed(const std::vector<tools::ArrayType> &types) {
  std::vector<Typed> result;
  for (const tools::ArrayType &type : types)
    result.emplace_back(std::string(nameOf(type.dtype)), type.shape);
  return result;
}

} // namespace

NB_MODULE(_tools, m) {
  translateErrors();

  m.def("transform", &tools::transform, nb::arg("module"), nb::arg("pipeline"),
        nb::call_guard<nb::gil_scoped_release>());
  m.def("signature", [](const std::string &module, const std::string &function) {
    tools::Signature s = tools::signature(module, function);
    return std::make_tuple(typed(s.arguments), typed(s.results));
  });
  m.def("evaluate", &evaluate, nb::arg("module"), nb::arg("function"), nb::arg("arguments"),
        nb::arg("float64"));
  m.def("registered_ops", [] {
    nb::dict ops;
    for (const tools::OpInfo &op : tools::registeredOps()) {
      nb::list names;
      for (const std::string &name : op.interfaces)
        names.append(name);
      ops[op.name.c_str()] = names;
    }
    return ops;
  });
}
