#include "zigzag/files/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/zoo/zoo.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/forms/translate.hpp"

namespace tilewright::zigzag::write_test {
namespace {

TEST(WriteZigzag, AcceleratorsAreTheSameAfterwards) {
    const Accelerator machine = read_accelerator(load_text(R"(
name: "odd: one"
operational_array: {dimensions: [D1, "D 2"], sizes: [8, 4], unit_energy: 0.125, unit_area: 1e-3, input_precision: [8, 4]}
memories:
  rf:
    size: 64
    r_cost: 0.1
    w_cost: 0.3
    latency: 0
    auto_cost_extraction: true
    operands: [I2, O]
    ports:
    - {name: r, type: read, bandwidth_min: 8, bandwidth_max: 16, allocation: ["I2, tl", "O, tl", "O, th"]}
    - {name: w, type: write, bandwidth_max: 16, allocation: ["I2, fh", "O, fl", "O, fh"]}
    served_dimensions: []
  dram:
    size: 8000000000
    r_cost: 500
    w_cost: 550
    area: 2.5
    latency: 20
    force_double_buffering: true
    operands: [I1, I2, O]
    ports: [{name: rw, type: read_write, bandwidth_min: 64, bandwidth_max: 64, allocation:
            ["I1, tl", "I1, fh", "I2, tl", "I2, fh", "O, tl", "O, fh", "O, fl", "O, th"]}]
    served_dimensions: [D1, "D 2"]
)")
                                                     .root);
    EXPECT_EQ(read_accelerator(load_text(write_accelerator(machine)).root), machine);
}

TEST(WriteZigzag, InMemoryArraysAreTheSameAfterwards) {
    const Accelerator machine = read_accelerator(load_text(R"(
operational_array: {dimensions: [D1], sizes: [8], is_imc: true, imc_type: analog, bit_serial_precision: 2,
                    adc_resolution: 5, input_precision: [8, 8]}
memories:
  all: {size: 64, r_cost: 1, w_cost: 1, operands: [I1, I2, O], served_dimensions: [D1], ports: [
        {name: rw, type: read_write, bandwidth_max: 8, allocation: ["I1, tl"]}]}
)")
                                                     .root);
    ASSERT_TRUE(machine.in_memory);
    EXPECT_EQ(read_accelerator(load_text(write_accelerator(machine)).root), machine);
}

// Equal up to window names, which are ours.
void expect_same(WorkloadLayer written, WorkloadLayer read) {
    SCOPED_TRACE(written.layer.name);
    for (DimensionRelation& window : written.layer.windows) window.name.clear();
    for (DimensionRelation& window : read.layer.windows) window.name.clear();
    EXPECT_EQ(read.id, written.id);
    EXPECT_EQ(read.layer, written.layer);
    EXPECT_EQ(read.sources, written.sources);
}

TEST(WriteZigzag, EveryLayerOfTheZooIsTheSameAfterwards) {
    int count = 0;
    for (const ZooEntry& entry : zoo_networks()) {
        std::vector<WorkloadLayer> layers;
        for (const tilewright::Layer& layer : zoo_network(entry.name, {}).layers) {
            auto made = from_einsum(layer.einsum, layer.name, layer.op);
            if (!std::holds_alternative<Layer>(made)) continue;
            layers.push_back({static_cast<std::int64_t>(layers.size()), std::get<Layer>(std::move(made)), {{"I", 0}}});
        }
        const std::vector<WorkloadLayer> again = read_workload(load_text(write_workload(layers)).root);
        ASSERT_EQ(again.size(), layers.size());
        for (std::size_t i = 0; i < layers.size(); ++i) expect_same(layers[i], again[i]);
        count += static_cast<int>(layers.size());
    }
    EXPECT_GT(count, 500);
}

TEST(WriteZigzag, WhatAFileCannotSayIsNamed) {
    Accelerator machine;
    machine.array = {{"D1", 2}};
    machine.memories.emplace_back().name = "buffer";
    machine.memories.front().operands = {MemoryOperand::o};
    Port port{"read", "read", 8, 8, {}, true};
    machine.memories.front().ports = {port};
    try {
        static_cast<void>(write_accelerator(machine));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.message(),
                  "memory 'buffer' has no bandwidth for its port 'read': a ZigZag file gives every port one");
    }
}

}  // namespace
}  // namespace tilewright::zigzag::write_test
