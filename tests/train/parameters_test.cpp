#include "train/parameters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "core/parse_value.h"
#include "io/file.h"
#include "support/expect_error.h"
#include "support/test_data.h"
#include "train/recipes.h"

namespace creg::parameters_test {
namespace {

using test::expect_error;

TEST(Parameters, DefaultsAreWhatScriptsRelyOn) {
  const TrainConfig defaults;
  const auto value = [&](const char* key) { return find_parameter(key).get(defaults); };
  EXPECT_EQ(value("score"), "dot");
  EXPECT_EQ(value("positives"), "neighbours");
  EXPECT_EQ(value("k"), "5");
  EXPECT_EQ(value("negatives"), "1");
  EXPECT_EQ(value("ratio"), "1");
  EXPECT_EQ(value("r"), "random");
  EXPECT_EQ(value("log"), "stable");
  EXPECT_EQ(value("temperature"), "1");
  EXPECT_EQ(value("dim"), "512");
  EXPECT_EQ(value("layers"), "1");
  EXPECT_EQ(value("activation"), "prelu");
  EXPECT_EQ(value("lr"), "0.001");
  EXPECT_EQ(value("epochs"), "300");
  EXPECT_EQ(value("patience"), "40");
  EXPECT_EQ(value("weight_decay"), "0");
  EXPECT_EQ(value("select"), "loss");
}

TEST(Parameters, EveryOneReadsWhatItWrites) {
  TrainConfig config;
  for (const Parameter& parameter : train_parameters()) {
    const std::string text = parameter.get(config);
    parameter.set(config, text);
    EXPECT_EQ(parameter.get(config), text) << parameter.key;
    EXPECT_FALSE(parameter.help.empty()) << parameter.key;
    EXPECT_FALSE(parameter.values.empty()) << parameter.key;
  }
}

TEST(Parameters, WrongValuesNameTheRange) {
  TrainConfig config;
  const auto set = [&](const char* key, const char* text) {
    return [&config, key, text] { find_parameter(key).set(config, text); };
  };
  expect_error(set("k", "0"), {"k", "'0'", "1 to 1,000"});
  expect_error(set("k", "3.5"), {"'3.5'", "whole number"});
  expect_error(set("lr", "fast"), {"'fast'", "a number of"});
  expect_error(set("lr", "nan"), {"'nan'", "a number of"});
  expect_error(set("lr", "-1"), {"'-1'"});
  expect_error(set("score", "cosine"), {"'cosine'", "dot or bilinear"});
  expect_error(set("method", "xx"), {"'xx'", "ml, lc"});
  expect_error(set("final_norm", "yes"), {"'yes'", "true or false"});
  expect_error(set("reg", "contrast+l3"), {"'l3'", "l2norm"});
  expect_error(set("reg", "none+contrast"), {"'none'"});
  expect_error(set("reg", ""), {"''"});
}

/// Both ends of what the page calls a range are taken, and nothing beyond them.
TEST(Parameters, RangesAreWhatThePageSays) {
  int ranges = 0;
  for (const Parameter& parameter : train_parameters()) {
    const std::size_t dots = parameter.values.find("..");
    if (dots == std::string::npos) continue;
    ++ranges;
    const std::string low = parameter.values.substr(0, dots);
    const std::string high =
        parameter.values.substr(dots + 2, parameter.values.find('|') - dots - 2);
    TrainConfig config;
    const auto set = [&](const std::string& text) { parameter.set(config, text); };
    EXPECT_NO_THROW(set(low)) << parameter.key;
    EXPECT_NO_THROW(set(high)) << parameter.key;
    const double step = std::stod(low) != 0 && std::stod(low) < 1 ? std::stod(low) / 4 : 1;
    const double beyond = std::max(step, 1e-9 * std::stod(high));
    expect_error([&] { set(number_text(std::stod(low) - step)); }, {parameter.key});
    expect_error([&] { set(number_text(std::stod(high) + beyond)); }, {parameter.key});
    const std::string part = number_text((std::stod(low) + std::stod(high)) / 2 + 0.25);
    if (parameter.whole) {
      expect_error([&] { set(part); }, {parameter.key, "whole number"});
    } else {
      EXPECT_NO_THROW(set(part)) << parameter.key;
    }
  }
  EXPECT_GT(ranges, 30);
}

TEST(Parameters, FlagsAreKeysWithDashes) {
  EXPECT_EQ(find_parameter("weight_decay").flag(), "--weight-decay");
  EXPECT_EQ(find_parameter("k").flag(), "--k");
}

TEST(Parameters, UnknownKeysSuggest) {
  expect_error([] { find_parameter("epoch"); }, {"'epoch'", "epochs"});
}

TEST(Parameters, RegularisersCombine) {
  TrainConfig config;
  const Parameter& reg = find_parameter("reg");
  reg.set(config, "l2norm+weight-decay");
  EXPECT_FALSE(config.regulariser.contrast);
  EXPECT_TRUE(config.regulariser.l2norm);
  EXPECT_EQ(effective_weight_decay(config), 5e-4);
  EXPECT_EQ(reg.get(config), "l2norm+weight-decay");
  find_parameter("weight_decay").set(config, "0.01");
  EXPECT_EQ(effective_weight_decay(config), 0.01);
  reg.set(config, "contrast,l2norm");
  EXPECT_EQ(reg.get(config), "contrast+l2norm");
  reg.set(config, "none");
  EXPECT_EQ(reg.get(config), "none");
  EXPECT_EQ(effective_weight_decay(config), 0.01);
}

TEST(Parameters, CombinationsThatMakeNoSenseAreRefused) {
  TrainConfig config;
  config.own["curriculum"] = "3";
  expect_error([&] { check_config(config); }, {"curriculum", "ml", "--method lc"});
  config.method = "lc";
  config.epochs = 2;
  expect_error([&] { check_config(config); }, {"more rounds than epochs", "at most 2"});
  config.epochs = 3;
  check_config(config);
  config.encoder.kind = EncoderKind::gat;
  config.encoder.heads = 3;
  expect_error([&] { check_config(config); }, {"heads", "512"});
}

TEST(Parameters, ViewsSayWhatTheyNeed) {
  TrainConfig config;
  find_parameter("method").set(config, "digcl");
  expect_error([&] { check_config(config); },
               {"digcl", "adjacency", "--propagation directed-pagerank"});
  find_parameter("propagation").set(config, "directed-pagerank");
  check_config(config);
  find_parameter("method").set(config, "grace");
  find_parameter("propagation").set(config, "adjacency");
  find_parameter("encoder").set(config, "dual");
  expect_error([&] { check_config(config); }, {"dual with grace", "gcn, gat, gin or sage"});
  find_parameter("encoder").set(config, "sage");
  check_config(config);
  find_parameter("temperature").set(config, "0.01");
  expect_error([&] { check_config(config); }, {"temperature", "0.025"});
  find_parameter("temperature").set(config, "0.5");
  find_parameter("batch_size").set(config, "10");
  expect_error([&] { check_config(config); }, {"whole graph", "grace"});
  find_parameter("batch_size").set(config, "0");
  find_parameter("method").set(config, "ggd");
  check_config(config);
  for (const char* encoder : {"dual", "multiplex"}) {
    find_parameter("encoder").set(config, encoder);
    find_parameter("drop_edges1").set(config, "0.2");
    expect_error([&] { check_config(config); }, {"drop_edges1", encoder, "gcn, gat, gin or sage"});
    find_parameter("drop_edges1").set(config, "0");
    check_config(config);
  }
  expect_error([&] { find_parameter("centrality").set(config, "betweenness"); },
               {"degree, pagerank or eigenvector"});
}

TEST(Parameters, SettingsNameTheLine) {
  TrainConfig config;
  const Bytes toml = Bytes::from_string("lr = 1e-2\nk = 0\n", "mine.toml");
  expect_error([&] { apply_settings(config, read_settings(toml), "mine.toml"); },
               {"mine.toml", "line 2", "'k'"});
  const Bytes unknown = Bytes::from_string("rate = 1\n", "mine.toml");
  expect_error([&] { apply_settings(config, read_settings(unknown), "mine.toml"); },
               {"mine.toml", "line 1", "'rate'"});
}

TEST(Parameters, ConfigTomlReadsBack) {
  TrainConfig config;
  config.method = "lc";
  config.lr = 3e-3;
  config.final_norm = true;
  config.smooth = 3;
  config.regulariser.l2norm = true;
  const std::string text = config_toml(config);
  TrainConfig again;
  apply_settings(again, read_settings(Bytes::from_string(text, "c")), "c");
  EXPECT_EQ(config_toml(again), text);
}

TEST(Parameters, ThePageInDocsIsUpToDate) {
  const Bytes page = map_file(test::source_dir() / "docs" / "parameters.md");
  EXPECT_EQ(page.text(), parameters_markdown())
      << "run: build/release/creg train --parameters > docs/parameters.md";
}

TEST(Parameters, TheTemplateOfRecipesIsUpToDate) {
  const Bytes file = map_file(test::source_dir() / "recipes" / "template.toml");
  EXPECT_EQ(file.text(), recipe_template())
      << "run: build/release/creg train --template > recipes/template.toml";
}

TEST(Parameters, TheTemplateWithoutItsMarksIsTheDefaults) {
  std::string text = recipe_template();
  for (std::size_t i = 0; (i = text.find("\n#", i)) != std::string::npos; ++i) {
    if (text[i + 2] != ' ') text.erase(i + 1, 1);
  }
  TrainConfig config;
  config.lr = 7;
  EXPECT_EQ(apply_recipe(config, text, "template"), "cora");
  EXPECT_EQ(config_toml(config), config_toml(TrainConfig()));
}

TEST(Recipes, AllAreValidAndNameTheirSource) {
  ASSERT_FALSE(shipped_recipes().empty());
  for (const Recipe& recipe : shipped_recipes()) {
    TrainConfig config;
    const std::string dataset = apply_recipe(config, recipe.text, recipe.path);
    check_config(config);
    EXPECT_EQ(recipe.path, config.method + "/" + (dataset.empty() ? "default" : dataset) + ".toml");
    EXPECT_NE(recipe.text.find("\nsource = \""), std::string::npos) << recipe.path;
  }
}

TEST(Recipes, AllOfTheFolderAreShipped) {
  const std::filesystem::path folder = test::source_dir() / "recipes";
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = std::filesystem::relative(entry.path(), folder).generic_string();
    if (entry.is_regular_file() && path != "template.toml") files.insert(path);
  }
  std::set<std::string> shipped;
  for (const Recipe& recipe : shipped_recipes()) shipped.insert(recipe.path);
  EXPECT_EQ(files, shipped) << "src/train/CMakeLists.txt lists them";
}

TEST(Recipes, AMethodsOwnRecipeStandsInForDatasetsWithout) {
  EXPECT_EQ(find_recipe("grace", "cora")->path, "grace/cora.toml");
  EXPECT_EQ(find_recipe("grace", "photo")->path, "grace/default.toml");
  EXPECT_EQ(find_recipe("grace", "")->path, "grace/default.toml");
}

TEST(Recipes, TheTableOfThePaperIsThere) {
  for (const char* method : {"ml", "lc"}) {
    for (const char* dataset : {"cora", "citeseer", "pubmed", "wiki", "computers", "photo"}) {
      EXPECT_NE(find_recipe(method, dataset), nullptr) << method << dataset;
    }
  }
  EXPECT_EQ(find_recipe("ml", "nothing")->path, "ml/default.toml");
  EXPECT_EQ(find_recipe("dgi", "nothing"), nullptr);
}

}  // namespace
}  // namespace creg::parameters_test
