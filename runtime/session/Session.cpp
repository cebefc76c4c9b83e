#include "runtime/session/Session.h"

#include "common/CpuFeatures.h"
#include "common/Error.h"
#include "common/MappedFile.h"
#include "runtime/executable/Executable.h"
#include "runtime/memory/Arena.h"
#include "runtime/session/Program.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace raf::runtime {
namespace {

/// What the file's machine code needs, and the runtime's own kernels.
void checkProcessor(const fb::Executable &file, std::string_view where) {
  std::vector<std::string> needed;
#ifdef __x86_64__
  needed = {"avx2", "fma", "f16c"};
#endif
  if (file.cpu_features())
    for (const auto *name : *file.cpu_features())
      if (std::ranges::find(needed, name->string_view()) == needed.end())
        needed.push_back(name->str());
  const std::vector<std::string> missing = missingCpuFeatures(needed);
  if (!missing.empty())
    throw UnsupportedError(fmt::format("{}: expected a processor with {}, but this one lacks {}",
                                       where, fmt::join(needed, " "), fmt::join(missing, " ")));
  const bool amx =
      std::ranges::any_of(needed, [](const std::string &name) { return name.starts_with("amx"); });
  if (amx && !enableAmx())
    throw UnsupportedError(
        fmt::format("{}: the system does not grant the AMX registers this file needs", where));
}

} // namespace

struct Session::Impl {
  Impl(const SessionOptions &options) : options(options), threads(options.threads) {}

  SessionOptions options;
  Threads threads;
  std::optional<MappedFile> mapped; // the file's bytes lie in one of these two
  Arena copied;
  const fb::Executable *file = nullptr;
  CodeImage code;
  std::vector<std::unique_ptr<Program>> programs;
  std::vector<StateInfo> state;
  std::shared_ptr<Arena> stateArena;
  Arena arena, workspace;
  MemoryStats stats;
  std::string metadata;
  bool profiling = false;

  void load(std::span<const std::byte> bytes, std::string_view where);
  void checkFits(std::string_view where) const;
  void takeMemory(std::string_view where);
  void place();
  Program &program(std::string_view name) const;
};

void Session::Impl::load(std::span<const std::byte> bytes, std::string_view where) {
  file = &executable::open(bytes, where);
  checkProcessor(*file, where);
  if (file->kernels())
    code = CodeImage(*file->kernels(), where);
  stats.stateBytes = file->state_bytes();
  stats.constantBytes = file->constants() ? file->constants()->size() : 0;
  for (const fb::Function *function : *file->functions())
    stats.arenaBytes = std::max(stats.arenaBytes, function->arena_bytes());
  checkFits(where); // before kernels are prepared for sizes that cannot be
  const KernelContext context{threads, options.deterministic};
  for (const fb::Function *function : *file->functions())
    programs.push_back(std::make_unique<Program>(*function, code, context, where));
  if (file->state())
    for (const fb::StateTensor *entry : *file->state())
      state.push_back({entry->tensor()->name()->str(), viewOf(*entry->tensor()),
                       static_cast<StateKind>(entry->kind()), entry->frozen(),
                       entry->init() ? entry->init()->str() : ""});
  if (file->metadata())
    metadata = file->metadata()->str();
  takeMemory(where);
  place();
}

void Session::Impl::checkFits(std::string_view where) const {
  // The system would hand out more than it has and end the process later.
  const uint64_t most = physicalMemory();
  const uint64_t parts[] = {stats.stateBytes, stats.arenaBytes, stats.workspaceBytes};
  const bool each = std::ranges::all_of(parts, [&](uint64_t bytes) { return bytes <= most; });
  if (!each || stats.plannedPeakBytes() > most)
    throw OutOfMemoryError(
        fmt::format(
            "{}: expected a step that fits into the machine's {} bytes, but it needs {} for "
            "state, {} for activations and {} for workspace",
            where, most, parts[0], parts[1], parts[2]),
        each ? stats.plannedPeakBytes() : std::ranges::max(parts));
}

void Session::Impl::takeMemory(std::string_view where) {
  for (const std::unique_ptr<Program> &program : programs)
    stats.workspaceBytes = std::max(stats.workspaceBytes, program->workspaceBytes());
  checkFits(where);
  stateArena = std::make_shared<Arena>(stats.stateBytes, "state");
  arena = Arena(stats.arenaBytes, "activations");
  workspace = Arena(stats.workspaceBytes, "workspace");
}

