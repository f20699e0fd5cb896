#include "native/cost_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace tilewright::native::cost_table_test {
namespace {

using explore::Accelerator;
using explore::CostTable;

constexpr const char* kBlocks = R"(cost:
  mac: {area_um2: 100, power_mw: 2}
  l1: {cell_bytes: 8, area_um2: 10, power_mw: 0.5}
  l2: {cell_bytes: 1024, area_um2: 1000, power_mw: 3}
  bus: {area_um2: 7, power_mw: 0.25, per_unit: 2, constant: 1}
  arbiter: {area_um2: 5, power_mw: 0.125, per_unit_squared: 1, constant: -4, least_area_um2: 20, least_power_mw: 0.25}
)";

CostTable read(const std::string& text) { return read_cost_table(yaml::parse_text(text, "cost.yaml")); }

std::string error_of(const std::string& text) {
    try {
        read(text);
    } catch (const InputError& error) {
        const std::string message = error.what();  // with the line and a mark below it
        return message.substr(0, message.find('\n'));
    }
    return "";
}

std::string replaced(const std::string& old, const std::string& fresh) {
    std::string text = kBlocks;
    return text.replace(text.find(old), old.size(), fresh);
}

// 4 units of 2 lanes, 3 cells of L1 each, 2 of L2, 6 bytes per cycle: by hand.
TEST(CostTable, BlocksAddUp) {
    const CostTable table = read(kBlocks);
    const Accelerator machine{4, 2, 17, 1025, 6};
    EXPECT_DOUBLE_EQ(area_mm2(machine, table), 1e-6 * (4 * (2 * 100 + 3 * 10) + 2 * 1000 + 7 * 9 * 6 + 5 * 12));
    EXPECT_DOUBLE_EQ(power_mw(machine, table), 4 * (2 * 2 + 3 * 0.5) + 2 * 3 + 0.25 * 9 * 6 + 0.125 * 12);
    // One unit: the arbiter is at its minimum, and an empty buffer has a cell.
    EXPECT_DOUBLE_EQ(area_mm2({1, 1, 0, 0, 1}, table), 1e-6 * (100 + 10 + 1000 + 7 * 3 + 20));
    EXPECT_DOUBLE_EQ(power_mw({1, 1, 0, 0, 1}, table), 2 + 0.5 + 3 + 0.25 * 3 + 0.25);
    EXPECT_EQ(table.access_energy(1, 1 << 20).l1, dataflow::AccessEnergy().l1) << "MAESTRO's, as none is given";
    EXPECT_EQ(table.access_energy(1, 1 << 20).l2, dataflow::AccessEnergy().l2);
}

TEST(CostTable, EnergiesFollowSizesAlongStraightLinesOfLogarithms) {
    const CostTable table =
        read(std::string(kBlocks) +
             "  l1_access_macs: 0.75\n"
             "  l2_access_macs: [{bytes: 1024, macs: 2}, {bytes: 4096, macs: 4}, {bytes: 65536, macs: 32}]\n");
    EXPECT_DOUBLE_EQ(table.l1_access.macs(3), 0.75);
    EXPECT_DOUBLE_EQ(table.l1_access.macs(1 << 20), 0.75);
    // Four times the bytes cost twice as much, then eight times as much for sixteen times the bytes.
    for (const auto& [bytes, macs] : {std::pair{256, 1.0}, {1024, 2.0}, {4096, 4.0}, {65536, 32.0}})
        EXPECT_NEAR(table.l2_access.macs(bytes), macs, 1e-12) << bytes;
    EXPECT_NEAR(table.l2_access.macs(2048), 2 * std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(table.l2_access.macs(1 << 20), 32 * 8, 1e-9) << "beyond the last point the line goes on";
}

TEST(CostTable, MistakesAreLocated) {
    EXPECT_EQ(error_of(kBlocks), "");
    EXPECT_EQ(error_of(replaced("area_um2: 100", "area: 100")).rfind("cost.yaml:2:9: error: unknown key 'area'", 0), 0U)
        << error_of(replaced("area_um2: 100", "area: 100"));
    EXPECT_EQ(error_of(replaced("  l2: {cell_bytes: 1024, area_um2: 1000, power_mw: 3}\n", "")),
              "cost.yaml:2:3: error: the key 'l2' is missing [missing-key]");
    EXPECT_EQ(error_of(replaced("per_unit: 2", "per_unit: -2")),
              "cost.yaml:5:48: error: expected a number of at least 0, found '-2' [bad-value]");
    EXPECT_EQ(error_of(replaced("cell_bytes: 8", "cell_bytes: 0")).rfind("cost.yaml:3:20: error:", 0), 0U);
    EXPECT_EQ(error_of(std::string(kBlocks) + "  l1_access_macs: 0\n"),
              "cost.yaml:7:19: error: expected an energy above 0 (in multiply-accumulates), found '0' [bad-value]");
    EXPECT_EQ(error_of(std::string(kBlocks) + "  l1_access_macs: [{bytes: 64, macs: 1}, {bytes: 64, macs: 2}]\n"),
              "cost.yaml:7:50: error: sizes have to rise: 64 bytes come after 64 [bad-value]");
    EXPECT_EQ(error_of(std::string(kBlocks) + "  l1_access_macs: []\n"),
              "cost.yaml:7:3: error: expected a number, or points {bytes: N, macs: E} [bad-value]");
}

}  // namespace
}  // namespace tilewright::native::cost_table_test
