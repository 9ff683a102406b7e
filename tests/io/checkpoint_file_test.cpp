#include "io/checkpoint_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "support/expect_error.h"
#include "support/torch_builder.h"

namespace creg::checkpoint_file_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A small checkpoint whose parts can be changed by name; a part that is empty is left out.
class Builder {
 public:
  Builder() {
    parts_["version"] = test::pickled_unicode("1.0");
    parts_["config"] = test::pickled_dict({{"lr", test::pickled_unicode("0.1")}});
    parts_["graph"] = test::pickled_dict({{"nodes", test::pickled_unicode("3")}});
    parts_["epoch"] = test::pickled_long(7);
    parts_["best_epoch"] = test::pickled_long(5);
    parts_["epochs_without_gain"] = test::pickled_long(1);
    parts_["optimizer.step"] = test::pickled_long(7);
    for (const char* key : {"lowest_loss", "best_score", "ratio", "seconds", "lr"}) {
      parts_[key] = real(0.5);
    }
    for (const char* key : {"model", "best_model", "moment1", "moment2"}) {
      parts_[key] = test::pickled_dict({{"w", floats({1, 2, 3})}});
    }
    parts_["method"] = test::pickled_dict({});
  }

  std::string& operator[](const std::string& part) { return parts_[part]; }

  std::string real(double value) { return tensor<double>("DoubleStorage", {value}, {}); }
  std::string floats(const std::vector<float>& values) {
    return tensor("FloatStorage", values, {static_cast<std::int64_t>(values.size())});
  }
  template <class T>
  std::string tensor(const char* type, const std::vector<T>& values,
                     const std::vector<std::int64_t>& sizes) {
    const std::string name = std::to_string(records_.size());
    records_.emplace_back(name, test::stored(values));
    return test::pickled_tensor({.storage_type = type,
                                 .record = name,
                                 .elements = static_cast<std::int64_t>(values.size()),
                                 .sizes = sizes,
                                 .strides = std::vector<std::int64_t>(sizes.size(), 1)});
  }

  CheckpointContents read() const {
    const auto some = [&](const std::vector<std::pair<std::string, std::string>>& keys) {
      test::PickledItems items;
      for (const auto& [key, part] : keys) {
        const auto found = parts_.find(part);
        if (found != parts_.end() && !found->second.empty()) items.emplace_back(key, found->second);
      }
      return items;
    };
    test::PickledItems top = some({{"version", "version"},
                                   {"config", "config"},
                                   {"graph", "graph"},
                                   {"epoch", "epoch"},
                                   {"model", "model"},
                                   {"best_model", "best_model"},
                                   {"method", "method"},
                                   {"epoch", "epoch again"}});
    top.emplace_back("progress",
                     test::pickled_dict(some({{"best_epoch", "best_epoch"},
                                              {"epochs_without_gain", "epochs_without_gain"},
                                              {"step", "step"},
                                              {"step_sums", "step_sums"},
                                              {"lowest_loss", "lowest_loss"},
                                              {"best_score", "best_score"},
                                              {"ratio", "ratio"},
                                              {"seconds", "seconds"}})));
    top.emplace_back("optimizer", test::pickled_dict(some({{"moment1", "moment1"},
                                                           {"moment2", "moment2"},
                                                           {"step", "optimizer.step"},
                                                           {"lr", "lr"}})));
    return read_checkpoint_contents(
        Bytes::from_string(test::torch_archive(test::pickled_dict(top), records_), "file.pt"));
  }

 private:
  std::map<std::string, std::string> parts_;
  std::vector<std::pair<std::string, std::string>> records_;
};

TEST(CheckpointFile, ComesBackAsItWasWritten) {
  Builder made;
  made["step"] = test::pickled_long(3);
  made["step_sums"] = made.tensor<double>("DoubleStorage", {1.5, 2.5}, {2});
  made["method"] =
      test::pickled_dict({{"seeds", made.tensor<std::int32_t>("IntStorage", {4, 5}, {2})}});
  const CheckpointContents found = made.read();
  EXPECT_EQ(found.version, "1.0");
  EXPECT_EQ(found.config, (TextPairs{{"lr", "0.1"}}));
  EXPECT_EQ(found.graph, (TextPairs{{"nodes", "3"}}));
  EXPECT_EQ(found.epoch, 7);
  EXPECT_EQ(found.best_epoch, 5);
  EXPECT_EQ(found.epochs_without_gain, 1);
  EXPECT_EQ(found.optimizer_steps, 7);
  EXPECT_EQ(found.step, 3);
  EXPECT_EQ(found.step_sums, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(found.lr, 0.5);
  ASSERT_EQ(found.moments2.items.size(), 1);
  EXPECT_EQ(found.moments2.items.front().first, "w");
  EXPECT_EQ(found.moments2.items.front().second.data.text(), test::stored<float>({1, 2, 3}));
  ASSERT_EQ(found.method_state.items.size(), 1);
  EXPECT_EQ(found.method_state.items.front().second.type, TensorType::int32);
}

TEST(CheckpointFile, NothingIsLowBeforeTheFirstEpoch) {
  Builder made;
  made["epoch"] = test::pickled_long(0);
  made["best_epoch"] = test::pickled_long(-1);
  made["epochs_without_gain"] = test::pickled_long(0);
  made["lowest_loss"] = made.real(infinity);
  EXPECT_EQ(made.read().lowest_loss, infinity);
}

struct Wrong {
  std::string part;
  std::function<std::string(Builder&)> value;
  std::vector<std::string> words;
};

class WrongCheckpoint : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCheckpoint, IsRefused) {
  Builder made;
  made[GetParam().part] = GetParam().value(made);
  for (const std::string& word : GetParam().words) {
    test::expect_error([&] { made.read(); }, {word, "file.pt"});
  }
}

