#include "run/llm/serve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fixtures/small_machine.hpp"
#include "run/llm/kernel_work.hpp"
#include "run/machine.hpp"
#include "run/physical/map_physically.hpp"
#include "run/physical/physical_latency.hpp"
#include "silicon/kernels/product.hpp"
#include "timeloop/additions/additions.hpp"
#include "timeloop/files/zoo.hpp"
#include "workload/cascade/layers.hpp"

namespace tilewright::serve_test {
namespace {

using llm::Point;
using testing::HasSubstr;

ServingMachine zoo_machine(const std::string& name) {
    ServingMachine machine;
    machine.architecture = Machine::named(name).architecture();
    const yaml::Node root = timeloop::zoo_architecture(name);
    machine.silicon = silicon::read_silicon(root, machine.architecture);
    machine.device = timeloop::read_device(root);
    machine.constraints = Machine::named(name).constraints();
    return machine;
}

ServingMachine h100() { return zoo_machine("h100"); }

const silicon::KernelMachine& kernels(const ServingMachine& machine) {
    return std::get<silicon::KernelMachine>(machine.silicon->machine);
}

const ServingPart& part(const ServingPoint& point, const std::string& name, bool mapped = true) {
    for (const ServingPart& one : point.parts)
        if (one.name == name && (one.energy_pj > 0.0 || one.shape >= 0) == mapped) return one;
    throw std::out_of_range(name);
}

// By hand: the products of a block of Llama-3-8B and of its head, from product_latency() at these sizes.
TEST(Serving, OnAGpuProductsTakeWhatTheirTilesTake) {
    const ServingMachine machine = h100();
    const ServingPlan plan = plan_serving("llama3-8b", {{Phase::decode, 8, 1, 511, 1}}, machine);
    EXPECT_TRUE(plan.problem.shapes.empty());
    const ServingPoint& point = plan.points.front();
    struct Known {
        const char* name;
        silicon::Product product;
        std::int64_t repeats;
    };
    const std::vector<Known> known{
        {"attention.query", {8, 4096, 4096, false}, 32},  {"attention.key", {8, 1024, 4096, false}, 32},
        {"attention.output", {8, 4096, 4096, false}, 32}, {"mlp.up", {8, 14336, 4096, false}, 32},
        {"mlp.down", {8, 4096, 14336, false}, 32},        {"lm_head", {8, 128256, 4096, false}, 1}};
    for (const Known& one : known) {
        const ServingPart& found = part(point, one.name);
        EXPECT_DOUBLE_EQ(*found.seconds, silicon::product_latency(one.product, kernels(machine)).us * 1e-6) << one.name;
        EXPECT_EQ(found.repeats, one.repeats) << one.name;
    }
    // 8 requests with 512 keys and values of 8 heads of 128 words, 32 heads of queries and results; three launches.
    const silicon::KernelMachine& gpu = kernels(machine);
    const double bytes = 2.0 * (2.0 * 8 * 512 * 8 * 128 + 2.0 * 8 * 32 * 128);
    const ServingPart& attention = part(point, "attention.scores", false);
    EXPECT_NEAR(*attention.seconds * 1e6, 3 * gpu.calibration.launch_us + bytes / gpu.reached_bytes_per_us(), 1e-9);
    EXPECT_EQ(*part(point, "attention.scores").seconds, 0.0);
}

// Scores multiply two activations: in the cells the keys would be written for every token.
TEST(Serving, ProgrammedCellsHoldWeightsOnly) {
    ServingMachine machine = zoo_machine("neurram");
    machine.vector_unit = VectorUnit{"buffer", {}};
    machine.vector_unit->rates.fill({0.1, 64.0});
    const ServingPoint point = plan_serving("llama3.2-1b", {{Phase::decode, 1, 1, 127, 1}}, machine).points.front();
    EXPECT_GE(part(point, "mlp.up").shape, 0);
    EXPECT_EQ(part(point, "attention.scores").shape, -1);
    EXPECT_GT(*part(point, "attention.scores").seconds, 0.0);
    machine.architecture.memories.back().write_stall_cycles = 0.0;
    const ServingPoint written = plan_serving("llama3.2-1b", {{Phase::decode, 1, 1, 127, 1}}, machine).points.front();
    EXPECT_GE(part(written, "attention.scores").shape, 0);
}

TEST(Serving, WearIsOfCellsThatAreProgrammed) {
    llm::PhaseCosts costs;
    costs.seconds = 2.0;
    costs.energy_pj = 1.0;
    EXPECT_EQ(wear_note({costs}), "");
    costs.cell_writes = 3.0;
    EXPECT_THAT(wear_note({costs}), HasSubstr("writes each cell up to 3 times"));
    EXPECT_THAT(wear_note({costs}), HasSubstr("up to 1.296e+05 times a day"));
}

// By hand: a weight takes 17/4 bits of the memory's bandwidth and a word of keys and values 8.5, in any use.
TEST(Serving, OnAGpuWordsInBlocksTakeLessOfTheBandwidth) {
    const ServingMachine machine = h100();
    const silicon::KernelMachine& gpu = kernels(machine);
    const std::vector<TensorWidth> widths{{"*", "Weights", 4, {32, 8}}, {"*", "Cache", 8, {32, 16}}};
    const ServingPlan narrow = plan_serving("llama3-8b", {{Phase::decode, 8, 1, 511, 1}}, machine, widths);
    const ServingPlan wide = plan_serving("llama3-8b", {{Phase::decode, 8, 1, 511, 1}}, machine);
    silicon::Product down{8, 4096, 14336, false};
    down.weight_bytes = 17.0 / 32.0;
    EXPECT_DOUBLE_EQ(*part(narrow.points.front(), "mlp.down").seconds, silicon::product_latency(down, gpu).us * 1e-6);
    EXPECT_DOUBLE_EQ(silicon::product_latency(down, gpu).memory_us * gpu.reached_bytes_per_us(),
                     14336.0 * 4096.0 * 17.0 / 32.0 + 2.0 * 8.0 * (4096.0 + 14336.0));
    const double bytes = 2.0 * 8 * 512 * 8 * 128 * 8.5 / 8.0 + 2.0 * 2.0 * 8 * 32 * 128;
    EXPECT_NEAR(*part(narrow.points.front(), "attention.scores", false).seconds * 1e6,
                3 * gpu.calibration.launch_us + bytes / gpu.reached_bytes_per_us(), 1e-9);
    EXPECT_LT(part(narrow.points.front(), "mlp.down").energy_pj, part(wide.points.front(), "mlp.down").energy_pj);
    EXPECT_EQ(*part(narrow.points.front(), "mlp.activation").seconds,
              *part(wide.points.front(), "mlp.activation").seconds);
}

TEST(Serving, WordsInBlocksAreSearchedAsSuch) {
    ServingMachine machine;
    machine.architecture = fixtures::small_machine();
    const ServingPlan plan =
        plan_serving("llama3-8b", {{Phase::decode, 1, 1, 99, 1}}, machine, {{"mlp.*", "Weights", 4, {32, 8}}});
    int in_blocks = 0;
    for (const ShapeProblem& shape : plan.problem.shapes) {
        const Einsum& einsum = shape.layer.einsum;
        const Words& words = shape.layer.words;
        const int weights = find_tensor(einsum, "Weights");
        if (weights < 0 || !words.blocks[weights].is_given()) continue;
        ++in_blocks;
        EXPECT_EQ(einsum.tensors[weights].bits, 4);
        EXPECT_EQ(words.blocks[weights], (BlockFormat{32, 8}));
    }
    EXPECT_EQ(in_blocks, 3) << "the gain of the norm; up and gate, which have one shape; down";
}

TEST(Serving, SumsPartsAsOftenAsTheyRepeat) {
    const ServingMachine machine = h100();
    const ServingPlan plan = plan_serving("llama3-8b", {{Phase::prefill, 1, 128, 0, 1}}, machine);
    const llm::PhaseCosts costs = costs_of(plan, {}, machine).front();
    double seconds = 0.0;
    double attention = 0.0;
    double energy = 0.0;
    for (const ServingPart& one : plan.points.front().parts) {
        seconds += static_cast<double>(one.repeats) * *one.seconds;
        energy += static_cast<double>(one.repeats) * one.energy_pj;
        if (one.attention) attention += static_cast<double>(one.repeats) * *one.seconds;
    }
    EXPECT_NEAR(costs.seconds, seconds, 1e-12);
    EXPECT_NEAR(costs.attention_seconds, attention, 1e-12);
    EXPECT_NEAR(costs.energy_pj, energy, 1e-6 * energy);
    double shares = 0.0;
    for (const llm::BoundShare& bound : costs.bounds) shares += bound.share;
    EXPECT_NEAR(shares, 1.0, 1e-9);
    EXPECT_GT(costs.attention_share(), 0.0);
}

// The products of 32 blocks and the head at a prompt of 32 tokens, found one by one by `map --latency physical`:
// 2.894e9 cycles. The plain model's fastest mappings take 7.8e9.
TEST(Serving, OnASystolicMachineProductsTakeTheLeastTimeAsBuilt) {
    const ServingMachine machine = zoo_machine("gemmini");
    const ServingPlan plan = plan_serving("llama3-8b", {{Phase::prefill, 1, 32, 0, 1}}, machine);
    const MapsShape as_built = physical_mapper(plan.problem, *machine.silicon);
    // Operators outside the machine's model take no time here.
    const MapsShape mapper = [&](std::size_t shape, const MapOptions& options, const SearchControl& control) {
        std::optional<LayerAnswer> built = as_built(shape, options, control);
        if (built) return built;
        LayerAnswer unknown{plan.problem.shapes[shape].layer.einsum, {}, Mapping{}, Evaluation{}, {}, {}, {}};
        return std::optional(unknown);
    };
    const NetworkAnswer answer = map_network(plan.problem, {}, {.map_shape = mapper});
    int proven = 0;
    for (const LayerAnswer& layer : answer.layers) {
        if (!layer.search) continue;
        EXPECT_TRUE(layer.search->proven);
        ++proven;
    }
    EXPECT_GE(proven, 4);
    const llm::PhaseCosts costs = costs_of(plan, answer, machine).front();
    EXPECT_NEAR(costs.seconds / machine.architecture.cycle_seconds, 2.894e9, 0.01e9);
}

// Without silicon every layer of every point is searched, and equal ones once.
TEST(Serving, OnThePlainModelEveryLayerCountsOnce) {
    ServingMachine machine;
    machine.architecture = fixtures::small_machine();
    const ServingPlan plan = plan_serving(
        "llama3-8b", {{Phase::decode, 1, 1, 99, 1}, {Phase::decode, 1, 1, 199, 1}, {Phase::decode, 1, 1, 99, 1}},
        machine);
    NetworkAnswer answer;
    for (std::size_t i = 0; i < plan.problem.shapes.size(); ++i) {
        LayerAnswer layer;
        layer.mapping.emplace();
        layer.evaluation.emplace();
        layer.evaluation->energy_pj = static_cast<double>(operation_count(plan.problem.shapes[i].layer.einsum));
        layer.evaluation->cycles = operation_count(plan.problem.shapes[i].layer.einsum);
        answer.layers.push_back(std::move(layer));
    }
    const std::vector<llm::PhaseCosts> costs = costs_of(plan, answer, machine);
    const Network whole = network_of(llm::cascade_at("llama3-8b", {Phase::decode, 1, 1, 99, 1}));
    double operations = 0.0;
    for (const Layer& layer : whole.layers)
        operations += static_cast<double>(layer.repeats) * static_cast<double>(operation_count(layer.einsum));
    EXPECT_DOUBLE_EQ(costs[0].energy_pj, operations);
    EXPECT_NEAR(costs[0].seconds, operations * machine.architecture.cycle_seconds, 1e-9 * costs[0].seconds);
    EXPECT_DOUBLE_EQ(costs[2].energy_pj, operations);
    EXPECT_GT(costs[1].energy_pj, operations);
    // The longer context has shapes of its own for scores, statistics, softmax and mix, and no others.
    EXPECT_LE(plan.problem.shapes.size(), distinct_layers(whole).size() + 4);
    answer.layers.front() = {};
    answer.layers.front().failures = {"no room"};
    const llm::PhaseCosts missing = costs_of(plan, answer, machine)[0];
    EXPECT_THAT(missing.failures.front(), HasSubstr("no room"));
    EXPECT_FALSE(missing.tokens_per_second());
    EXPECT_FALSE(missing.tokens_per_joule());
    EXPECT_TRUE(costs[0].tokens_per_second());
}

// Two sums in each of 32 blocks: 8 tokens of 4,096 words of two bytes.
TEST(Serving, SumsOverDevicesAreOfTheFormula) {
    const ServingMachine machine = h100();
    const ServingPlan plan = plan_serving("llama3-8b", {{Phase::decode, 8, 1, 99, 4}}, machine);
    const llm::PhaseCosts costs = costs_of(plan, {}, machine).front();
    EXPECT_EQ(costs.collectives, 64);
    const double bytes = 8.0 * 4096 * 2;
    const double ring = 6 * (1.0 + bytes / 4 / 450e3);
    const double tree = 4 * (1.0 + bytes / 450e3);
    EXPECT_NEAR(costs.collective_seconds, 64 * std::min(ring, tree) * 1e-6, 1e-12);
    ServingMachine alone = machine;
    alone.device.links.reset();
    try {
        plan_serving("llama3-8b", {{Phase::decode, 8, 1, 99, 4}}, alone);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("4 devices need links"));
    }
    EXPECT_THROW(plan_serving("llama3-8b", {{Phase::decode, 8, 1, 99, 5}}, machine), InputError);
}

// The energies of h100 exceed 700 W for a long prompt; decode is far below.
TEST(Serving, NoDeviceTakesMoreThanItsPowerLimit) {
    ServingMachine machine = h100();
    ASSERT_EQ(machine.device.power_watts, 700.0);
    const std::vector<llm::Point> points{{Phase::prefill, 1, 2048, 0, 2}, {Phase::decode, 1, 1, 99, 2}};
    const ServingPlan plan = plan_serving("llama3-8b", points, machine);
    const std::vector<llm::PhaseCosts> limited = costs_of(plan, {}, machine);
    EXPECT_NEAR(limited[0].energy_pj, 2 * 700.0 * limited[0].seconds * 1e12, 1e-6 * limited[0].energy_pj);
    EXPECT_FALSE(limited[1].unlimited_energy_pj);
    EXPECT_THAT(power_note(limited, machine.device), HasSubstr("1 of 2 points are at the power limit of 700.0 W"));
    machine.device.power_watts.reset();
    const std::vector<llm::PhaseCosts> free = costs_of(plan, {}, machine);
    EXPECT_EQ(free[0].energy_pj, limited[0].unlimited_energy_pj);
    EXPECT_GT(free[0].energy_pj, limited[0].energy_pj);
    EXPECT_EQ(free[0].seconds, limited[0].seconds);
    EXPECT_EQ(free[1].energy_pj, limited[1].energy_pj);
    EXPECT_EQ(power_note(free, machine.device), "");
}

TEST(Serving, CapacityIsTheDevicesElseTheArchitectures) {
    ServingMachine machine = h100();
    EXPECT_EQ(plan_serving("llama3-8b", {{Phase::decode, 1, 1, 9, 1}}, machine).points[0].costs.capacity_bytes, 80e9);
    machine.device = {};
    const llm::PhaseCosts unknown = plan_serving("llama3-8b", {{Phase::decode, 1, 1, 9, 1}}, machine).points[0].costs;
    EXPECT_FALSE(unknown.capacity_bytes);
    EXPECT_FALSE(unknown.fits());
    machine.device.memory_bytes = 16e9;  // the weights alone take 16.06 GB
    EXPECT_EQ(plan_serving("llama3-8b", {{Phase::decode, 1, 1, 9, 1}}, machine).points[0].costs.fits(), false);
}

}  // namespace
}  // namespace tilewright::serve_test
