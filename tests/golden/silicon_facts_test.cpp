// Measured cycles and times of twenty rows a set (tests/golden/silicon/README.md), and what may be claimed of them.
#include <gtest/gtest.h>

#include "dosa_rows.hpp"
#include "gemmini_rows.hpp"
#include "silicon/accuracy.hpp"
#include "silicon/files/silicon.hpp"
#include "silicon/gemmini/tiler.hpp"
#include "silicon/kernels/product.hpp"
#include "silicon/systolic/latency.hpp"
#include "table.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::golden::silicon_facts_test {
namespace {

using namespace silicon_study;

constexpr std::size_t kRows = 20;
constexpr silicon::Claim kWithinFivePercent{.median = 0.05, .ninetieth = 0.27, .rank = 0.99};

template <class Machine>
Machine machine_named(const std::string& name) {
    const yaml::Node root = timeloop::zoo_architecture(name);
    return std::get<Machine>(silicon::read_silicon(root, timeloop::read_architecture(root))->machine);
}

struct Predictions {
    std::vector<double> predicted;
    std::vector<double> measured;
    std::vector<double> timeloop;
};

Predictions of_gemmini() {
    const auto machine = machine_named<silicon::SystolicMachine>("gemmini");
    Predictions all;
    for (const GemminiRow& row : gemmini_rows(Table::read("tests/golden/silicon/gemmini.csv"))) {
        all.predicted.push_back(silicon::systolic_latency(row.layer, machine).cycles);
        all.measured.push_back(row.measured);
        all.timeloop.push_back(*row.timeloop);
    }
    return all;
}

TEST(SiliconFacts, GemminisCyclesAreWhatTheyWere) {
    const Table table = Table::read("tests/golden/silicon/gemmini.csv");
    const Predictions all = of_gemmini();
    ASSERT_EQ(all.predicted.size(), kRows);
    for (std::size_t i = 0; i < kRows; ++i)
        EXPECT_NEAR(all.predicted[i], table.number(i, "predicted"), 0.06) << table.text(i, "mapping.mapping");
}

TEST(SiliconFacts, GemminisCyclesAreWithinFivePercentAndTimeloopsAreNot) {
    const Predictions all = of_gemmini();
    EXPECT_TRUE(meets(silicon::accuracy_of(all.predicted, all.measured), kWithinFivePercent));
    EXPECT_FALSE(meets(silicon::accuracy_of(all.timeloop, all.measured), kWithinFivePercent));
}

// Each thing that the plain model leaves out is needed for the claim.
TEST(SiliconFacts, WithoutMemoryTheClaimIsDenied) {
    auto machine = machine_named<silicon::SystolicMachine>("gemmini");
    machine.caches.clear();
    machine.dma.request_cycles = 0.01;
    std::vector<double> predicted;
    for (const GemminiRow& row : gemmini_rows(Table::read("tests/golden/silicon/gemmini.csv")))
        predicted.push_back(silicon::systolic_latency(row.layer, machine).cycles);
    EXPECT_FALSE(meets(silicon::accuracy_of(predicted, of_gemmini().measured), kWithinFivePercent));
}

TEST(SiliconFacts, GemminisTilerIsReproduced) {
    int compared = 0;
    for (const GemminiRow& row : gemmini_rows(Table::read("tests/golden/silicon/gemmini.csv"))) {
        if (row.layer.is_product) continue;
        ++compared;
        EXPECT_EQ(silicon::gemmini::tiled_by_gemmini(row.layer).tile, row.own->tile) << row.shape;
    }
    EXPECT_GE(compared, 15);
}

// DOSA's machine as its file has it, with the sizes of a row.
Architecture dosa_levels() {
    return timeloop::read_architecture(timeloop::load_text(R"(
architecture:
  version: 0.3
  subtree:
  - name: System
    local: [{name: DRAM, class: DRAM, attributes: {word-bits: 8, block_size: 64, shared_bandwidth: 8}}]
    subtree:
    - name: Chip
      attributes: {technology: 40nm}
      local: [{name: Scratchpad, class: SRAM, attributes: {depth: 8192, width: 128, word-bits: 8, shared_bandwidth: 32}}]
      subtree:
      - name: PECols[0..15]
        local:
        - name: Accumulator
          class: SRAM
          attributes: {depth: 512, width: 32, word-bits: 32, network-word-bits: 16, shared_bandwidth: 2}
        subtree:
        - name: PERows[0..15]
          local:
          - {name: Registers, class: SRAM, attributes: {depth: 1, width: 8, word-bits: 8}}
          - {name: MACC, class: intmac, attributes: {datawidth: 8, word-bits: 8}}
)"));
}

TEST(SiliconFacts, DosasTimeloopRunsHaveTheSameCycles) {
    const Table table = Table::read("tests/golden/silicon/dosa.csv");
    const Architecture levels = dosa_levels();
    ASSERT_EQ(table.size(), kRows);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const account::TimeloopResult counted = dosa_counted(levels, table, i);
        ASSERT_FALSE(counted.refusal) << counted.refusal->message;
        EXPECT_EQ(counted.cycles, table.integer(i, "target.cycle")) << table.text(i, "mapping.mapping");
    }
}

class Accelerators : public testing::TestWithParam<const char*> {};

// By their own rows; a roofline of the same rows is further off.
TEST_P(Accelerators, ProductsTakeWhatTheyTook) {
    const Table table = Table::read("tests/golden/silicon/accelerators.csv");
    const auto machine = machine_named<silicon::KernelMachine>(GetParam());
    Predictions all;
    std::vector<double> roofline;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.text(i, "machine") != GetParam()) continue;
        const silicon::Product product{table.integer(i, "rows"), table.integer(i, "columns"), table.integer(i, "depth"),
                                       table.integer(i, "weights_resident") != 0};
        all.predicted.push_back(silicon::product_latency(product, machine).us);
        all.measured.push_back(table.number(i, "measured_us"));
        roofline.push_back(silicon::roofline_us(product, machine));
        EXPECT_NEAR(all.predicted.back() / table.number(i, "predicted_us"), 1.0, 1e-5) << table.text(i, "layer");
    }
    ASSERT_EQ(all.predicted.size(), kRows);
    const silicon::Claim claim{.median = 0.10, .ninetieth = 0.30};
    EXPECT_TRUE(meets(silicon::accuracy_of(all.predicted, all.measured), claim));
    EXPECT_LT(silicon::accuracy_of(all.predicted, all.measured).median,
              silicon::accuracy_of(roofline, all.measured).median);
}

INSTANTIATE_TEST_SUITE_P(Machines, Accelerators, testing::Values("h100", "rtx4090", "tpu-v6e", "a100", "mi210"));

}  // namespace
}  // namespace tilewright::golden::silicon_facts_test
