#include "framed.h"
#include "fuzz_support.h"
#include "io/formats/wiki_tadw.h"

// graph.txt, group.txt and tfidf.txt.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 2});
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    const std::vector<std::string> files = fuzz::unframe(bytes.text(), 3);
    const WikiFiles wiki{.graph = Bytes::from_string(files[0], "graph.txt"),
                         .group = Bytes::from_string(files[1], "group.txt"),
                         .tfidf = Bytes::from_string(files[2], "tfidf.txt")};
    validate(read_wiki(context, wiki, {.allow_empty = true}), "input");
  });
}
