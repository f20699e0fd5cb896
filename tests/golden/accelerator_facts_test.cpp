// Kernels of accelerators: values worked out elsewhere, 120 measured products (tests/golden/silicon/README.md), and
// the claims that their machines' files make of them.
#include <gtest/gtest.h>

#include <utility>

#include "silicon/accelerator/accelerator.hpp"
#include "silicon/accelerator/calibrate.hpp"
#include "silicon/accelerator/product.hpp"
#include "silicon/accuracy.hpp"
#include "silicon/files/silicon.hpp"
#include "silicon/kernels/product.hpp"
#include "table.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::golden::accelerator_facts_test {
namespace {

using namespace silicon;
using silicon_study::Table;

Accelerator zoo(const std::string& name, const std::string& engine = "vllm") {
    const yaml::Node root = timeloop::zoo_architecture(name);
    return *read_accelerator(root, timeloop::read_architecture(root), engine);
}

void expect_us(double found, double us) { EXPECT_NEAR(found, us, 0.0006); }

TEST(AcceleratorFacts, ProductsTakeWhatWasWorkedOutElsewhere) {
    expect_us(product_us(zoo("h100"), Precision::bfloat16, {1, 4096, 4096}), 14.642);
    expect_us(product_us(zoo("h100"), Precision::bfloat16, {512, 14336, 4096}), 82.172);
    expect_us(product_us(zoo("a100"), Precision::bfloat16, {2048, 4096, 4096}), 281.879);
    expect_us(product_us(zoo("b200"), Precision::bfloat16, {4096, 7168, 2048}), 77.745);
    const Accelerator h200 = zoo("h200-sxm", "trtllm");
    expect_us(product_us(h200, Precision::fp8, {64, 8192, 8192}), 21.102);
    expect_us(layer_us(h200, Precision::fp8, {64, 8192, 8192}), 31.519);
    const Accelerator b200 = zoo("b200", "trtllm");
    expect_us(product_us(b200, Precision::nvfp4, {256, 16384, 5120}), 12.336);
    expect_us(layer_us(b200, Precision::nvfp4, {256, 16384, 5120}), 20.769);
}

TEST(AcceleratorFacts, AttentionTakesWhatWasWorkedOutElsewhere) {
    expect_us(prefill_us(zoo("h200-sxm"), {1, 8192, 32, 8, 128, 0, 2}), 923.655);
    expect_us(prefill_us(zoo("h200-sxm"), {4, 4096, 16, 2, 64, 128, 2}), 104.171);
    expect_us(prefill_us(zoo("b200", "trtllm"), {8, 1024, 8, 1, 128, 0, 1}), 54.751);
    Accelerator specified = zoo("h200-sxm");  // ours has other constants since
    specified.form.decode[1][1] = {.packed_heads = 32.0,
                                   .key_cycles = 11.3,
                                   .inlet_bytes_per_cycle = 62.5,
                                   .block_us = 3.0,
                                   .fix_us = 8.44,
                                   .partial_factor = 0.245,
                                   .combine_us = 1.36,
                                   .overlap = 1.4,
                                   .bandwidth_factor = 1.15};
    expect_us(decode_us(specified, {64, 4095, 32, 8, 128, 0, 2}), 303.384);
    expect_us(decode_us(zoo("b200"), {1, 65535, 64, 8, 64, 0, 1}), 20.155);
    expect_us(decode_us(zoo("h100", "trtllm"), {8, 8191, 8, 1, 128, 0, 1}), 14.943);
    expect_us(latent_decode_us(zoo("h200-sxm"), {32, 4096, 128, 2}), 71.793);
    expect_us(latent_decode_us(zoo("b200"), {128, 8192, 16, 1}), 104.799);
}

// By hand: 4,096 keys of 8 units in 0.25 * 64 parts are 128 blocks, a wave of 148; a window leaves 128 keys of a part;
// half a wave has 9.25, so 10 parts.
TEST(AcceleratorFacts, DecodeSplitsKeysByTheRootOfTheHistory) {
    Accelerator machine = zoo("b200");
    DecodeForm& form = machine.form.decode[1][1];
    form = {.packed_heads = 4.0,
            .splits_per_root = 0.25,
            .most_waves = 100.0,
            .inlet_bytes_per_cycle = 1e9,
            .block_us = 2.0,
            .fix_us = 5.0,
            .combine_us = 1.0,
            .overlap = 64.0,
            .bandwidth_factor = 1e9};
    const double clock = machine.sheet.clock_per_us;
    ASSERT_EQ(machine.sheet.multiprocessors, 148.0);
    EXPECT_NEAR(decode_us(machine, {1, 4095, 32, 8, 128, 0, 2}), 8.0 + 256.0 / clock, 1e-9);
    EXPECT_NEAR(decode_us(machine, {1, 4095, 32, 8, 128, 128, 2}), 8.0 + 128.0 / clock, 1e-9);
    EXPECT_NEAR(decode_us(machine, {2, 4095, 32, 8, 128, 0, 2}), 10.0 + 2 * 256.0 / clock, 1e-9);
    form.most_waves = 0.5;
    EXPECT_NEAR(decode_us(machine, {1, 4095, 32, 8, 128, 0, 2}), 8.0 + 409.6 / clock, 1e-9);
}

TEST(AcceleratorFacts, DecodeOfWindowsGroupsAndWidths) {
    Accelerator machine = zoo("b200");
    DecodeForm& form = machine.form.decode[1][1];
    const AttentionSize window{64, 4095, 32, 8, 128, 256, 2};
    const AttentionSize wider{64, 4095, 32, 8, 128, 384, 2};
    const double plain = decode_us(machine, window);
    const double of_wider = decode_us(machine, wider);
    form.window_keys = 128.0;
    EXPECT_DOUBLE_EQ(decode_us(machine, window), of_wider);
    EXPECT_GT(of_wider, plain);
    form.skipped_key_cycles = 0.1;
    EXPECT_GT(decode_us(machine, window), of_wider);
    const AttentionSize many{256, 4095, 64, 1, 128, 0, 2};
    form.most_packed = 64.0;
    const double packed = decode_us(machine, many);
    form.most_packed = 32.0;
    const double apart = decode_us(machine, many);
    const double own_packs = std::exchange(form.packed_heads, 1.0);
    EXPECT_DOUBLE_EQ(decode_us(machine, many), apart) << "the kernel of heads with keys of their own";
    EXPECT_GT(apart, packed);
    machine.form.decode[1][0].block_us *= 2.0;
    EXPECT_GT(decode_us(machine, many), apart);
    form.packed_heads = own_packs;
    const AttentionSize odd{2048, 4095, 16, 8, 192, 0, 2};
    form.odd_factor = 3.0;
    form.wide_head = 192.0;
    form.wide_factor = 2.0;
    const double slow = decode_us(machine, odd);
    form.odd_factor = 1.0;
    form.wide_head = 128.0;
    form.wide_factor = 3.0;
    EXPECT_DOUBLE_EQ(decode_us(machine, odd), slow);
}

TEST(AcceleratorFacts, PrefillOfWideAndOddHeads) {
    Accelerator machine = zoo("b200");
    PrefillForm& form = machine.form.prefill[1];
    form.wide_head = form.odd_lanes = 0.0;
    form.wide_factor = form.odd_factor = 1.0;
    const AttentionSize wide{4, 4096, 16, 4, 512, 0, 2};
    const AttentionSize odd{4, 4096, 16, 4, 192, 0, 2};
    const double plain_wide = prefill_us(machine, wide);
    const double plain_odd = prefill_us(machine, odd);
    form.wide_head = 256.0;
    form.wide_factor = 2.0;
    EXPECT_GT(prefill_us(machine, wide), plain_wide);
    EXPECT_DOUBLE_EQ(prefill_us(machine, odd), plain_odd);
    form.odd_factor = 2.0;
    EXPECT_GT(prefill_us(machine, odd), plain_odd);
    form.odd_lanes = 128.0;  // 384 multiply-accumulates of a score in 3 cycles of its multiprocessor
    const double scores = 4.0 * 16.0 * 4096.0 * 4097.0 / 2.0;
    const double lanes_us = scores * 3.0 / machine.sheet.clock_per_us / machine.sheet.multiprocessors;
    EXPECT_NEAR(prefill_us(machine, odd) / lanes_us, 1.0, 0.25);
}

TEST(AcceleratorFacts, ExpertsAndLinksTakeWhatWasWorkedOutElsewhere) {
    const ExpertSpread few = spread_of(64, 128, 8, 4, 1.2);
    EXPECT_EQ(few.experts_in_use, 30);
    EXPECT_EQ(few.rows, 136);
    EXPECT_EQ(few.row_tiles[0], 37);
    EXPECT_EQ(few.row_tiles[1], 31);
    EXPECT_EQ(few.row_tiles[2], 30);
    const Accelerator h200 = zoo("h200-sxm");
    const ExpertsForm& triton = experts_form(h200.form, Precision::fp8_block, "vllm_fp8moe_triton_tritonexperts");
    expect_us(experts_us(h200, triton, Precision::fp8_block, {128, 7168, 2048, 8, 256, 1, 1},
                         spread_of(128, 256, 8, 1, 1.01)),
              2422.596);
    expect_us(collective_us(h200, Collective::all_reduce, 8, 64 << 20), 403.261);
    expect_us(all_reduce_us(zoo("b200", "trtllm"), 4, 64 << 10), 5.106);
}

struct Rows {
    std::vector<ProductSize> sizes;
    std::vector<double> measured;
};

Rows rows_of(const std::string& machine) {
    const Table table = Table::read("tests/golden/silicon/kernels.csv");
    Rows rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.text(i, "machine") != machine) continue;
        rows.sizes.push_back({table.number(i, "m"), table.number(i, "n"), table.number(i, "k")});
        rows.measured.push_back(table.number(i, "measured_us"));
    }
    return rows;
}

