// The clock of a machine: periods and frequencies with their units.
#include "timeloop/machine/passing.hpp"

#include <gmock/gmock.h>

#include "arch/estimation/estimate.hpp"
#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::clock_test {
namespace {

using testing::HasSubstr;

std::string flat(const std::string& mac, const std::string& buffer = "", const std::string& rest = "") {
    return "arch:\n"
           "  arithmetic: {name: mac, instances: 4, word_bits: 8" +
           mac +
           "}\n"
           "  storage:\n"
           "  - {name: buffer, instances: 1, entries: 64, word_bits: 8" +
           buffer +
           "}\n"
           "  - {name: DRAM, technology: DRAM, instances: 1, word_bits: 8}\n" +
           rest;
}

Architecture machine_in(const std::string& text) { return read_architecture(load_text(text, "arch.yaml")); }

double cycle_ns(const std::string& mac, const std::string& buffer = "", const std::string& rest = "") {
    const Architecture machine = machine_in(flat(mac, buffer, rest));
    EXPECT_FALSE(machine.clock_assumed);
    return machine.cycle_seconds * 1e9;
}

std::string mistake_in(const std::string& mac, const std::string& buffer = "") {
    try {
        (void)machine_in(flat(mac, buffer));
    } catch (const InputError& error) {
        return error.message();
    }
    return "no mistake";
}

TEST(Clock, IsReadWithItsUnit) {
    EXPECT_DOUBLE_EQ(cycle_ns(", frequency: 200MHz"), 5.0);
    EXPECT_DOUBLE_EQ(cycle_ns(", clock_frequency: '1.25 GHz'"), 0.8);
    EXPECT_DOUBLE_EQ(cycle_ns(", cycle_time: 2ns"), 2.0);
    EXPECT_DOUBLE_EQ(cycle_ns("", ", cycle_time: 500 ps"), 0.5) << "of any component";
    EXPECT_DOUBLE_EQ(cycle_ns(", cycle_seconds: 4e-9"), 4.0);
    EXPECT_DOUBLE_EQ(cycle_ns(", cycle_time: 1e-9"), 1.0) << "seconds, as LoopTree's tutorial has it";
    EXPECT_DOUBLE_EQ(cycle_ns(", frequency: 500MHz", ", cycle_time: 2 ns"), 2.0) << "two names of one clock";
}

TEST(Clock, IsTheGlobalOneWhereThereIsOne) {
    EXPECT_DOUBLE_EQ(cycle_ns("", "", "variables: {version: 0.4, global_cycle_seconds: 3e-9}\n"), 3.0);
    EXPECT_DOUBLE_EQ(cycle_ns(", cycle_seconds: must_specify, global_cycle_seconds: 2e-9"), 2.0);
}

TEST(Clock, IsRefusedWithoutAUnitOrASense) {
    EXPECT_THAT(mistake_in(", frequency: 200"), HasSubstr("needs a number and its unit, such as 1 GHz, found '200'"));
    EXPECT_THAT(mistake_in(", cycle_time: 1"), HasSubstr("such as 1 ns"));
    EXPECT_THAT(mistake_in(", frequency: 1 ns"), HasSubstr("such as 1 GHz"));
    EXPECT_THAT(mistake_in(", frequency: 0 GHz"), HasSubstr("more than 0"));
    EXPECT_THAT(mistake_in(", frequency: 1 GHz", ", frequency: 2 GHz"),
                HasSubstr("'frequency' of 'buffer' gives another clock than 'frequency' of 'mac'"));
}

TEST(Clock, ThatIsAssumedIsSaid) {
    Architecture machine = machine_in(flat(""));
    EXPECT_TRUE(machine.clock_assumed);
    EXPECT_EQ(machine.cycle_seconds, 1e-9);
    EXPECT_THAT(estimate(machine, Estimator::tables), testing::Contains(HasSubstr("a cycle of 1 ns is assumed")));
    Architecture given = machine_in(flat(", frequency: 1 GHz"));
    EXPECT_THAT(estimate(given, Estimator::tables), testing::Not(testing::Contains(HasSubstr("cycle of 1 ns"))));
}

}  // namespace
}  // namespace tilewright::timeloop::clock_test
