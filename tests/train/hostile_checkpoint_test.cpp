// Checkpoints that no run of this kind wrote: whole files with right checksums that do not fit, and
// damaged ones. Nothing of them may be used.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <limits>
#include <string>

#include "creg/train/trainer.h"
#include "io/file.h"
#include "support/attributed_graph.h"
#include "support/damage.h"
#include "support/devices.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"
#include "train/parameters.h"

namespace creg::hostile_checkpoint_test {
namespace {

constexpr int epochs = 6;

Context context_of(std::uint64_t seed) {
  return test::context({.threads = 1, .seed = seed});
}

/// A finished run of six epochs, whose checkpoint can be changed.
class Hostile {
 public:
  explicit Hostile(const std::string& method) {
    config_.method = method;
    config_.encoder.kind = method == "gdcl" ? EncoderKind::dual : EncoderKind::gcn;
    config_.encoder.dim = 4;
    config_.epochs = epochs;
    config_.patience = 0;
    if (method == "lc") config_.own["curriculum"] = "2";
    if (method == "gdcl") config_.own["warmup"] = "2";
    find_parameter("reg").set(config_, "contrast");
    train(context_of(2), graph_, config_, {.directory = dir_.path()});
    good_ = read_checkpoint(file());
  }

  std::filesystem::path file() const { return dir_.path() / "checkpoint.pt"; }
  const Checkpoint& good() const { return good_; }

  void change(const std::function<void(Checkpoint&)>& change) const {
    Checkpoint changed = good_;
    change(changed);
    write_checkpoint(file(), changed);
  }
  void resume() const {
    train(context_of(2), graph_, config_, {.directory = dir_.path(), .resume = true});
  }
  void embed() const { creg::embed(context_of(0), graph_, file()); }

  void refuse_resume(const std::function<void(Checkpoint&)>& changed,
                     std::initializer_list<std::string> words) const {
    change(changed);
    test::expect_error([&] { resume(); }, words);
  }
  void refuse_embed(const std::function<void(Checkpoint&)>& changed,
                    std::initializer_list<std::string> words) const {
    change(changed);
    test::expect_error([&] { embed(); }, words);
  }

