// Oracle-free laws of the memory: every request completes once, no device beats its bus, skipping changes nothing.
#include "sim/dram/memory.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/numbers/random.hpp"
#include "sim/dram/load.hpp"

namespace tilewright::sim::dram::memory_test {
namespace {

struct Offer {
    Clock at = 0;
    Request request;
};

std::vector<Offer> random_offers(Random& random, int count) {
    std::vector<Offer> offers;
    Clock at = 0;
    std::int64_t address = 0;
    const std::int64_t span = std::int64_t{1} << random.between(10, 28);
    for (int i = 0; i < count; ++i) {
        if (random.chance(0.1)) at += random.between(0, 400);
        address = random.chance(0.6) ? address + 32
                                     : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(span)));
        offers.push_back({at, {address, random.chance(0.4), static_cast<std::uint64_t>(i)}});
    }
    return offers;
}

void take_turns(Random& random, ControllerOptions& controller) {
    controller.scheduling = Scheduling::round_robin;
    controller.round_robin.commands = static_cast<int>(random.between(2, 40));
    controller.round_robin.queue_per_bank = random.chance(0.5);
    controller.round_robin.banks_first = random.chance(0.5);
    controller.round_robin.row_hits = static_cast<int>(random.between(1, 5));
    controller.round_robin.power_down = random.chance(0.7);
}

/// [tag] completion clocks. With `skip`, jumps over quiet clocks.
std::vector<Clock> run(const Device& device, const MemoryOptions& options, const std::vector<Offer>& offers,
                       bool skip) {
    DramMemory memory(device, options);
    std::vector<Clock> done(offers.size(), -1);
    std::size_t next = 0;
    while (next < offers.size() || !memory.idle()) {
        while (next < offers.size() && offers[next].at <= memory.now() && memory.offer(offers[next].request)) ++next;
        const bool waits = next < offers.size() && offers[next].at <= memory.now();
        if (skip && !waits) {
            Clock until = memory.next_event() - 1;
            if (next < offers.size()) until = std::min(until, offers[next].at);
            if (until > memory.now()) {
                memory.skip_to(until);
                continue;
            }
        }
        memory.tick();
        for (const Done& one : memory.completed()) {
            EXPECT_EQ(done[one.tag], -1) << "done twice";
            done[one.tag] = memory.now();
        }
    }
    return done;
}

TEST(Memory, DoesEverythingOnceAndSkippingChangesNothing) {
    int compared = 0;
    for (const std::string& name : device_names()) {
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            Random random(seed);
            MemoryOptions options;
            options.channels = 1 << random.between(0, 2);
            options.controller.rows = random.chance(0.5) ? RowPolicy::open : RowPolicy::closed;
            options.controller.interleaving = static_cast<Interleaving>(random.between(0, 6));
            options.controller.queue = static_cast<int>(random.between(1, 40));
            Device device = device_named(name).value();
            if (!device.organisation.own_data_bus) device.organisation.ranks = 1 << random.between(0, 3);
            if (device.bus == CommandBus::single && random.chance(0.6)) take_turns(random, options.controller);
            const std::vector<Offer> offers = random_offers(random, 400);
            const std::vector<Clock> plain = run(device, options, offers, false);
            EXPECT_EQ(plain, run(device, options, offers, true)) << name << " seed " << seed;
            for (const Clock clock : plain) EXPECT_GE(clock, 0) << name;
            compared += static_cast<int>(plain.size());
        }
    }
    EXPECT_GE(compared, 30000);
}

TEST(Memory, StreamsNearItsPeakAndNeverAbove) {
    for (const std::string& name : device_names()) {
        const Device device = device_named(name).value();
        std::vector<Offer> offers;
        const int bytes = device.organisation.access_bytes();
        for (int i = 0; i < 4000; ++i)
            offers.push_back({0, {std::int64_t{i} * bytes, false, static_cast<std::uint64_t>(i)}});
        MemoryOptions options;
        options.controller.interleaving = Interleaving::four_accesses;
        const std::vector<Clock> done = run(device, options, offers, true);
        const Clock last = *std::max_element(done.begin(), done.end());
        const double bytes_per_clock = 4000.0 * bytes / static_cast<double>(last);
        const double peak = static_cast<double>(bytes) / device.timing.burst *
                            (device.organisation.own_data_bus ? device.organisation.ranks : 1);
        EXPECT_LE(bytes_per_clock, peak) << name;
        EXPECT_GE(bytes_per_clock, 0.55 * peak) << name;
    }
}

