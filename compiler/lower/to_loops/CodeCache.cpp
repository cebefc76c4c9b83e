// Machine code by content key. A file holds: magic, checksum of the rest, entry, imports, code.
#include "common/AtomicFile.h"
#include "common/Checksum.h"
#include "common/Error.h"
#include "common/MappedFile.h"
#include "compiler/lower/to_loops/Codegen.h"

#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileSystem.h"

namespace raf::gen {

namespace {

constexpr llvm::StringLiteral kMagic = "RAFOBJ01";
constexpr uint64_t kMostImports = 1000;

std::string encode(const MachineCode &code) {
  std::string body;
  llvm::raw_string_ostream os(body);
  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  writer.write<uint64_t>(code.entry);
  writer.write<uint64_t>(code.imports.size());
  for (const MachineCode::Import &import : code.imports) {
    writer.write<uint64_t>(import.slot);
    os << import.symbol << '\0';
  }
  writer.write<uint64_t>(code.code.size());
  os.write(reinterpret_cast<const char *>(code.code.data()), code.code.size());
  std::string file(kMagic);
  llvm::raw_string_ostream fileStream(file);
  llvm::support::endian::Writer(fileStream, llvm::endianness::little)
      .write<uint64_t>(checksum64(std::as_bytes(std::span(body))));
  fileStream << body;
  return file;
}

std::optional<MachineCode> decode(llvm::StringRef file) {
  if (!file.consume_front(kMagic) || file.size() < 8)
    return std::nullopt;
  llvm::StringRef body = file.drop_front(8);
  llvm::DataExtractor in(file, /*IsLittleEndian=*/true, 8);
  llvm::DataExtractor::Cursor at(0);
  if (in.getU64(at) != checksum64(std::as_bytes(std::span(body.data(), body.size()))))
    return std::nullopt;
  MachineCode code;
  code.entry = in.getU64(at);
  const uint64_t imports = in.getU64(at);
  if (!at || imports > kMostImports) {
    llvm::consumeError(at.takeError());
    return std::nullopt;
  }
  for (uint64_t i = 0; i < imports && at; ++i) {
    const uint64_t slot = in.getU64(at);
    code.imports.push_back({in.getCStrRef(at).str(), slot});
  }
  const uint64_t size = in.getU64(at);
  llvm::StringRef bytes = in.getBytes(at, size);
  if (!at) {
    llvm::consumeError(at.takeError());
    return std::nullopt;
  }
  code.code.assign(bytes.begin(), bytes.end());
  return code;
}

} // namespace

CodeCache::CodeCache(std::string cacheDir) : directory(std::move(cacheDir)) {
  if (directory.empty())
    return;
  directory += "/objects";
  // A cache that cannot be written is no reason to fail: everything is compiled then.
  if (llvm::sys::fs::create_directories(directory))
    directory.clear();
}

mlir::FailureOr<const MachineCode *>
CodeCache::get(llvm::StringRef key, llvm::function_ref<mlir::FailureOr<MachineCode>()> compile) {
  {
    std::lock_guard lock(mutex);
    if (auto found = entries.find(key); found != entries.end())
      return &found->second;
  }
  // The code of an entry never moves and is never replaced.
  auto keep = [&](MachineCode &&code, int64_t &counter) {
    std::lock_guard lock(mutex);
    ++counter;
    return &entries.try_emplace(key, std::move(code)).first->second;
  };
  const std::string path = directory + "/" + key.str();
  if (!directory.empty() && llvm::sys::fs::exists(path)) {
    try {
      MappedFile file(path);
      const auto *bytes = reinterpret_cast<const char *>(file.bytes().data());
      if (auto code = decode({bytes, file.bytes().size()}))
        return keep(std::move(*code), fromDisk);
    } catch (const Error &) { // vanished meanwhile: compile
    }
  }
  mlir::FailureOr<MachineCode> code = compile();
  if (mlir::failed(code))
    return mlir::failure();
  if (!directory.empty()) {
    try {
      writeFileAtomically(path, std::string_view(encode(*code)));
    } catch (const Error &) { // full or read-only: the code itself is there
    }
  }
  return keep(std::move(*code), compiled);
}

} // namespace raf::gen
