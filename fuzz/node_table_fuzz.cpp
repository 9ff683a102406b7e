#include "io/formats/node_table.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 2});
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    NodeIndex index;
    const DenseMatrix features = read_keyed_features(context, bytes, {}, index);
    invariant(features.rows == index.size(), "a row per id");
    compact(features);
  });
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    constexpr std::int64_t nodes = 100;
    read_numbered_labels(context, bytes, {}, nodes);
  });
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    if (!is_array_file(bytes)) return;
    read_array_labels(bytes);
  });
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    if (!is_array_file(bytes)) return;
    read_array_features(context, bytes);
  });
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    NodeIndex index;
    const NodeLabels labels = read_keyed_labels(context, bytes, {}, index, false);
    invariant(labels.labels.size() == index.size(), "a label per id");
    const NodeLabels again = read_keyed_labels(context, bytes, {}, index, true);
    invariant(again.class_names == labels.class_names, "the same classes");
  });
}
