#include "creg/core/named_enum.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace creg {

enum class Season { spring, summer, late_autumn };
template <>
struct EnumNames<Season> {
  static constexpr std::array<std::string_view, 3> names = {"spring", "summer", "late-autumn"};
};

namespace {

TEST(NamedEnum, NamesAndValuesBelongTogether) {
  EXPECT_EQ(name_of(Season::spring), "spring");
  EXPECT_EQ(name_of(Season::late_autumn), "late-autumn");
  EXPECT_EQ(names_of<Season>(), (std::vector<std::string>{"spring", "summer", "late-autumn"}));
  for (const std::string& name : names_of<Season>()) {
    const std::optional<Season> value = from_name<Season>(name);
    ASSERT_TRUE(value.has_value()) << name;
    EXPECT_EQ(name_of(*value), name);
  }
}

TEST(NamedEnum, OtherTextsAreNoNames) {
  for (const char* text : {"", "Spring", "sprin", "spring ", "late_autumn"}) {
    EXPECT_FALSE(from_name<Season>(text).has_value()) << text;
  }
}

TEST(NamedEnum, AValueWithoutANameIsNotRead) {
  EXPECT_THROW(name_of(static_cast<Season>(3)), std::out_of_range);
}

}  // namespace
}  // namespace creg