TEST(Memory, AnIdleReadTakesActivationAccessAndBurst) {
    for (const std::string& name : device_names()) {
        const Device device = device_named(name).value();
        const Timing& t = device.timing;
        Clock expected = 1 + t.activate_read + (t.activate_cycles - 1) + t.read + t.burst;
        if (device.bus == CommandBus::clock_sync) expected += 1;  // the data clock starts first
        EXPECT_EQ(run(device, {}, {{0, {0, false, 0}}}, false).at(0), expected) << name;
    }
}

// A sleeping rank wakes once the request is among the commands, a clock after its arrival.
TEST(Memory, ARankInTurnIsWokenForARead) {
    Device device = device_named("ddr2-667").value();
    const Timing& t = device.timing;
    MemoryOptions options;
    options.controller.scheduling = Scheduling::round_robin;
    const Clock awake = 2 + t.activate_read + 1 + t.read + t.burst;
    EXPECT_EQ(run(device, options, {{0, {0, false, 0}}}, false).at(0), awake);
    EXPECT_EQ(run(device, options, {{100, {0, false, 0}}}, false).at(0), 100 + awake - 1 + t.power_up);
    options.controller.round_robin.power_down = false;
    EXPECT_EQ(run(device, options, {{100, {0, false, 0}}}, false).at(0), 100 + awake);
}

TEST(Memory, CountsCommandsAndTheirEnergy) {
    const Device device = device_named("ddr4-2400").value();
    DramMemory memory(device, {});
    for (int i = 0; i < 8; ++i) memory.offer({std::int64_t{i} * 64, i % 2 == 1, static_cast<std::uint64_t>(i)});
    while (!memory.idle()) memory.tick();
    const Counts counts = memory.counts();
    EXPECT_EQ(counts.of(Command::activate), 1);
    EXPECT_EQ(counts.of(Command::read), 4);
    EXPECT_EQ(counts.of(Command::write), 4);
    EXPECT_EQ(counts.row_misses + counts.row_hits, 8);
    const Energy& e = device.energy.value();
    const double background = e.background_mw * static_cast<double>(memory.now()) * 0.833;
    EXPECT_NEAR(memory.energy_pj().value(), e.activate_pj + 4 * e.read_pj + 4 * e.write_pj + background, 1e-6);
    EXPECT_FALSE(DramMemory(device_named("lpddr5-6400").value(), {}).energy_pj().has_value());
}

// data/tables/dram.csv for the same devices, per bit of a peak stream: accesses, background, one activation per row
// read.
TEST(Memory, EnergyPerStreamedBitIsThatOfTheEstimates) {
    const auto pj_per_bit = [](const char* name) {
        const Device device = device_named(name).value();
        const Organisation& o = device.organisation;
        const Energy& e = device.energy.value();
        const double access_ns = device.timing.burst * device.timing.clock_ps * 1e-3;
        const double row_bits = static_cast<double>(o.columns) * o.bus_bits;
        return (e.read_pj + e.background_mw * access_ns) / (8.0 * o.access_bytes()) + e.activate_pj / row_bits;
    };
    EXPECT_NEAR(pj_per_bit("ddr4-2400"), 8.5, 0.05);
    EXPECT_NEAR(pj_per_bit("ddr2-667"), 46.0, 0.5);
}

TEST(Memory, RefusesWhatThereIsNot) {
    const Device device = device_named("DDR3-1600").value();
    EXPECT_EQ(problem_with(device, MemoryOptions{}), "");
    EXPECT_NE(problem_with(device, MemoryOptions{3, {}}), "");
    MemoryOptions in_turn;
    in_turn.controller.scheduling = Scheduling::round_robin;
    EXPECT_EQ(problem_with(device, in_turn), "");
    EXPECT_NE(problem_with(device_named("hbm2-2000").value(), in_turn).find("one command per clock"),
              std::string::npos);
    in_turn.controller.round_robin.commands = 1;
    EXPECT_NE(problem_with(device, in_turn), "");
    EXPECT_FALSE(device_named("ddr9").has_value());
    Device odd = device;
    odd.organisation.banks = 6;
    EXPECT_NE(problem_with(odd), "");
    odd = device;
    odd.timing.read = 0;
    EXPECT_NE(problem_with(odd), "");
}

TEST(Memory, FilesAreReadWithPlacesOfMistakes) {
    EXPECT_THROW(parse_device("name: x\n", "x.yaml"), InputError);
    try {
        parse_device("name: x\ncommand_bus: double\n", "x.yaml");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.where().line, 2);
        EXPECT_NE(error.message().find("single, row_and_column or clock_sync"), std::string::npos);
    }
}

}  // namespace
}  // namespace tilewright::sim::dram::memory_test