void Session::Impl::place() {
  const Spaces spaces{
      arena.data(), stateArena->data(),
      file->constants() ? reinterpret_cast<const std::byte *>(file->constants()->data()) : nullptr};
  for (const std::unique_ptr<Program> &program : programs)
    program->place(spaces);
  for (uint32_t i = 0; i < state.size(); ++i)
    state[i].view.data = spaces.state + file->state()->Get(i)->tensor()->ref()->offset();
}

Program &Session::Impl::program(std::string_view name) const {
  for (const std::unique_ptr<Program> &program : programs)
    if (program->source().name()->string_view() == name)
      return *program;
  std::vector<std::string_view> names;
  for (const std::unique_ptr<Program> &program : programs)
    names.push_back(program->source().name()->string_view());
  throw UsageError(fmt::format("expected one of the executable's functions {}, but got \"{}\"",
                               fmt::join(names, ", "), name));
}

Session::Session() = default;
Session::~Session() = default;

std::unique_ptr<Session> Session::load(std::span<const std::byte> bytes,
                                       const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session());
  session->impl = std::make_unique<Impl>(options);
  // Constants and kernel arguments are read where they lie, so they must lie aligned and stay.
  Arena &copied = session->impl->copied = Arena(bytes.size(), "executable");
  if (!bytes.empty())
    std::memcpy(copied.data(), bytes.data(), bytes.size());
  session->impl->load({copied.data(), bytes.size()}, "executable");
  return session;
}

std::unique_ptr<Session> Session::loadFile(const std::string &path, const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session());
  session->impl = std::make_unique<Impl>(options);
  session->impl->mapped.emplace(path);
  session->impl->load(session->impl->mapped->bytes(), path);
  return session;
}

std::vector<std::string> Session::functions() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Program> &program : impl->programs)
    names.push_back(program->source().name()->str());
  return names;
}

bool Session::hasFunction(std::string_view name) const {
  return std::ranges::any_of(impl->programs, [&](const std::unique_ptr<Program> &program) {
    return program->source().name()->string_view() == name;
  });
}

const std::vector<NamedTensor> &Session::inputs(std::string_view function) const {
  return impl->program(function).inputs();
}

const std::vector<NamedTensor> &Session::outputs(std::string_view function) const {
  return impl->program(function).outputs();
}

std::vector<StateInfo> &Session::state() { return impl->state; }

void Session::shareState(Session &donor) {
  const std::vector<StateInfo> &own = impl->state, &other = donor.impl->state;
  auto fail = [](const std::string &what) { throw ShapeError("state cannot be shared: " + what); };
  if (own.size() != other.size())
    fail(fmt::format("expected {} tensors, but the donor has {}", own.size(), other.size()));
  for (size_t i = 0; i < own.size(); ++i) {
    const TensorView &a = own[i].view, &b = other[i].view;
    if (own[i].name != other[i].name)
      fail(fmt::format("expected \"{}\", but the donor has \"{}\"", own[i].name, other[i].name));
    if (a.dtype != b.dtype || a.shape != b.shape)
      fail(fmt::format("\"{}\": expected {} [{}], but the donor has {} [{}]", own[i].name,
                       nameOf(a.dtype), fmt::join(a.shape, ", "), nameOf(b.dtype),
                       fmt::join(b.shape, ", ")));
    if (static_cast<std::byte *>(a.data) - impl->stateArena->data() !=
        static_cast<std::byte *>(b.data) - donor.impl->stateArena->data())
      fail(fmt::format("\"{}\" lies at another offset in the donor", own[i].name));
  }
  if (impl->stateArena->bytes() != donor.impl->stateArena->bytes())
    fail(fmt::format("expected {} bytes, but the donor has {}", impl->stateArena->bytes(),
                     donor.impl->stateArena->bytes()));
  impl->stateArena = donor.impl->stateArena;
  impl->place();
}

void Session::run(std::string_view function, std::span<const TensorView> inputs) {
  Program &program = impl->program(function);
  program.bind(inputs);
  program.run({impl->workspace.data(), impl->options.checkNumerics, impl->profiling});
}

void Session::startProfile() {
  for (const std::unique_ptr<Program> &program : impl->programs)
    program->clearProfile();
  impl->profiling = true;
}

std::vector<CommandProfile> Session::stopProfile(std::string_view function) {
  impl->profiling = false;
  return impl->program(function).profile();
}

MemoryStats Session::memory() const { return impl->stats; }
double Session::flops(std::string_view function) const {
  return impl->program(function).source().flops();
}
const std::string &Session::metadata() const { return impl->metadata; }
int Session::threads() const { return impl->threads.count(); }

} // namespace raf::runtime
