// Numbers with units in machines and settings.
#include "timeloop/components/units.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/settings.hpp"

namespace tilewright::timeloop::units_test {
namespace {

using testing::HasSubstr;

std::string text_with(const std::string& buffer, const std::string& mac = ", frequency: 200MHz") {
    return "arch:\n"
           "  arithmetic: {name: mac, instances: 4, word_bits: 8" +
           mac +
           "}\n"
           "  storage:\n"
           "  - {name: buffer, instances: 1, width: 64, word_bits: 8" +
           buffer +
           "}\n"
           "  - {name: DRAM, technology: DRAM, instances: 1, word_bits: 8}\n";
}

Architecture machine(const std::string& text) { return read_architecture(load_text(text, "arch.yaml")); }

Memory buffer(const std::string& attributes) { return machine(text_with(attributes)).memories[1]; }

std::string mistake_in(const std::string& text) {
    try {
        (void)machine(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no mistake";
}

TEST(Units, AmountsAreANumberAndASpelling) {
    EXPECT_EQ(amount_in("2MiB")->number, 2097152.0);
    EXPECT_EQ(amount_in("2 MB")->number, 2097152.0) << "memories are built in powers of two";
    EXPECT_EQ(amount_in("1.5k")->number, 1536.0);
    EXPECT_EQ(amount_in("25.6GB/s")->number, 25.6e9) << "links are sold in powers of ten";
    EXPECT_EQ(amount_in("1GiB/s")->number, 1073741824.0);
    EXPECT_EQ(amount_in("64B/cycle")->unit, Unit::bytes_per_cycle);
    for (const char* other :
         {"", "4096", "k", "2Mi", "2MiBs", "-2MiB", "2  MiB", "0x2k", "1e3k", "nan B", "2m", "2MB/S"})
        EXPECT_FALSE(amount_in(other)) << other;
}

TEST(Units, CapacitiesAreTheSameHoweverTheyAreSaid) {
    const std::int64_t words = buffer(", depth: 16384").capacity_words.value();
    EXPECT_EQ(words, 131072);
    for (const char* said : {", depth: 16k", ", depth: 128KiB", ", entries: 128k", ", entries: 128KiB", ", sizeKB: 128",
                             ", sizeKB: 128KiB", ", size: 128KiB", ", size: 128 kB", ", size: '0.125 MiB'"}) {
        EXPECT_EQ(buffer(said).capacity_words, words) << said;
        EXPECT_EQ(buffer(said).geometry.depth, 16384) << said;
    }
}

TEST(Units, BandwidthsFollowTheClockAndTheWord) {
    EXPECT_DOUBLE_EQ(*buffer(", read_bandwidth: 25.6GB/s").read_words_per_cycle, 128.0);
    EXPECT_DOUBLE_EQ(*buffer(", write_bandwidth: 64B/cycle").write_words_per_cycle, 64.0);
    EXPECT_DOUBLE_EQ(*buffer(", bandwidth: 3.2 GB/s").read_words_per_cycle, 8.0) << "half for each direction";
    EXPECT_DOUBLE_EQ(*buffer(", shared_bandwidth: 16").shared_words_per_cycle, 16.0);
    const std::string global =
        text_with(", read_bandwidth: 1GB/s", "") + "variables: {version: 0.4, global_cycle_seconds: 4 ns}\n";
    EXPECT_DOUBLE_EQ(*machine(global).memories[1].read_words_per_cycle, 4.0);
}

TEST(Units, WhatMakesNoSenseIsRefusedAtItsPlace) {
    EXPECT_THAT(mistake_in(text_with(", read_bandwidth: 1GB/s", "")),
                HasSubstr("arch.yaml:4:75: error: 'read_bandwidth' in bytes a second needs the machine's clock"));
    EXPECT_THAT(mistake_in(text_with(", depth: 100B")), HasSubstr("'depth': 100B is no whole number of 64 bits"));
    EXPECT_THAT(mistake_in(text_with(", entries: 1.0001k")), HasSubstr("1.0001k is no whole number"));
    EXPECT_THAT(mistake_in(text_with(", depth: 1GB/s")), HasSubstr("'depth' takes a number, such as 4096 or 4k, or"));
    EXPECT_THAT(mistake_in(text_with(", read_bandwidth: 4KiB")), HasSubstr("or bytes in a time: 25.6GB/s, 64B/cycle"));
    EXPECT_THAT(mistake_in(text_with(", read_bandwidth: 8GBps")), HasSubstr("'read_bandwidth' takes words in a cycle"));
    EXPECT_THAT(mistake_in(text_with(", size: 4096")), HasSubstr("'size' takes bytes with their unit, such as 64KiB"));
    EXPECT_THAT(mistake_in(text_with(", size: 4KiB, depth: 4")), HasSubstr("'size' contradicts 'entries', 'depth'"));
    EXPECT_THAT(mistake_in(text_with(", depth: 9999999999GiB")), HasSubstr("its numbers do not fit in 64 bits"));
}

Architecture with(const std::string& text, const std::string& name, const std::string& value) {
    return read_architecture(with_settings(load_text(text, "arch.yaml"), {{name, value, {"--set"}}}));
}

TEST(Units, SettingsHaveThem) {
    const std::string text = text_with(", depth: 4");
    EXPECT_EQ(with(text, "buffer.size", "64KiB").memories[1].capacity_words, 65536);
    EXPECT_EQ(with(text, "buffer.depth", "64KiB").memories[1].capacity_words, 65536);
    EXPECT_DOUBLE_EQ(*with(text, "buffer.read_bandwidth", "1.6GB/s").memories[1].read_words_per_cycle, 8.0);
    EXPECT_DOUBLE_EQ(with(text, "frequency", "500MHz").cycle_seconds, 2e-9) << "in place of the part's 200 MHz";
    const std::string global = text + "variables: {version: 0.4, global_cycle_seconds: 1e-9}\n";
    EXPECT_DOUBLE_EQ(with(global, "frequency", "500MHz").cycle_seconds, 2e-9);
    EXPECT_DOUBLE_EQ(with(text_with(", depth: 4", ""), "cycle_time", "3 ns").cycle_seconds, 3e-9);
    EXPECT_THROW((void)with(text, "frequency", "500"), InputError);
}

}  // namespace
}  // namespace tilewright::timeloop::units_test
