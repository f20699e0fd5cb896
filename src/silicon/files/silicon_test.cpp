// The section `silicon`: values read, and refusals at their place.
#include "silicon/files/silicon.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tilewright::silicon::silicon_test {
namespace {

Memory named(const char* name) {
    Memory memory;
    memory.name = name;
    return memory;
}

Architecture machine() {
    Architecture machine;
    for (const char* name : {"DRAM", "Scratchpad", "columns", "Accumulator"}) machine.memories.push_back(named(name));
    machine.memories[0].word_bits = 8;
    machine.memories[0].shared_words_per_cycle = 8.0;
    machine.memories[2].spreads_only = true;
    machine.memories[3].write_words_per_cycle = 4.0;
    machine.memories[3].instances = 16;
    machine.memories[3].mesh = {16, 1};
    machine.compute.instances = 256;
    machine.compute.mesh = {16, 16};
    return machine;
}

const std::string kArray =
    "silicon:\n"
    "  systolic_array: {columns: Scratchpad, rows: Accumulator, block_rows: 16, latency_cycles: 50, in_flight: 8}\n"
    "  dma: {request_bytes: 64, request_cycles: 2.7}\n";

Silicon read(const std::string& text) { return *read_silicon(yaml::parse_text(text, "m.yaml"), machine()); }

std::string mistake(const std::string& text) {
    try {
        read(text);
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + ": " + error.message();
    }
    return "no mistake";
}

std::string changed(std::string text, const std::string& old, const std::string& by) {
    return text.replace(text.find(old), old.size(), by);
}

TEST(Silicon, IsNothingWhereNoSectionIs) {
    EXPECT_FALSE(read_silicon(yaml::parse_text("architecture: {}\n"), machine()));
}

TEST(Silicon, AnArrayTakesItsSizesFromFanOuts) {
    const auto systolic = std::get<SystolicMachine>(read(kArray).machine);
    EXPECT_EQ(systolic.array.columns, 16);  // through the spread-only level
    EXPECT_EQ(systolic.array.rows, 16);
    EXPECT_EQ(systolic.array.preload_cycles, 16.0);
    EXPECT_EQ(systolic.array.fill_cycles() + systolic.array.drain_cycles(), 30.0);
    EXPECT_EQ(systolic.word_bytes, 1);
    EXPECT_EQ(systolic.tiles_in_flight, 1);
}

TEST(Silicon, ContradictionsAreRefusedAtTheirPlace) {
    EXPECT_EQ(
        mistake(changed(kArray, "latency_cycles: 50", "latency_cycles: 29")),
        "2:92: words take 30 cycles through 16 rows and 16 columns with a skew of 1: a latency of 29 is too short "
        "(silicon.systolic_array.latency_cycles=30)");
    EXPECT_EQ(mistake(changed(kArray, "block_rows: 16", "block_rows: 16, least_rows: 32")),
              "2:88: a computation takes at most 16 rows (block_rows), so it cannot take 32 at least");
    EXPECT_EQ(mistake(changed(kArray, "in_flight: 8", "in_flight: 1, preload_cycles: 20")),
              "2:126: with one computation in flight, of 16 cycles, a preload of 20 cannot hide behind it");
    EXPECT_EQ(mistake(changed(kArray, "rows: Accumulator", "rows: Scratchpad")),
              "2:47: rows and columns are one fan-out, below 'Scratchpad': an array has two");
    EXPECT_EQ(mistake(changed(kArray, "columns: Scratchpad", "columns: DRAM")),
              "2:29: nothing spreads below 'DRAM': an array needs a fan-out there");
    EXPECT_EQ(mistake(changed(kArray, "request_bytes: 64", "request_bytes: 64, store_bytes: 128")),
              "3:41: a write of 128 bytes is more than a request of 64");
    EXPECT_EQ(mistake(kArray +
                      "  caches: [{name: L2, bytes: 32, line_bytes: 64, replacement: random, read_miss_cycles: 1}]\n"),
              "4:13: cache 'L2' is smaller than one of its lines");
}

TEST(Silicon, SlipsAreRefusedAtTheirPlace) {
    EXPECT_EQ(mistake(changed(kArray, "block_rows", "block_row")),
              "2:60: unknown key 'block_row'; did you mean 'block_rows'?");
    EXPECT_EQ(mistake(changed(kArray, "Accumulator", "Acumulator")),
              "2:47: the architecture has no level 'Acumulator'; did you mean 'Accumulator'?");
    EXPECT_EQ(mistake("silicon: {dma: {request_bytes: 1}}\n"),
              "1:11: expected 'systolic_array', or 'kernels' and 'accelerator' or one of them");
    EXPECT_EQ(mistake(changed(kArray, "request_cycles: 2.7", "request_cycles: 0")),
              "3:44: expected a number above 0, found 0");
}

const std::string kKernels =
    "silicon:\n"
    "  kernels:\n"
    "    multiprocessor: Accumulator\n"
    "    tiles: [[64, 64]]\n"
    "    published: {launch_us: 3}\n"
    "    calibrated: {rate_share: 0.5}\n";

TEST(Silicon, SaysHowFarPredictionsWereOff) {
    const std::string text =
        kKernels + "  measured: {by: FireSim, cases: 10, median_error: 0.03, nine_of_ten: 0.2, worst_error: 0.4}\n";
    EXPECT_EQ(read(text).measured->nine_of_ten, 0.2);
    EXPECT_FALSE(read(changed(text, "nine_of_ten: 0.2, ", "")).measured->nine_of_ten);
    EXPECT_EQ(mistake(changed(text, "nine_of_ten: 0.2", "nine_of_ten: -1")),
              "7:71: expected a number of at least 0, found -1");
}

TEST(Silicon, KernelsTakeTheirRatesFromTheArchitecture) {
    const auto kernels = std::get<KernelMachine>(read(kKernels).machine);
    EXPECT_EQ(kernels.multiprocessors, 16);
    EXPECT_DOUBLE_EQ(kernels.operations_per_us, 2.0 * 256 * 1e3);
    EXPECT_DOUBLE_EQ(kernels.memory_bytes_per_us, 8e3);
    EXPECT_DOUBLE_EQ(kernels.inlet_bytes_per_us, 8e3);
    EXPECT_EQ(kernels.published.rate_share, 1.0);
    EXPECT_EQ(kernels.calibration.rate_share, 0.5);
    EXPECT_EQ(kernels.calibration.launch_us, 3.0);
}

TEST(Silicon, KernelsThatContradictThemselvesAreRefused) {
    EXPECT_EQ(mistake(changed(kKernels, "multiprocessor: Accumulator", "multiprocessor: Scratchpad")),
              "3:21: the architecture gives 'Scratchpad' no bandwidth, which this needs");
    EXPECT_EQ(mistake(changed(kKernels, "rate_share: 0.5", "bandwidth_share: 20")),
              "6:35: a share of what the data sheet says is at most 1, found 20");
    EXPECT_EQ(mistake(changed(kKernels, "rate_share: 0.5", "rate_share: 1.3")),
              "6:30: a share of what the data sheet says is at most 1.2, found 1.3");
    for (const char* rate : {"exponentials_per_cycle", "cache_bytes_per_cycle", "cache_bytes", "plain_rate_share"})
        EXPECT_EQ(mistake(kKernels + "    " + rate + ": 0\n"),
                  "7:" + std::to_string(7 + std::string(rate).size()) + ": expected a number above 0, found 0");
    EXPECT_EQ(mistake(kKernels + "    splits: [1, 4, 2]\n"), "7:20: splits have to increase");
    EXPECT_EQ(mistake(kKernels + "    matrix_unit: {rows: 1, columns: 1, depth: 1}\n"),
              "3:5: a machine has either 'tiles' of thread blocks or one 'matrix_unit' that pads");
}

const std::string kAccelerator =
    "device: {power_watts: 300, links: {bytes_per_us: 1e5, latency_us: 1}}\n"
    "silicon:\n"
    "  accelerator:\n"
    "    generation: hopper\n"
    "    multiprocessor: Accumulator\n"
    "    cache_bytes: 1e6\n"
    "    calibrated: {launch_us: 3, rows: own}\n";

TEST(Silicon, AnAcceleratorIsDataSheetCalibrationAndForm) {
    const Silicon silicon = read(kAccelerator);
    const Accelerator& machine = *silicon.accelerator;
    EXPECT_EQ(machine.sheet.multiprocessors, 16);
    EXPECT_DOUBLE_EQ(machine.sheet.operations_per_us, 2.0 * 256 * 1e3);
    EXPECT_EQ(machine.sheet.power_watts, 300);
    EXPECT_EQ(machine.sheet.link_bytes_per_us, 1e5);
    EXPECT_EQ(machine.calibrated.launch_us, 3.0);
    EXPECT_EQ(machine.calibrated.rate_share, 0.866);  // of hopper.yaml
    EXPECT_EQ(machine.rows, "own");
    EXPECT_EQ(machine.form.generation, "hopper");
    EXPECT_EQ(machine.form.prefill[1].rows, 64.0);
    const auto& general = std::get<KernelMachine>(silicon.machine);  // for whoever does not know forms
    EXPECT_EQ(general.multiprocessors, 16);
    EXPECT_EQ(general.calibration.launch_us, 3.0);
    EXPECT_EQ(read(changed(kAccelerator, "    calibrated: {launch_us: 3, rows: own}\n", "")).accelerator->inherited_of,
              "h100");
}

TEST(Silicon, AMachineWithFewerMultiprocessorsHasItsShareOfTheDataSheetsRate) {
    const std::string sheet = "    cache_bytes: 1e6\n    multiprocessors: 32\n    operations_per_us: 1e6\n";
    EXPECT_DOUBLE_EQ(read(changed(kAccelerator, "    cache_bytes: 1e6\n", sheet)).accelerator->sheet.operations_per_us,
                     0.5e6);  // it has 16
}

TEST(Silicon, MistakesOfAnAcceleratorAreFoundAtTheirPlace) {
    EXPECT_EQ(mistake(changed(kAccelerator, "hopper", "hoper")).substr(0, 71),
              "4:17: no generation of kernels is called 'hoper'; did you mean 'hopper'");
    EXPECT_EQ(mistake(changed(kAccelerator, "launch_us: 3", "lunch_us: 3")),
              "7:18: unknown key 'lunch_us'; did you mean 'launch_us'?");
    EXPECT_EQ(mistake(changed(kAccelerator, "launch_us: 3", "rate_share: 3")),
              "7:30: a share of what the data sheet says is at most 1.2, found 3");
    EXPECT_EQ(mistake(changed(kAccelerator, "cache_bytes: 1e6", "cache_bytes: 0")),
              "6:18: expected a number above 0, found 0");
}

TEST(Silicon, EveryEngineHasKernelsOnEveryGeneration) {
    const yaml::Node place = yaml::parse_text("x\n");
    for (const char* generation : {"ampere", "ada", "hopper", "blackwell"})
        for (const std::string& engine : engine_names()) {
            const Form form = form_named(generation, engine, place);
            for (const int cache : {0, 1}) {
                EXPECT_GT(form.prefill[cache].fix_us, 0.0);
                EXPECT_GT(form.latent[cache].fix_us, 0.0);
                for (const int grouped : {0, 1}) EXPECT_GT(form.decode[cache][grouped].fix_us, 0.0);
            }
            EXPECT_TRUE(form.usual_experts.contains(Precision::bfloat16));
            EXPECT_EQ(form.collective.protocols.size(), 3U);
            EXPECT_GT(form.collective.own.base_us, 0.0);
        }
}

}  // namespace
}  // namespace tilewright::silicon::silicon_test
