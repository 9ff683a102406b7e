#include "io/text/node_index.h"

#include <gtest/gtest.h>

#include <map>

#include "creg/core/random.h"
#include "io/text/text_fields.h"

namespace creg::node_index_test {
namespace {

using Texts = std::vector<std::string>;

// Names of all lengths, many of them several times.
std::vector<Texts> random_blocks(std::uint64_t seed, int blocks, int names_per_block) {
  std::vector<Texts> out;
  for (int b = 0; b < blocks; ++b) {
    RandomStream random(seed, Purpose::test, 0, static_cast<std::uint64_t>(b));
    Texts& texts = out.emplace_back();
    for (int i = 0; i < names_per_block; ++i) {
      const std::uint64_t number = random.below(5000);
      texts.push_back(std::string(number % 23, 'n') + std::to_string(number));
    }
  }
  return out;
}

std::vector<LocalNames> local_names(const std::vector<Texts>& blocks) {
  std::vector<LocalNames> local(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::string& name : blocks[b]) local[b].add(name, name.data());
  }
  return local;
}

TEST(NodeIndex, NumbersNamesInOrderOfFirstAppearance) {
  for (const int threads : {1, 2, 5}) {
    const Context context(Context::Options{.threads = threads});
    NodeIndex index;
    std::map<std::string, std::int32_t> expected;
    for (std::uint64_t batch = 0; batch < 3; ++batch) {
      const std::vector<Texts> blocks = random_blocks(batch, 7, 400);
      std::vector<LocalNames> local = local_names(blocks);
      index.add(context, local, "file");
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (const std::string& name : blocks[b]) {
          const auto [entry, fresh] =
              expected.try_emplace(name, static_cast<std::int32_t>(expected.size()));
          const LocalNames::Added again = local[b].add(name, name.data());
          EXPECT_FALSE(again.fresh);
          EXPECT_EQ(local[b].id(again.local), entry->second) << name;
          if (fresh) {
            EXPECT_TRUE(local[b].is_first(again.local));
          }
        }
      }
    }
    EXPECT_EQ(index.size(), static_cast<std::int64_t>(expected.size()));
    EXPECT_FALSE(index.all_integers());
    const NodeNames names = index.names(context);
    ASSERT_EQ(names.size(), index.size());
    for (const auto& [name, id] : expected) {
      EXPECT_EQ(names[id], name);
      EXPECT_EQ(index.find(name), id);
    }
    EXPECT_EQ(index.find("absent"), -1);
  }
}

TEST(NodeIndex, FindsWithoutAdding) {
  const Context context;
  NodeIndex index;
  const std::vector<Texts> known_texts = {{"a", "b"}, {"c"}};
  std::vector<LocalNames> known = local_names(known_texts);
  index.add(context, known, "file");
  const std::vector<Texts> asked_texts = {{"c", "x"}, {"a", "y", "b"}};
  std::vector<LocalNames> asked = local_names(asked_texts);
  index.find(context, asked);
  EXPECT_EQ(asked[0].id(0), 2);
  EXPECT_EQ(asked[0].id(1), -1);
  EXPECT_EQ(asked[1].id(0), 0);
  EXPECT_EQ(asked[1].id(1), -1);
  EXPECT_EQ(asked[1].id(2), 1);
  EXPECT_EQ(index.size(), 3);
  EXPECT_EQ(NodeIndex().find("a"), -1);
}

TEST(NodeIndex, TellsNamesApartThatLookAlike) {
  const Context context;
  NodeIndex index;
  Texts texts = {"", std::string(1, '\0'), "baaa", "aaba"};
  for (const std::size_t size : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 32, 40}) {
    // All alike but for one place, which is every place in turn.
    texts.emplace_back(size, 'a');
    for (std::size_t i = 0; i < size; ++i) {
      texts.emplace_back(size, 'a');
      texts.back()[i] = 'x';
    }
  }
  const std::vector<Texts> blocks = {texts, texts};
  std::vector<LocalNames> local = local_names(blocks);
  index.add(context, local, "file");
  EXPECT_EQ(index.size(), static_cast<std::int64_t>(blocks[0].size()));
}

TEST(NodeIndex, RanksIntegersByValue) {
  const Context context;
  NodeIndex index;
  const std::vector<Texts> texts = {{"10", "9", "100000000000000000000"}, {"0", "9", "99"}};
  std::vector<LocalNames> local = local_names(texts);
  index.add(context, local, "file");
  EXPECT_TRUE(index.all_integers());
  const std::vector<std::int32_t> ranks = index.numeric_ranks(context);
  EXPECT_EQ(ranks, (std::vector<std::int32_t>{2, 1, 4, 0, 3}));
  const NodeNames sorted = reorder_names(index.names(context), ranks);
  EXPECT_EQ(sorted[0], "0");
  EXPECT_EQ(sorted[4], "100000000000000000000");
  EXPECT_FALSE(names_are_row_numbers(sorted));
}

TEST(RowNumbers, AreRecognised) {
  EXPECT_TRUE(names_are_row_numbers(NodeNames(Texts{"0", "1", "2"})));
  EXPECT_TRUE(names_are_row_numbers(NodeNames()));
  EXPECT_FALSE(names_are_row_numbers(NodeNames(Texts{"1", "0"})));
  EXPECT_FALSE(names_are_row_numbers(NodeNames(Texts{"0", "01"})));
}

TEST(NearestName, IsAHint) {
  const NodeNames names(Texts{"alice", "bob", "carol"});
  EXPECT_EQ(nearest_name_hint(names, "alise"), "did you mean 'alice'?");
  EXPECT_EQ(nearest_name_hint(names, "something else"), "");
}

}  // namespace
}  // namespace creg::node_index_test