Wrong number(const std::string& part, std::int64_t value) {
  return {part, [=](Builder&) { return test::pickled_long(value); }, {"whole number"}};
}

Wrong real(const std::string& part, double value) {
  return {part, [=](Builder& b) { return b.real(value); }, {part, "finite number"}};
}

Wrong missing(const std::string& part) {
  return {part, [](Builder&) { return std::string(); }, {part.substr(part.find('.') + 1)}};
}

const std::vector<Wrong> wrong = {
    number("epoch", -1),
    number("epoch", std::int64_t{1} << 31),
    number("epoch", INT64_MAX),
    number("best_epoch", 7),
    number("best_epoch", -2),
    number("epochs_without_gain", 8),
    number("epochs_without_gain", -1),
    number("optimizer.step", -1),
    number("optimizer.step", std::int64_t{1} << 33),
    number("step", 0),
    number("step", -5),
    real("lowest_loss", nan),
    real("lowest_loss", infinity),
    real("best_score", nan),
    real("ratio", -1),
    real("ratio", infinity),
    real("seconds", -1),
    real("lr", nan),
    real("lr", -0.1),
    real("lr", infinity),
    missing("version"),
    missing("config"),
    missing("graph"),
    missing("epoch"),
    missing("model"),
    missing("best_model"),
    missing("moment1"),
    missing("moment2"),
    missing("lr"),
    missing("optimizer.step"),
    missing("method"),
    missing("seconds"),
    {"epoch", [](Builder& b) { return b.real(1); }, {"epoch", "whole number"}},
    {"epoch again", [](Builder&) { return test::pickled_long(7); }, {"epoch", "once"}},
    {"step", [](Builder&) { return test::pickled_long(1); }, {"step_sums"}},
    {"version", [](Builder&) { return std::string("N"); }, {"version", "None"}},
    {"config", [](Builder&) { return std::string("N"); }, {"config", "a dict"}},
    {"config",
     [](Builder&) {
       return test::pickled_dict({{"lr", "K\1"}});
     },
     {"config.lr", "text"}},
    {"config", [](Builder&) { return std::string("}(NNu"); }, {"config", "names"}},
    {"lr",
     [](Builder& b) {
       return b.tensor<double>("DoubleStorage", {1, 2}, {2});
     },
     {"lr", "one number"}},
    {"lr", [](Builder& b) { return b.floats({1}); }, {"lr", "float64"}},
    {"model",
     [](Builder&) {
       return test::pickled_dict({{"w", "N"}});
     },
     {"model", "'w'"}},
    {"model",
     [](Builder& b) {
       return test::pickled_dict({{"w", b.tensor<double>("DoubleStorage", {1}, {1})}});
     },
     {"model", "float32"}},
    {"model",
     [](Builder& b) {
       return test::pickled_dict({{"w", b.floats({1})}, {"w", b.floats({1})}});
     },
     {"model", "each name once"}},
    {"best_model",
     [](Builder& b) {
       return test::pickled_dict({{"w", b.floats({1, NAN})}});
     },
     {"best_model", "'w'", "finite", "number 1"}},
    {"moment2",
     [](Builder& b) {
       return test::pickled_dict({{"w", b.floats({1, -1})}});
     },
     {"moment2", "negative"}},
    // One storage under very many names.
    {"model",
     [](Builder& b) {
       const std::string one = b.floats(std::vector<float>(2000, 1));
       test::PickledItems items;
       for (int i = 0; i < 100; ++i) items.emplace_back(std::to_string(i), one);
       return test::pickled_dict(items);
     },
     {"model", "share"}},
};

INSTANTIATE_TEST_SUITE_P(Parts, WrongCheckpoint, ::testing::ValuesIn(wrong));

}  // namespace
}  // namespace creg::checkpoint_file_test
