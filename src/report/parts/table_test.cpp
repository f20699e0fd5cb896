#include "report/parts/table.hpp"

#include <gtest/gtest.h>

namespace tilewright::report::table_test {
namespace {

TEST(Table, AlignsColumnsAndRulesTotals) {
    Table table({"layer", "cycles"}, "lr");
    table.add({"conv1", "12"});
    table.add({"fc", "1,234"});
    table.rule();
    table.add({"total", "1,246"});
    EXPECT_EQ(table.text(),
              "  layer  cycles\n"
              "  -------------\n"
              "  conv1      12\n"
              "  fc      1,234\n"
              "  -------------\n"
              "  total   1,246\n");
}

TEST(Table, CountsCharactersNotBytesAndPadsShortRows) {
    Table table({"name", "n"}, "ll");
    table.add({"größe", "1"});
    table.add({"x"});
    EXPECT_EQ(table.text(0), "name   n\n--------\ngröße  1\nx\n");
}

}  // namespace
}  // namespace tilewright::report::table_test
