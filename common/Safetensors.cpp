#include "common/Safetensors.h"

#include "common/AtomicFile.h"
#include "common/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace raf {
namespace {

using Json = nlohmann::json;

constexpr const char *kMetadata = "__metadata__";
// Far above any real header, far below what would make parsing one expensive.
constexpr uint64_t kMaxHeaderBytes = uint64_t{16} << 20;

constexpr struct {
  const char *name;
  DType dtype;
} kTypes[] = {{"F32", DType::F32}, {"F64", DType::F64}, {"BF16", DType::BF16}, {"F16", DType::F16},
              {"BOOL", DType::I1}, {"I8", DType::I8},   {"I16", DType::I16},   {"I32", DType::I32},
              {"I64", DType::I64}, {"U8", DType::U8}};

const char *typeName(DType dtype) {
  for (const auto &type : kTypes)
    if (type.dtype == dtype)
      return type.name;
  return "";
}

// Bytes of a tensor; false when they do not fit 64 bits.
bool bytesOf(DType dtype, const std::vector<int64_t> &shape, uint64_t &bytes) {
  bytes = sizeOf(dtype);
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      return false;
  return true;
}

Json parseHeader(std::string_view text, const std::string &path) {
  // Nothing in the format is deeper: object, tensor, shape.
  constexpr int kMaxDepth = 4;
  std::set<std::string, std::less<>> seen[kMaxDepth + 2]; // names of the object open at each depth
  auto check = [&](int depth, Json::parse_event_t event, Json &value) {
    if (depth > kMaxDepth)
      throw InvalidFileError(fmt::format("{}: header: nested too deeply", path));
    if (event == Json::parse_event_t::object_start)
      seen[depth + 1].clear();
    // Readers differ in which of two equal names they take.
    if (event == Json::parse_event_t::key &&
        !seen[depth].insert(value.get_ref<const std::string &>()).second)
      throw InvalidFileError(fmt::format("{}: header: the name '{}' occurs twice", path,
                                         value.get_ref<const std::string &>()));
    return true;
  };
  try {
    Json header = Json::parse(text, check);
    if (!header.is_object())
      throw InvalidFileError(fmt::format("{}: header: expected a JSON object", path));
    return header;
  } catch (const Json::exception &) {
    throw InvalidFileError(fmt::format("{}: header: expected JSON", path));
  }
}

struct Range {
  uint64_t begin = 0, end = 0;
};

std::pair<SafetensorsEntry, Range> parseEntry(const std::string &name, const Json &json,
                                              const std::string &path) {
  auto fail = [&](std::string_view what) {
    return InvalidFileError(fmt::format("{}: tensor '{}': {}", path, name, what));
  };
  auto member = [&](const char *key) -> const Json & {
    if (!json.is_object() || !json.contains(key))
      throw fail(fmt::format("expected '{}'", key));
    return json[key];
  };
  SafetensorsEntry entry;
  entry.name = name;
  const Json &dtype = member("dtype");
  auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                           [&](const auto &candidate) { return dtype == candidate.name; });
  if (type == std::end(kTypes)) {
    if (!dtype.is_string())
      throw fail("expected 'dtype' to be a string");
    throw UnsupportedError(fmt::format("{}: tensor '{}': unsupported dtype {}", path, name,
                                       dtype.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  entry.dtype = type->dtype;
  const Json &shape = member("shape"), &offsets = member("data_offsets");
  auto isList = [](const Json &list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json &value) {
             return value.is_number_unsigned() &&
                    value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
           });
  };
  if (!isList(shape) || !isList(offsets) || offsets.size() != 2)
    throw fail("expected lists of non-negative integers as 'shape' and 'data_offsets'");
  for (const Json &extent : shape)
    entry.shape.push_back(extent.get<int64_t>());
  const Range range{offsets[0].get<uint64_t>(), offsets[1].get<uint64_t>()};
  uint64_t bytes = 0;
  if (!bytesOf(entry.dtype, entry.shape, bytes))
    throw fail("shape too large");
  if (range.end < range.begin || range.end - range.begin != bytes)
    throw fail(fmt::format("expected {} bytes of data, but got data_offsets [{},{}]", bytes,
                           range.begin, range.end));
  return {std::move(entry), range};
}

} // namespace

