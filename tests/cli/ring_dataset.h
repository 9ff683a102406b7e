// A small labelled dataset and noisy embeddings of it, for commands that evaluate embeddings.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_creg.h"
#include "creg/core/random.h"
#include "io/npy.h"
#include "support/temp_dir.h"

namespace creg::test {

/// Three classes in turn on a ring, and embeddings that show them through noise.
class RingDataset : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  /// The words that name the command; a node without a label, or -1 for none.
  RingDataset(Words command, int nodes, int unlabelled_node, double noise)
      : command_(std::move(command)), nodes_(nodes), noise_(noise) {
    std::string edges = "source,target\n";
    std::string labels = "id,label\n";
    for (int i = 0; i < nodes; ++i) {
      edges += std::to_string(i) + "," + std::to_string((i + 1) % nodes) + "\n";
      if (i != unlabelled_node) labels += std::to_string(i) + "," + "abc"[i % 3] + "\n";
    }
    dir_.write("edges.csv", edges);
    dir_.write("labels.csv", labels);
    dataset_ =
        dir_.write("ring.toml", "edges = \"edges.csv\"\nlabels = \"labels.csv\"\nname = \"ring\"\n")
            .string();
  }

  std::string embedding(const std::string& name, std::uint64_t seed, int rows = 0) const {
    if (rows == 0) rows = nodes_;
    RandomStream stream(seed, Purpose::test);
    std::vector<float> values;
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < 4; ++k) {
        values.push_back(static_cast<float>((k == i % 3 ? 1.0 : 0.0) + noise_ * stream.normal()));
      }
    }
    std::filesystem::create_directories((dir_ / name).parent_path());
    write_npy(dir_ / name, DenseMatrix{.rows = rows, .cols = 4, .values = std::move(values)});
    return (dir_ / name).string();
  }

  nlohmann::json run_json(Words words) const {
    words.insert(words.begin(), command_.begin(), command_.end());
    words.emplace_back("--json");
    const RunResult result = run_creg(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }

  void expect_refused(Words words, const Words& parts) const {
    words.insert(words.begin(), command_.begin(), command_.end());
    const RunResult result = run_creg(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in " << result.err;
    }
  }

  TempDir dir_;
  std::string dataset_;

 private:
  Words command_;
  int nodes_;
  double noise_;
};

}  // namespace creg::test
