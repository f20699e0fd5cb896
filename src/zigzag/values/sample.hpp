// A convolution and a small accelerator for the tests of this folder.
#pragma once

#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag::sample {

enum Dimensions { B, K, C, OY, OX, FY, FX };

struct Steps {
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
};

/// O[b][k][oy][ox] += W[k][c][fy][fx] * I[b][c][iy][ix], sizes in the order of Dimensions.
inline Layer convolution(std::vector<std::int64_t> sizes, Steps steps = {}) {
    Layer layer;
    layer.name = "convolution";
    layer.operator_type = "Conv";
    const std::vector<std::string> names{"B", "K", "C", "OY", "OX", "FY", "FX"};
    for (std::size_t d = 0; d < names.size(); ++d) layer.dimensions.push_back({names[d], sizes[d]});
    layer.windows = {{"IY", OY, steps.stride, FY, steps.dilation, 0, 0},
                     {"IX", OX, steps.stride, FX, steps.dilation, 0, 0}};
    layer.operands.resize(3);
    Operand& o = layer.operands[0];
    o.name = "O";
    o.memory = MemoryOperand::o;
    o.precision_bits = 16;
    o.axes = {{false, B}, {false, K}, {false, OY}, {false, OX}};
    Operand& w = layer.operands[1];
    w.name = "W";
    w.memory = MemoryOperand::i2;
    w.axes = {{false, K}, {false, C}, {false, FY}, {false, FX}};
    Operand& i = layer.operands[2];
    i.name = "I";
    i.memory = MemoryOperand::i1;
    i.axes = {{false, B}, {false, C}, {true, 0}, {true, 1}};
    derive(layer);
    return layer;
}

/// All four directions of each operand on one port.
inline Port port_for_all(std::string name, std::int64_t bits, const std::vector<MemoryOperand>& operands) {
    Port port{std::move(name), "read_write", bits, bits, {}};
    for (const MemoryOperand operand : operands)
        for (int d = 0; d < kDirections; ++d) port.uses.push_back({operand, static_cast<Direction>(d)});
    return port;
}

inline SharedMemory memory(std::string name, std::int64_t size_bits, std::int64_t port_bits,
                           std::vector<MemoryOperand> operands, std::vector<int> served) {
    SharedMemory memory;
    memory.name = std::move(name);
    memory.size_bits = size_bits;
    memory.read_pj = 1.0;
    memory.write_pj = 2.0;
    memory.operands = operands;
    memory.ports = {port_for_all("rw", port_bits, operands)};
    memory.served = std::move(served);
    return memory;
}

/// rows x columns units, each with a register per operand, a buffer for inputs and results, and a DRAM.
inline Accelerator array_of(std::int64_t rows, std::int64_t columns) {
    using enum MemoryOperand;
    Accelerator accelerator;
    accelerator.name = "array";
    accelerator.array = {{"D1", rows}, {"D2", columns}};
    accelerator.unit_energy_pj = 0.5;
    accelerator.memories = {memory("rf_i", 64, 8, {i1}, {}), memory("rf_w", 512, 8, {i2}, {}),
                            memory("rf_o", 128, 16, {o}, {}), memory("buffer", 65536, 64, {i1, o}, {0, 1}),
                            memory("dram", std::int64_t{1} << 33, 64, {i1, i2, o}, {0, 1})};
    derive(accelerator);
    return accelerator;
}

}  // namespace tilewright::zigzag::sample
