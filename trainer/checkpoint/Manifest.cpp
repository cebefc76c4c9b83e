#include "trainer/checkpoint/Manifest.h"

#include "common/Checksum.h"
#include "common/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace raf::trainer {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "raf checkpoint";
constexpr int kVersion = 1;

} // namespace

std::string checksumOf(std::span<const std::byte> bytes) { return toHex(checksum128(bytes)); }

std::string Manifest::toJson() const {
  Json list = Json::object();
  for (const auto &[name, file] : files) {
    Json entry{{"bytes", file.bytes}, {"xxh3_128", file.checksum}};
    if (!file.tensors.empty())
      entry["tensors"] = file.tensors;
    list[name] = std::move(entry);
  }
  return Json{{"format", kFormat}, {"version", kVersion}, {"step", step}, {"files", list}}.dump(1);
}

Manifest Manifest::fromJson(const std::string &text, const std::string &where) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat || json.at("version") != kVersion)
      throw InvalidFileError(
          fmt::format("{}: expected version {} of a {} manifest", where, kVersion, kFormat));
    Manifest manifest;
    json.at("step").get_to(manifest.step);
    for (const auto &[name, entry] : json.at("files").items()) {
      if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
        throw InvalidFileError(fmt::format("{}: expected plain file names", where));
      File file;
      entry.at("bytes").get_to(file.bytes);
      entry.at("xxh3_128").get_to(file.checksum);
      if (entry.contains("tensors"))
        entry.at("tensors").get_to(file.tensors);
      manifest.files.emplace(name, std::move(file));
    }
    return manifest;
  } catch (const nlohmann::json::exception &) {
    throw InvalidFileError(fmt::format("{}: expected a checkpoint manifest", where));
  }
}

} // namespace raf::trainer
