// A small machine, layer, mapping and evaluation for the tests of report/.
#pragma once

#include "report/report.hpp"

namespace tilewright::report {

inline Architecture sample_architecture() {
    Memory dram;
    dram.name = "DRAM";
    dram.component_class = "DRAM";
    dram.is_dram = true;
    dram.energy.read_pj = {128.0, "given in arch.yaml:5"};
    Memory buffer;
    buffer.name = "Buffer";
    buffer.component_class = "SRAM";
    buffer.capacity_words = 64;
    buffer.read_words_per_cycle = 2.0;
    Architecture architecture;
    architecture.name = "tiny";
    architecture.memories = {dram, buffer};
    architecture.compute.instances = 4;
    architecture.compute.mesh = {4, 1};
    return architecture;
}

// O[m] += A[m,k] * B[k] with m=4, k=8
inline Einsum sample_einsum() {
    return {"matvec",
            {{"m", 4}, {"k", 8}},
            {{"A", {{{{0, 1}}}, {{{1, 1}}}}, false}, {"B", {{{{1, 1}}}}, false}, {"O", {{{{0, 1}}}}, true}}};
}

inline Mapping sample_mapping() {
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)}, Loop{1, 8, 8, LoopKind::temporal}, Store{1, TensorSet::all(3)},
                     Loop{0, 4, 4, LoopKind::spatial_x}};
    return mapping;
}

inline TensorTraffic sample_traffic(std::int64_t tile, double reads, double fills, double updates, double energy_pj) {
    TensorTraffic traffic;
    traffic.kept = true;
    traffic.tile_words = tile;
    traffic.reads = reads;
    traffic.fills = fills;
    traffic.updates = updates;
    traffic.energy_pj = energy_pj;
    return traffic;
}

// Buffer's read bandwidth doubles the eight compute cycles.
inline Evaluation sample_evaluation() {
    MemoryEvaluation dram;
    dram.name = "DRAM";
    dram.tensors = {sample_traffic(32, 32, 0, 0, 4096.0), sample_traffic(8, 8, 0, 0, 1024.0),
                    sample_traffic(4, 28, 0, 32, 7680.0)};
    dram.link = {{32, 32}, {8, 8}, {32, 32}};
    dram.cycles = 8;
    dram.energy_pj = 12800.0;
    MemoryEvaluation buffer;
    buffer.name = "Buffer";
    buffer.tensors = {sample_traffic(4, 32, 32, 0, 64.0), sample_traffic(1, 8, 8, 0, 16.0), TensorTraffic{}};
    buffer.link = {{32, 32}, {8, 32}, {}};
    buffer.used_words = 5;
    buffer.cycles = 16;
    buffer.slowdown = 0.5;
    buffer.bound = Bound::read_bandwidth;
    buffer.energy_pj = 80.0;
    buffer.area_um2 = 1500.0;

    Evaluation evaluation;
    evaluation.computes = 32;
    evaluation.compute_cycles = 8;
    evaluation.cycles = 16;
    evaluation.utilization = 0.5;
    evaluation.compute_energy_pj = 120.0;
    evaluation.energy_pj = 13000.0;
    evaluation.compute_units_used = 4;
    evaluation.area_um2 = 1500.0;
    evaluation.memories = {dram, buffer};
    evaluation.bounding_memory = 1;
    return evaluation;
}

inline Report sample_report() {
    Report report;
    report.provenance.tool_version = "0.1.0";
    report.provenance.command = "evaluate";
    report.provenance.inputs = {{"arch.yaml", "99aa06d3014798d86001c324468d497f"}};
    report.architecture = sample_architecture();
    LayerResult layer;
    layer.names = {"fc"};
    layer.op = "Gemm";
    layer.einsum = sample_einsum();
    layer.mapping = sample_mapping();
    layer.evaluation = sample_evaluation();
    report.layers = {layer};
    return report;
}

}  // namespace tilewright::report
