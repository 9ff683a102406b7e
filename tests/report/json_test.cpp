#include <gtest/gtest.h>

#include "report/small_report.h"
#include "report/writers.h"

namespace creg::json_test {
namespace {

TEST(JsonWriter, WritesWhatHasAKeyAsItIs) {
  EXPECT_EQ(to_json(test::small_report().body).dump(),
            "{\"task\":\"try\",\"nodes\":12345,\"share\":0.815,\"pca\":null,\"bad\":null,"
            "\"seeds\":[0,18446744073709551615],"
            "\"metrics\":{\"accuracy\":{\"mean\":0.625,\"std\":0.125,\"values\":[0.5,0.75]},"
            "\"nmi\":null},"
            "\"files\":[{\"name\":\"a|b\",\"bytes\":1536,\"rate\":0.25,\"verified\":true},"
            "{\"name\":\"long, \\\"name\\\"\",\"bytes\":null,\"rate\":null,\"verified\":false}]}");
}

TEST(JsonWriter, WholeNumbersStayWholeAndRealsReal) {
  EXPECT_EQ(to_json(List{1, 1.0, 0.1, -1, true, "x"}).dump(), "[1,1.0,0.1,-1,true,\"x\"]");
}

TEST(JsonWriter, NothingIsAnEmptyObjectOrList) {
  EXPECT_EQ(to_json_text({}), "{}\n");
  EXPECT_EQ(to_json(Table{}).dump(), "[]");
  EXPECT_EQ(to_json(std::optional<double>()).dump(), "null");
}

TEST(JsonWriter, TextsThatAreNoUtf8DoNotBreakIt) {
  const Record record = {{"file", std::string("caf\xe9\x01.csv")}};
  EXPECT_EQ(to_json_line(record), "{\"file\":\"caf\xef\xbf\xbd\\u0001.csv\"}\n");
  EXPECT_EQ(nlohmann::json::parse(to_json_text(record))["file"], "caf\xef\xbf\xbd\x01.csv");
}

}  // namespace
}  // namespace creg::json_test
