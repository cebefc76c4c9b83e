// raf._session: compiles models and runs executables. Arrays cross as bytes with a dtype name and a
// shape; raf/session.py makes NumPy arrays of them. Links no MLIR: the compiler is opened when
// asked.
#include "compiler/api/Compiler.h"
#include "python/src/Errors.h"
#include "runtime/session/Session.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace raf;
using runtime::NamedTensor;
using runtime::Session;
using runtime::TensorView;

namespace {

using Shape = std::vector<int64_t>;
using Signature = std::vector<std::tuple<std::string, std::string, Shape>>;
using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Memory = nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>;
using Argument = std::tuple<std::string, Shape, Bytes>;

Signature signatureOf(const std::vector<NamedTensor> &tensors) {
  Signature result;
  for (const NamedTensor &t : tensors)
    result.emplace_back(t.name, std::string(nameOf(t.view.dtype)), t.view.shape);
  return result;
}

TensorView viewOf(const Argument &argument) {
  const auto &[dtype, shape, bytes] = argument;
  std::optional<DType> type = dtypeFromName(dtype);
  if (!type)
    throw UsageError("expected a dtype such as f32, but got " + dtype);
  TensorView view{const_cast<uint8_t *>(bytes.data()), *type, shape, {}};
  if (view.bytes() != bytes.size())
    throw ShapeError("expected " + std::to_string(view.bytes()) + " bytes, but got " +
                     std::to_string(bytes.size()));
  return view;
}

// Copies dimension `dim` and all inner ones of a strided tensor.
void gather(const TensorView &view, size_t dim, const std::byte *from, std::byte *&to) {
  const size_t size = sizeOf(view.dtype);
  if (dim == view.shape.size()) {
    std::memcpy(to, from, size);
    to += size;
    return;
  }
  for (int64_t i = 0; i < view.shape[dim]; ++i)
    gather(view, dim + 1, from + i * view.strides[dim] * static_cast<int64_t>(size), to);
}

nb::bytes copyOf(const TensorView &view) {
  const auto *data = static_cast<const std::byte *>(view.data);
  if (view.strides.empty() || view.numElements() == 0)
    return nb::bytes(data, view.bytes());
  std::vector<std::byte> copy(view.bytes());
  std::byte *to = copy.data();
  gather(view, 0, data, to);
  return nb::bytes(copy.data(), copy.size());
}

nb::dict outputsOf(Session &session, const std::string &function) {
  nb::dict result;
  for (const NamedTensor &t : session.outputs(function))
    result[t.name.c_str()] =
        nb::make_tuple(std::string(nameOf(t.view.dtype)), t.view.shape, copyOf(t.view));
  return result;
}

void run(Session &session, const std::string &function, const std::vector<Argument> &arguments) {
  std::vector<TensorView> views;
  for (const Argument &argument : arguments)
    views.push_back(viewOf(argument));
  nb::gil_scoped_release release;
  session.run(function, views);
}

// Memory of the session itself: a write to it sets the parameter.
nb::dict stateOf(nb::handle self) {
  nb::dict result;
  for (const runtime::StateInfo &s : nb::cast<Session &>(self).state()) {
    Memory memory(s.view.data, {s.view.bytes()}, self);
    result[s.name.c_str()] = nb::make_tuple(std::string(nameOf(s.view.dtype)), s.view.shape, memory,
                                            static_cast<int>(s.kind));
  }
  return result;
}

} // namespace

NB_MODULE(_session, m) {
  translateErrors();

  m.def(
      "compile",
      [](const std::string &model, const std::vector<std::string> &functions,
         const std::string &optimizer, const std::map<std::string, double> &hyper,
         double clipGradNorm, bool outputs, const std::string &dialects, const std::string &cpu,
         int threads, bool deterministic, const std::string &cache) {
        CompileOptions options;
        options.functions = functions;
        options.optimizer.name = optimizer;
        options.optimizer.hyper = hyper;
        options.clipGradNorm = clipGradNorm;
        options.outputs = outputs;
        options.dialects = dialects;
        options.cpu = cpu;
        options.threads = threads;
        options.deterministic = deterministic;
        options.cacheDir = cache;
        CompileResult result;
        {
          nb::gil_scoped_release release;
          result = loadCompiler().compile({model, {}}, options);
        }
        return nb::bytes(result.executable.data(), result.executable.size());
      },
      nb::arg("model"), nb::arg("functions"), nb::arg("optimizer"), nb::arg("hyper"),
      nb::arg("clip_grad_norm"), nb::arg("outputs"), nb::arg("dialects"), nb::arg("cpu"),
      nb::arg("threads"), nb::arg("deterministic"), nb::arg("cache"));
  m.def("print_model", [](const std::string &model) { return loadCompiler().print({model, {}}); });

  nb::class_<Session>(m, "Session")
      .def("functions", &Session::functions)
      .def("inputs", [](Session &s, const std::string &f) { return signatureOf(s.inputs(f)); })
      .def("state", &stateOf)
      .def("run", &run)
      .def("outputs", &outputsOf)
      .def("flops", [](Session &s, const std::string &f) { return s.flops(f); })
      .def("planned_peak_bytes", [](Session &s) { return s.memory().plannedPeakBytes(); })
      .def("threads", &Session::threads);
  m.def(
      "load",
      [](nb::bytes executable, int threads, bool deterministic, bool checkNumerics) {
        runtime::SessionOptions options;
        options.threads = threads;
        options.deterministic = deterministic;
        options.checkNumerics = checkNumerics;
        return Session::load({static_cast<const std::byte *>(executable.data()), executable.size()},
                             options);
      },
      nb::arg("executable"), nb::arg("threads"), nb::arg("deterministic"),
      nb::arg("check_numerics"));
}
