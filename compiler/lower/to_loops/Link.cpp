#include "compiler/lower/to_loops/Backend.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace raf::gen {

using namespace llvm::object;

namespace {

class Linker {
public:
  explicit Linker(const ELF64LEObjectFile &object) : object(object) {}

  llvm::Error run() {
    place(/*code=*/true);
    place(/*code=*/false);
    for (const SectionRef &section : object.sections()) {
      llvm::Expected<section_iterator> target = section.getRelocatedSection();
      if (!target)
        return target.takeError();
      if (*target == object.section_end() || !starts.count((*target)->getIndex()))
        continue;
      for (const ELFRelocationRef relocation : section.relocations())
        if (llvm::Error error = apply(relocation, starts[(*target)->getIndex()]))
          return error;
    }
    for (const ELFSymbolRef symbol : object.symbols()) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      if (name && *name == "kernel") {
        llvm::Expected<section_iterator> section = symbol.getSection();
        if (!section)
          return section.takeError();
        result.entry = starts[(*section)->getIndex()] + llvm::cantFail(symbol.getValue());
        return llvm::Error::success();
      }
    }
    return llvm::createStringError("no function was generated");
  }
  MachineCode result;

private:
  void place(bool code) {
    for (const ELFSectionRef section : object.sections()) {
      if (!(section.getFlags() & llvm::ELF::SHF_ALLOC) || section.isText() != code ||
          section.getSize() == 0 || section.getType() == llvm::ELF::SHT_X86_64_UNWIND)
        continue;
      llvm::StringRef name = llvm::cantFail(section.getName());
      if (name.starts_with(".eh_frame") || name.starts_with(".note"))
        continue;
      const uint64_t start = append(section.getSize(), section.getAlignment().value());
      starts[section.getIndex()] = start;
      llvm::StringRef bytes = llvm::cantFail(section.getContents());
      std::copy(bytes.begin(), bytes.end(), result.code.begin() + start);
    }
  }

  uint64_t append(uint64_t size, uint64_t alignment) {
    const uint64_t start = llvm::alignTo(result.code.size(), alignment);
    result.code.resize(start + size);
    return start;
  }

  uint64_t slotOf(llvm::StringRef symbol) {
    auto [slot, isNew] = slots.try_emplace(symbol.str());
    if (isNew) {
      slot->second = append(8, 8);
      result.imports.push_back({symbol.str(), slot->second});
    }
    return slot->second;
  }

  // jmp *slot(%rip)
  uint64_t stubOf(llvm::StringRef symbol) {
    const uint64_t slot = slotOf(symbol);
    auto [stub, isNew] = stubs.try_emplace(symbol.str());
    if (isNew) {
      stub->second = append(8, 8);
      result.code[stub->second] = 0xff;
      result.code[stub->second + 1] = 0x25;
      llvm::support::endian::write32le(&result.code[stub->second + 2], slot - (stub->second + 6));
    }
    return stub->second;
  }

  llvm::Error apply(const ELFRelocationRef &relocation, uint64_t sectionStart) {
    using namespace llvm::ELF;
    const uint64_t type = relocation.getType();
    const uint64_t place = sectionStart + relocation.getOffset();
    const int64_t addend = llvm::cantFail(relocation.getAddend());
    const ELFSymbolRef symbol = *relocation.getSymbol();
    llvm::StringRef name = llvm::cantFail(symbol.getName());
    section_iterator section = llvm::cantFail(symbol.getSection());
    const bool isDefined = section != object.section_end();
    uint64_t target;
    if (type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX) {
      if (isDefined)
        return llvm::createStringError("unexpected address slot of a symbol of its own");
      target = slotOf(name);
    } else if (type == R_X86_64_PC32 || type == R_X86_64_PLT32) {
      if (isDefined && !starts.count(section->getIndex()))
        return llvm::createStringError("relocation against a section that is not loaded");
      target = isDefined ? starts[section->getIndex()] + llvm::cantFail(symbol.getValue())
                         : stubOf(name);
    } else {
      return llvm::createStringError("unexpected relocation type " + llvm::Twine(type));
    }
    llvm::support::endian::write32le(&result.code[place], target + addend - place);
    return llvm::Error::success();
  }

  const ELF64LEObjectFile &object;
  std::map<uint64_t, uint64_t> starts; // section index -> offset in the blob
  std::map<std::string, uint64_t> slots, stubs;
};

} // namespace

std::optional<MachineCode> linkObject(llvm::StringRef bytes, std::string *why) {
  auto object = ELF64LEObjectFile::create(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!object) {
    *why = llvm::toString(object.takeError());
    return std::nullopt;
  }
  Linker linker(*object);
  if (llvm::Error error = linker.run()) {
    *why = llvm::toString(std::move(error));
    return std::nullopt;
  }
  return std::move(linker.result);
}

} // namespace raf::gen
