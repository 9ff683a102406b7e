// A short training in batches, of which several processes may have a share.
#pragma once

#include <string>
#include <vector>

namespace creg::test {

/// Of `creg train`, without epochs and a folder.
inline std::vector<std::string> batch_training() {
  return {"train",
          "--dataset",
          "synthetic:cora@0.1",
          "--method",
          "ml",
          "--fanouts",
          "4,4",
          "--layers",
          "2",
          "--dim",
          "8",
          "--threads",
          "1",
          "--quiet",
          "--batch-size",
          "32",
          "--patience",
          "0",
          "--batches-per-update",
          "4"};
}

}  // namespace creg::test
