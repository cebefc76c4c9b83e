// Names inside a folder of checkpoints.
#pragma once

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace raf::trainer {

inline constexpr const char *kModelFile = "model.safetensors";
inline constexpr const char *kOptimizerFile = "optimizer.safetensors";
inline constexpr const char *kProgressFile = "trainer.json";
inline constexpr const char *kManifestFile = "manifest.json";
inline constexpr const char *kLockFile = ".lock";
inline constexpr std::string_view kStepPrefix = "step-";
inline constexpr std::string_view kUnfinishedPrefix =
    ".unfinished-"; // being written, or being removed

inline std::string folderOfStep(int64_t step) { return fmt::format("{}{:08}", kStepPrefix, step); }

inline std::optional<int64_t> stepOfFolder(std::string_view name) {
  if (!name.starts_with(kStepPrefix))
    return std::nullopt;
  name.remove_prefix(kStepPrefix.size());
  int64_t step = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 || name.size() < 8)
    return std::nullopt;
  return step;
}

} // namespace raf::trainer
