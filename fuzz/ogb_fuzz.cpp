#include "io/formats/ogb.h"

#include <array>

#include "framed.h"
#include "fuzz_support.h"
#include "io/containers/zip.h"

// A zip archive, or the files of a folder one after the other; an empty one is missing. Files may
// be plain or gzip.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 2});
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    if (is_zip(bytes)) {
      validate(read_ogb(context, FileSet::zip(bytes), {.allow_empty = true}), "input");
      return;
    }
    const std::array<std::string, 8> names = {
        "raw/num-node-list.csv.gz", "raw/num-edge-list.csv.gz", "raw/edge.csv.gz",
        "raw/node-feat.csv.gz",     "raw/node-label.csv.gz",    "split/s/train.csv.gz",
        "split/s/valid.csv.gz",     "split/s/test.csv.gz"};
    const std::vector<std::string> files = fuzz::unframe(bytes.text(), names.size());
    std::map<std::string, Bytes> set;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!files[i].empty()) set.emplace(names[i], Bytes::from_string(files[i], names[i]));
    }
    validate(read_ogb(context, FileSet::memory("input", std::move(set)), {.allow_empty = true}),
             "input");
  });
}