double with_form(const Accelerator& machine, const ProductSize& size) {
    return product_us(machine, Precision::bfloat16, size);
}

double by_general_form(const Accelerator& machine, const ProductSize& size) {
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    return product_latency({whole(size.m), whole(size.n), whole(size.k)}, without_form(machine)).us;
}

bool is_within_8_percent(const Accelerator& machine, const Rows& rows,
                         double (*time)(const Accelerator&, const ProductSize&)) {
    std::vector<double> predicted;
    for (const ProductSize& size : rows.sizes) predicted.push_back(time(machine, size));
    return meets(accuracy_of(predicted, rows.measured), {.median = 0.08, .ninetieth = 0.40});
}

Accelerator by_data_sheet(Accelerator machine) {
    machine.calibrated = {0.0, 1.0, 1.0, 1.0};
    return machine;
}

class Claims : public testing::TestWithParam<const char*> {};

TEST_P(Claims, AreMetWithFormAndCalibrationAndDeniedWithoutThem) {
    const Rows rows = rows_of(GetParam());
    ASSERT_EQ(rows.sizes.size(), 40U);
    const Accelerator machine = zoo(GetParam());
    EXPECT_TRUE(is_within_8_percent(machine, rows, with_form));
    EXPECT_FALSE(is_within_8_percent(by_data_sheet(machine), rows, with_form));
    EXPECT_FALSE(is_within_8_percent(by_data_sheet(machine), rows, by_general_form));
}

