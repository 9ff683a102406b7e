// Checkpoints with right checksums: a mutator changes one member of a good archive and packs it
// again, so that the pickle and the storages behind the CRCs are reached.
#include "io/checkpoint_file.h"

#include "fuzz_support.h"
#include "io/containers/zip.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using creg::Bytes;

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The archive with one of its members, chosen by `seed`, changed; nothing where it is none.
std::string with_changed_member(const std::string& archive, std::size_t room, unsigned seed) {
  std::vector<creg::fuzz::Packed> members;
  try {
    const creg::ZipArchive zip(Bytes::from_string(archive, "input"));
    for (const creg::ZipMember& member : zip.members()) {
      members.push_back({member.name, std::string(zip.read(member).text())});
    }
  } catch (const creg::Error&) {
    return {};
  }
  if (members.empty()) return {};
  // Half of all changes go to the pickle, which says what everything else means.
  std::size_t chosen = seed / 2 % members.size();
  for (std::size_t i = 0; i < members.size() && seed % 2 == 0; ++i) {
    if (members[i].name.ends_with("data.pkl")) chosen = i;
  }
  std::string& contents = members[chosen].contents;
  const std::size_t size = contents.size();
  contents.resize(size + std::min<std::size_t>(room, 256));
  contents.resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(contents.data()), size, contents.size()));
  return creg::fuzz::pack_zip(members);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  // Now and then the archive itself.
  if (seed % 16 != 0) {
    const std::string changed = with_changed_member(text_of(data, size), most - size, seed / 16);
    if (!changed.empty() && changed.size() <= most) {
      std::copy(changed.begin(), changed.end(), data);
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size,
                              [](const Bytes& bytes) { creg::read_checkpoint_contents(bytes); });
}
