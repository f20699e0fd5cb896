// What is proven of kernels on the machines that come with Tilewright, against mappings with tiles of any size.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers/random.hpp"
#include "mapping/validity.hpp"
#include "run/machine.hpp"
#include "run/physical/map_physically.hpp"
#include "silicon/kernels/product.hpp"
#include "timeloop/files/zoo.hpp"
#include "workload/shapes.hpp"

namespace tilewright::physical_test {
namespace {

struct Built {
    Machine machine;
    silicon::Silicon silicon;

    const silicon::KernelMachine* kernels() const { return std::get_if<silicon::KernelMachine>(&silicon.machine); }
};

std::vector<Built> machines_of_kernels() {
    std::vector<Built> machines;
    for (const std::string& name : timeloop::zoo_architectures()) {
        const Machine machine = Machine::named(name);
        const auto silicon = silicon::read_silicon(timeloop::zoo_architecture(name), machine.architecture());
        if (!silicon) continue;
        Built built{machine, *silicon};
        if (built.kernels() != nullptr && built.kernels()->has_blocks()) machines.push_back(std::move(built));
    }
    return machines;
}

std::vector<TensorSet> kept_by(const Machine& machine, const Einsum& einsum) {
    const Constraints constraints = machine.constraints()(einsum);
    std::vector<TensorSet> keep(machine.architecture().memories.size());
    for (std::size_t level = 0; level < constraints.levels.size(); ++level)
        keep[level] = constraints.levels[level].must_keep;
    keep.front() = TensorSet::all(einsum.tensor_count());
    return keep;
}

// Sizes as they come and round ones.
std::int64_t size(Random& random, std::int64_t most) {
    return random.chance(0.5) ? random.between(1, most) : 64 * random.between(1, most / 64);
}

struct Seen {
    int answers = 0;
    int mappings = 0;
    int unknown = 0;  ///< mappings that no kernel makes
};

void compare(const Built& built, const Einsum& einsum, Random& random, Seen& seen) {
    const Architecture& architecture = built.machine.architecture();
    const std::vector<TensorSet> keep = kept_by(built.machine, einsum);
    const PhysicalAnswer answer = map_physically(einsum, architecture, keep, built.silicon);
    if (!answer.mapping) return;
    ++seen.answers;
    const auto own = physical_latency(einsum, architecture, *answer.mapping, built.silicon);
    EXPECT_DOUBLE_EQ(std::get<PhysicalLatency>(own).cycles, answer.latency.cycles);
    for (int i = 0; i < 40; ++i) {
        const silicon::Tile tile{random.chance(0.5) ? random.between(1, 256) : 64 * random.between(1, 4),
                                 random.chance(0.5) ? random.between(1, 256) : 64 * random.between(1, 4)};
        const silicon::BlockMapping blocks{tile, std::int64_t{1} << random.below(5), 1, 1};
        const auto mapping = silicon::mapping_of(blocks, einsum, architecture, keep, *built.kernels());
        if (!mapping || !check(einsum, architecture, *mapping).empty()) continue;
        const auto latency = physical_latency(einsum, architecture, *mapping, built.silicon);
        ++seen.mappings;
        if (std::holds_alternative<std::string>(latency))
            ++seen.unknown;
        else
            EXPECT_GE(std::get<PhysicalLatency>(latency).cycles, answer.latency.cycles * (1.0 - 1e-12))
                << architecture.name << ' ' << to_text(einsum) << ' ' << tile.rows << " x " << tile.columns << " x "
                << blocks.split;
    }
}

TEST(PhysicalLatency, OfNoMappingIsBelowTheProvenOne) {
    Random random(11);
    Seen seen;
    const std::vector<Built> machines = machines_of_kernels();
    EXPECT_GE(machines.size(), 6U);
    for (const Built& built : machines)
        for (int i = 0; i < 25; ++i)
            compare(built, gemm(size(random, 4096), size(random, 8192), size(random, 8192)), random, seen);
    EXPECT_GT(seen.answers, 100);
    EXPECT_GT(seen.mappings, 1500);
    EXPECT_GT(seen.mappings - seen.unknown, 500);
}

TEST(PhysicalLatency, OfBlocksThatNoKernelMakesIsNone) {
    const Machine machine = Machine::named("rtx4090");
    const auto silicon = silicon::read_silicon(timeloop::zoo_architecture("rtx4090"), machine.architecture());
    const Einsum einsum = gemm(512, 1024, 768);
    const auto mapping =
        silicon::mapping_of({{64, 64}, 3, 1, 1}, einsum, machine.architecture(), kept_by(machine, einsum),
                            std::get<silicon::KernelMachine>(silicon->machine));
    ASSERT_TRUE(mapping);
    const auto none = physical_latency(einsum, machine.architecture(), *mapping, *silicon);
    EXPECT_EQ(std::get<std::string>(none),
              "no kernel that the machine has for a product of 512 x 768 x 1024 makes blocks of 64 x 64 results with "
              "the reduction in 3 parts (docs/silicon.md)");
}

}  // namespace
}  // namespace tilewright::physical_test