 private:
  test::TempDir dir_;
  Graph graph_ = test::two_groups();
  TrainConfig config_;
  Checkpoint good_;
};

std::string& setting(TextPairs& pairs, const std::string& key) {
  for (auto& [name, value] : pairs) {
    if (name == key) return value;
  }
  return pairs.emplace_back(key, "").second;
}

TEST(HostileCheckpoint, AGoodOneGoesOn) {
  for (const char* method : {"ml", "lc", "gdcl", "bgrl"}) {
    const Hostile run(method);
    run.change([](Checkpoint&) {});
    run.resume();
    run.embed();
  }
}

TEST(HostileCheckpoint, AnotherPlaceThanThatOfARun) {
  const Hostile run("ml");
  const std::int64_t far = std::int64_t{1} << 31;
  run.refuse_resume([=](Checkpoint& c) { c.epoch = far; }, {"epoch"});
  run.refuse_resume([](Checkpoint& c) { c.epoch = epochs + 1; }, {"epoch", "7", "at most 6"});
  run.refuse_resume([](Checkpoint& c) { c.epoch = -1; }, {"epoch", "-1"});
  run.refuse_resume([](Checkpoint& c) { c.epoch = 0; }, {"best_epoch"});
  run.refuse_resume([](Checkpoint& c) { c.optimizer_steps = 100; }, {"optimizer.step", "100"});
  run.refuse_resume([](Checkpoint& c) { c.lr = 1e30; }, {"lr"});
  run.refuse_resume([](Checkpoint& c) { c.lr = std::numeric_limits<double>::quiet_NaN(); }, {"lr"});
  run.refuse_resume([](Checkpoint& c) { c.lr = -1; }, {"lr"});
  run.refuse_resume(
      [](Checkpoint& c) {
        c.step = 1;
        c.step_sums = at::zeros({3}, at::kDouble);
      },
      {"step"});
}

TEST(HostileCheckpoint, ParametersAndMomentsThatDoNotFit) {
  const Hostile run("ml");
  using Tensors = std::vector<NamedTensor>;
  const auto all = [&](const std::function<void(Tensors&)>& damage) {
    const std::initializer_list<std::string> words = {"does not fit the model", "checkpoint.pt"};
    run.refuse_resume([&](Checkpoint& c) { damage(c.model); }, words);
    run.refuse_resume([&](Checkpoint& c) { damage(c.best_model); }, words);
    run.refuse_resume([&](Checkpoint& c) { damage(c.moments1); }, words);
    run.refuse_resume([&](Checkpoint& c) { damage(c.moments2); }, words);
  };
  all([](Tensors& tensors) { tensors.clear(); });
  all([](Tensors& tensors) { tensors.pop_back(); });
  all([](Tensors& tensors) { tensors.front().name = "another"; });
  all([](Tensors& tensors) { tensors.front().value = tensors.front().value.narrow(0, 0, 1); });
  all([](Tensors& tensors) { tensors.front().value = at::zeros({}); });
  all([](Tensors& tensors) { tensors.push_back({"more", at::ones({2})}); });
  // In another order they are the same.
  run.change([](Checkpoint& c) {
    std::swap(c.moments1.front(), c.moments1.back());
    std::swap(c.model.front(), c.model.back());
  });
  run.resume();
}

TEST(HostileCheckpoint, AnEncoderThatDoesNotFit) {
  const Hostile run("ml");
  run.refuse_embed([](Checkpoint& c) { c.best_model.clear(); }, {"best_model", "nothing"});
  run.refuse_embed(
      [](Checkpoint& c) {
        c.best_model.front().value = at::zeros({2, 2});
      },
      {"best_model"});
  // Refused by shape, before a matrix of so many columns is made.
  run.refuse_embed([](Checkpoint& c) { setting(c.config, "dim") = "65536"; },
                   {"best_model", "65536"});
  run.refuse_embed([](Checkpoint& c) { setting(c.config, "dim") = "-4"; }, {"dim"});
  run.refuse_embed([](Checkpoint& c) { setting(c.config, "layers") = "1000000000"; }, {"layers"});
  run.refuse_embed([](Checkpoint& c) { setting(c.config, "nonsense") = "1"; }, {"nonsense"});
  run.change([](Checkpoint& c) {
    for (NamedTensor& one : c.best_model) {
      if (one.name == "regulariser.weight") one.value = at::zeros({3});
    }
  });
  test::expect_error([&] { kept_regulariser(run.file()); }, {"regulariser.weight", "4 x 4"});
}

TEST(HostileCheckpoint, StatesOfMethodsThatDoNotFit) {
  const auto state = [](const std::string& name, const at::Tensor& value) {
    return [=](Checkpoint& c) {
      for (NamedTensor& one : c.method_state) {
        if (one.name == name) one.value = value;
      }
    };
  };
  const Hostile ml("ml");
  ml.refuse_resume(
      [](Checkpoint& c) {
        c.method_state.push_back({"seeds", at::zeros({2})});
      },
      {"method", "seeds"});
  const Hostile lc("lc");
  ASSERT_EQ(lc.good().method_state.size(), 1);
  lc.refuse_resume(state("seeds", at::tensor({0, 40}, at::kInt)), {"seeds", "nodes"});
  lc.refuse_resume(state("seeds", at::tensor({-1, 4}, at::kInt)), {"seeds", "nodes"});
  lc.refuse_resume(state("seeds", at::tensor({4, 4}, at::kInt)), {"seeds", "rising"});
  lc.refuse_resume(state("seeds", at::empty({0}, at::kInt)), {"seeds"});
  lc.refuse_resume(state("seeds", at::zeros({4})), {"seeds"});
  const Hostile gdcl("gdcl");
  ASSERT_EQ(gdcl.good().method_state.size(), 2);
  gdcl.refuse_resume(state("clusters.centres", at::zeros({2, 3})), {"clusters.centres"});
  gdcl.refuse_resume(state("clusters.target", at::full({40, 2}, NAN)),
                     {"clusters.target", "finite"});
  gdcl.refuse_resume([](Checkpoint& c) { c.method_state.pop_back(); }, {"clusters"});
  const Hostile bgrl("bgrl");
  bgrl.refuse_resume([](Checkpoint& c) { c.method_state.pop_back(); }, {"method", "slow."});
  bgrl.refuse_resume([](Checkpoint& c) { c.method_state.clear(); }, {"method", "slow."});
}

bool same(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && at::equal(x.value, y.value);
  });
}

TEST(HostileCheckpoint, NoFlippedBitIsTakenForANumber) {
  const Hostile run("ml");
  const std::string whole(map_file(run.file()).text());
  const Checkpoint& good = run.good();
  const int refused = test::read_damaged(
      whole,
      [&](const std::string& damaged) {
        write_file(run.file(), damaged);
        const Checkpoint read = read_checkpoint(run.file());
        // A bit that nobody reads, such as one of a time.
        EXPECT_TRUE(same(read.model, good.model) && same(read.best_model, good.best_model) &&
                    same(read.moments1, good.moments1) && same(read.moments2, good.moments2));
        EXPECT_EQ(read.epoch, good.epoch);
        EXPECT_EQ(read.lr, good.lr);
        EXPECT_EQ(read.config, good.config);
      },
      400);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace creg::hostile_checkpoint_test