INSTANTIATE_TEST_SUITE_P(Machines, Claims, testing::Values("a100", "h100", "b200"));

TEST(AcceleratorFacts, AmperesFormIsNeededForItsClaim) {
    EXPECT_FALSE(is_within_8_percent(zoo("a100"), rows_of("a100"), by_general_form));
}

TEST(AcceleratorFacts, AMachineWithoutItsOwnNumbersTakesThoseOfARelative) {
    for (const char* name : {"b300", "gb300"}) {
        const Accelerator machine = zoo(name);
        EXPECT_EQ(machine.inherited_of, "b200");
        EXPECT_EQ(machine.calibrated, zoo("b200").calibrated);
    }
    EXPECT_EQ(zoo("l40s").inherited_of, "h100");
    EXPECT_EQ(zoo("l40s").calibrated, zoo("h100").calibrated);
    EXPECT_EQ(zoo("h100").inherited_of, "");
}

// Rows predicted by a machine's numbers give these numbers back.
TEST(AcceleratorFacts, CalibrationFindsTheNumbersThatMadeTheRows) {
    const Accelerator machine = zoo("h100");
    std::vector<MeasuredProduct> rows;
    for (const ProductSize& size : rows_of("h100").sizes) rows.push_back({size, with_form(machine, size)});
    for (const double edge : {7000.0, 8192.0, 9000.0})
        rows.push_back({{edge, 8192, 8192}, with_form(machine, {edge, 8192, 8192})});
    const std::vector<MeasuredAllReduce> links{
        {8, 64 << 20, collective_us(machine, Collective::all_reduce, 8, 64 << 20)}};
    Accelerator begin = machine;
    begin.calibrated = zoo("b200").calibrated;
    const FittedNumbers found = fitted(begin, rows, links);
    EXPECT_NEAR(found.launch_us.value, machine.calibrated.launch_us, 0.05);
    EXPECT_NEAR(found.bandwidth_share.value, machine.calibrated.bandwidth_share, 0.02);
    EXPECT_NEAR(found.rate_share.value, machine.calibrated.rate_share, 0.02);
    EXPECT_NEAR(found.link_share.value, machine.calibrated.link_share, 0.01);
    EXPECT_LT(found.median_error, 0.01);
}

TEST(AcceleratorFacts, PowerIsIdleBusyAndWorkUpToTheLimit) {
    const Accelerator h200 = zoo("h200-sxm");
    EXPECT_DOUBLE_EQ(power_watts(h200, Precision::bfloat16, 1e6, 0.0, 1.0), 126 + 44 + 0.895);
    EXPECT_DOUBLE_EQ(power_watts(h200, Precision::bfloat16, 1e12, 0.0, 1.0), 0.99 * 700);
    EXPECT_LT(power_watts(h200, Precision::bfloat16, 1e6, 0.0, 1.0, 0.1), 126 + 44);
}

}  // namespace
}  // namespace tilewright::golden::accelerator_facts_test