SafetensorsContents readSafetensors(std::span<const std::byte> bytes, const std::string &path) {
  SafetensorsContents contents;
  std::vector<SafetensorsEntry> &entries = contents.entries;
  if (bytes.size() < 8)
    throw InvalidFileError(
        fmt::format("{}: expected a safetensors file, but got {} bytes", path, bytes.size()));
  uint64_t size = 0;
  for (size_t i = 0; i < 8; ++i)
    size |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  if (size > bytes.size() - 8 || size > kMaxHeaderBytes)
    throw InvalidFileError(fmt::format(
        "{}: expected a safetensors file, but its header of {} bytes does not fit", path, size));
  const std::span<const std::byte> data = bytes.subspan(8 + size);
  const Json header = parseHeader({reinterpret_cast<const char *>(bytes.data()) + 8, size}, path);

  for (const auto &[name, json] : header.items()) {
    if (name == kMetadata) {
      if (!json.is_object())
        throw InvalidFileError(
            fmt::format("{}: header: expected '{}' to be an object", path, name));
      for (const auto &[key, value] : json.items()) {
        if (!value.is_string())
          throw InvalidFileError(
              fmt::format("{}: header: expected strings in '{}'", path, kMetadata));
        contents.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    auto [entry, range] = parseEntry(name, json, path);
    if (range.end > data.size())
      throw InvalidFileError(
          fmt::format("{}: tensor '{}': data end at {}, but the file has {} bytes "
                      "of data",
                      path, name, range.end, data.size()));
    entry.data = data.subspan(range.begin, range.end - range.begin);
    entries.push_back(std::move(entry));
  }
  // An empty tensor goes before the one that begins at the same place.
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
    return std::tuple(a.data.data(), a.data.size(), std::string_view(a.name)) <
           std::tuple(b.data.data(), b.data.size(), std::string_view(b.name));
  });
  const std::byte *at = data.data();
  for (const SafetensorsEntry &entry : entries) {
    if (entry.data.data() != at)
      throw InvalidFileError(
          fmt::format("{}: tensor '{}': overlaps another, or follows a hole", path, entry.name));
    at += entry.data.size();
  }
  if (at != data.data() + data.size())
    throw InvalidFileError(
        fmt::format("{}: {} bytes after the last tensor", path, data.data() + data.size() - at));
  return contents;
}

SafetensorsFile::SafetensorsFile(const std::string &path)
    : file(path), contents(readSafetensors(file.bytes(), path)) {}

const SafetensorsEntry *SafetensorsFile::find(std::string_view name) const {
  for (const SafetensorsEntry &entry : contents.entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

void writeSafetensors(const std::string &path, std::span<const SafetensorsEntry> tensors,
                      const std::map<std::string, std::string> &metadata) {
  Json header = Json::object();
  if (!metadata.empty())
    header[kMetadata] = metadata;
  uint64_t offset = 0;
  std::set<std::string_view> names;
  for (const SafetensorsEntry &tensor : tensors) {
    uint64_t bytes = 0;
    if (!names.insert(tensor.name).second || tensor.name == kMetadata ||
        !bytesOf(tensor.dtype, tensor.shape, bytes) || bytes != tensor.data.size())
      throw ShapeError(fmt::format(
          "{}: tensor '{}': expected a name of its own and {} bytes of data, but got {}", path,
          tensor.name, bytes, tensor.data.size()));
    header[tensor.name] = {{"dtype", typeName(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' '); // data begin at a multiple of 8
  std::string size(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    size[i] = static_cast<char>(text.size() >> (8 * i));

  AtomicFile out(path);
  out.write(size);
  out.write(text);
  for (const SafetensorsEntry &tensor : tensors)
    out.write(tensor.data);
  out.commit();
}

} // namespace raf
