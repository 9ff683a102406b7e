#include "io/formats/edge_list.h"

#include "fuzz_support.h"
#include "io/formats/read_user_dataset.h"

// Whatever the bytes, every way of reading them gives a list whose ids are in range, or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 2});
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    validate(read_edge_list_graph(context, bytes), bytes.name);
  });
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    constexpr std::int64_t nodes = 100;
    edges_to_csr(context, read_numbered_edges(context, bytes, {.header = false}, nodes));
  });
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    NodeIndex index;
    read_named_edges(context, bytes, {.separator = Separator::comma}, index);
    // What was read once is known the second time.
    read_known_edges(context, bytes, {.separator = Separator::comma}, index, UnknownIds::drop);
  });
}
