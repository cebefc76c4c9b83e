#include "runtime/kernels/cpu/OneDnn.h"

#include "common/Error.h"
#include "runtime/threads/Threads.h"

#include <cstring>
#include <dnnl.hpp>
#include <fmt/format.h>
#include <optional>

namespace raf::runtime {
namespace {

const dnnl::engine &cpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

std::optional<dnnl::memory::data_type> dnnlType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return dnnl::memory::data_type::f32;
  case DType::BF16:
    return dnnl::memory::data_type::bf16;
  case DType::F16:
    return dnnl::memory::data_type::f16;
  default:
    return std::nullopt;
  }
}

} // namespace

struct OneDnnMatmul::Impl {
  dnnl::matmul::primitive_desc description;
  dnnl::matmul primitive;
  bool bias;
};

OneDnnMatmul::OneDnnMatmul(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
OneDnnMatmul::~OneDnnMatmul() = default;

std::unique_ptr<OneDnnMatmul> OneDnnMatmul::create(const MatmulSpec &spec) {
  const std::optional<dnnl::memory::data_type> type = dnnlType(spec.dtype);
  if (!type || spec.dst.shape.size() > DNNL_MAX_NDIMS)
    return nullptr;
  // The number of threads is fixed when the primitive is made.
  const Threads::Scope scope(spec.threads);
  try {
    auto memory = [&](const MatmulSpec::Operand &operand) {
      return dnnl::memory::desc(operand.shape, *type, operand.strides);
    };
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (spec.accumulate) {
      dnnl::post_ops post;
      post.append_sum(1.0f);
      attributes.set_post_ops(post);
    }
    dnnl::memory::desc bias;
    if (spec.bias) {
      dnnl::memory::dims shape(spec.dst.shape.size(), 1),
          strides(shape.size(), spec.dst.shape.back());
      shape.back() = spec.dst.shape.back();
      strides.back() = 1;
      bias = dnnl::memory::desc(shape, *type, strides);
    }
    auto impl = std::make_unique<Impl>();
    impl->bias = spec.bias;
    impl->description = dnnl::matmul::primitive_desc(cpuEngine(), memory(spec.a), memory(spec.b),
                                                     bias, memory(spec.dst), attributes);
    if (std::strncmp(impl->description.impl_info_str(), "ref", 3) == 0)
      return nullptr;
    impl->primitive = dnnl::matmul(impl->description);
    return std::unique_ptr<OneDnnMatmul>(new OneDnnMatmul(std::move(impl)));
  } catch (const dnnl::error &error) {
    if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments)
      return nullptr;
    throw Error(fmt::format("oneDNN cannot prepare a matmul: {} (status {})", error.what(),
                            static_cast<int>(error.status)));
  }
}

size_t OneDnnMatmul::scratchBytes() const { return impl->description.scratchpad_desc().get_size(); }
const char *OneDnnMatmul::implementation() const { return impl->description.impl_info_str(); }

struct OneDnnMatmul::Call::Impl {
  dnnl::matmul primitive;
  dnnl::stream stream;
  dnnl::memory a, b, bias, dst, scratch;
  std::vector<dnnl_exec_arg_t> arguments; // execute() of the C++ face would build a map each time
};

OneDnnMatmul::Call::Call(const OneDnnMatmul &product) : impl(std::make_unique<Impl>()) {
  const dnnl::matmul::primitive_desc &description = product.impl->description;
  auto argument = [&](dnnl::memory &memory, const dnnl::memory::desc &desc, int name) {
    memory = dnnl::memory(desc, cpuEngine(), DNNL_MEMORY_NONE);
    impl->arguments.push_back({name, memory.get()});
  };
  impl->primitive = product.impl->primitive;
  impl->stream = dnnl::stream(cpuEngine());
  argument(impl->a, description.src_desc(), DNNL_ARG_SRC);
  argument(impl->b, description.weights_desc(), DNNL_ARG_WEIGHTS);
  argument(impl->dst, description.dst_desc(), DNNL_ARG_DST);
  if (product.impl->bias)
    argument(impl->bias, description.bias_desc(), DNNL_ARG_BIAS);
  if (product.scratchBytes() > 0)
    argument(impl->scratch, description.scratchpad_desc(), DNNL_ARG_SCRATCHPAD);
}
OneDnnMatmul::Call::~Call() = default;
OneDnnMatmul::Call::Call(Call &&) noexcept = default;

int OneDnnMatmul::Call::run(const void *a, const void *b, const void *bias, void *dst,
                            std::byte *scratch) {
  auto bind = [](dnnl::memory &memory, const void *data) {
    return memory ? dnnl_memory_set_data_handle(memory.get(), const_cast<void *>(data))
                  : dnnl_success;
  };
  const int bound = bind(impl->a, a) | bind(impl->b, b) | bind(impl->bias, bias) |
                    bind(impl->dst, dst) | bind(impl->scratch, scratch);
  if (bound != dnnl_success)
    return bound;
  return dnnl_primitive_execute(impl->primitive.get(), impl->stream.get(),
                                static_cast<int>(impl->arguments.size()), impl->arguments.data());
}

} // namespace raf::runtime
