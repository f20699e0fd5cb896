// The fields of what `tilewright evaluate --fused-mapping` writes of TileFlow's mappings as JSON (yaml/archive.hpp).
// Internal to report/.
#pragma once

#include "report/machine_fields.hpp"
#include "report/peers/tileflow_report.hpp"

namespace tilewright::report {

template <typename Archive, yaml::Of<TileflowTensor> T>
void fields(Archive& archive, T& tensor) {
    archive.name("TileflowTensor");
    archive("name", tensor.name);
    archive("read_words", tensor.words.reads, "of one instance");
    archive("fill_words", tensor.words.fills);
    archive("update_words", tensor.words.updates);
}

template <typename Archive, yaml::Of<TileflowMemory> T>
void fields(Archive& archive, T& memory) {
    archive.name("TileflowMemory");
    archive("name", memory.counts.memory);
    archive("accesses", memory.counts.accesses, "of all instances");
    archive("slow_down", memory.counts.slow_down, "the largest: cycles with its bandwidth by cycles without");
    archive("capacity_share", memory.counts.capacity_share);
    archive("instances_share", memory.counts.instances_share);
    archive("tensors", memory.tensors);
}

template <typename Archive, yaml::Of<TileflowReport> T>
void fields(Archive& archive, T& report) {
    document::begin(archive, "tilewright-tileflow/1", report.provenance);
    archive("machine", report.machine);
    archive("cycles", report.cycles);
    archive("operations", report.operations);
    archive("memories", report.memories, "outermost first");
}

}  // namespace tilewright::report
