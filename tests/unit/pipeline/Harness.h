// Compiles a model and runs it: the whole way from a forward model to numbers.
#pragma once

#include "compiler/api/Compiler.h"
#include "runtime/session/Session.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <random>

extern "C" raf::Compiler *raf_create_compiler();

namespace raf::test {

inline Compiler &compiler() {
  static std::unique_ptr<Compiler> instance(raf_create_compiler());
  return *instance;
}

/// A file of the given text that goes with the test.
class TextFile {
public:
  TextFile(const std::string &name, const std::string &text)
      : path(std::filesystem::path(testing::TempDir()) / name) {
    std::ofstream(path) << text;
  }
  ~TextFile() { std::filesystem::remove(path); }
  std::string name() const { return path.string(); }

private:
  std::filesystem::path path;
};

inline std::unique_ptr<runtime::Session> load(const CompileResult &result) {
  return runtime::Session::load(result.executable, {.threads = 2});
}

/// Fills float state as its init says; all of it is float here.
inline void initialize(runtime::Session &session, unsigned seed = 1) {
  std::mt19937 random(seed);
  for (runtime::StateInfo &state : session.state()) {
    double a = 0, b = 0;
    std::normal_distribution<double> normal;
    const bool gaussian = std::sscanf(state.init.c_str(), "normal(%lf,%lf)", &a, &b) == 2;
    const bool filled = std::sscanf(state.init.c_str(), "fill(%lf)", &a) == 1;
    ASSERT_TRUE(gaussian || filled || state.init == "zeros" || state.init == "ones") << state.init;
    if (state.view.dtype != DType::F32) {
      ASSERT_EQ(state.init, "zeros") << state.name;
      std::fill_n(static_cast<char *>(state.view.data), state.view.bytes(), 0);
      continue;
    }
    for (int64_t i = 0; i < state.view.numElements(); ++i)
      static_cast<float *>(state.view.data)[i] =
          static_cast<float>(gaussian ? a + b * normal(random)
                             : filled ? a
                                      : state.init == "ones");
  }
}

/// Values for the inputs of a function, by name; unnamed ones stay zero.
class Inputs {
public:
  Inputs(runtime::Session &session, const std::string &function)
      : function(function), session(session) {
    for (const runtime::NamedTensor &input : session.inputs(function)) {
      runtime::TensorView view = input.view;
      storage.emplace_back(view.bytes() + 64);
      view.data = storage.back().data();
      views.push_back(view);
    }
  }
  template <class T> T *at(const std::string &name) {
    const auto &signature = session.inputs(function);
    for (size_t i = 0; i < signature.size(); ++i)
      if (signature[i].name == name)
        return static_cast<T *>(views[i].data);
    return nullptr;
  }
  void run() { session.run(function, views); }
  template <class T> T *output(const std::string &name) {
    for (const runtime::NamedTensor &output : session.outputs(function))
      if (output.name == name)
        return static_cast<T *>(output.view.data);
    return nullptr;
  }

private:
  std::string function;
  runtime::Session &session;
  std::vector<std::vector<std::byte>> storage;
  std::vector<runtime::TensorView> views;
};

} // namespace raf::test
