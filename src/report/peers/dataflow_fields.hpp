// The documents of data-centric dataflows ("tilewright-dataflow") as values, and their fields (yaml/archive.hpp): what
// is written, what is read back for pictures, and what schemas/dataflow-1.schema.json is made from. Internal to
// report/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/peers/dataflow_report.hpp"
#include "report/peers/dataflow_totals.hpp"
#include "yaml/archive.hpp"

namespace tilewright::document {

inline constexpr const char* kDataflowSchema = "tilewright-dataflow/1";

struct DataflowFinding {
    dataflow::Condition condition = dataflow::Condition::bound;
    std::int64_t level = 0;
    std::string text;
    std::string file;
    std::int64_t line = 0;
};

struct DataflowEnergy {
    dataflow::TableEnergy of;
    std::vector<std::string> sources;
};

struct DataflowTensor {
    std::string tensor;
    double read_words = 0.0;
    double write_words = 0.0;
    double energy_pj = 0.0;
};

struct DataflowMemory {
    std::string name;
    std::vector<DataflowTensor> tensors;
};

struct DataflowCosts {
    dataflow::CountedBy counted_by = dataflow::CountedBy::closed_forms;
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    double utilization = 0.0;
    double energy_operations = 0.0;
    DataflowEnergy energy;
    std::vector<DataflowMemory> memories;
    std::int64_t l1_bytes = 0;
    std::int64_t l2_bytes = 0;
    std::vector<dataflow::LevelCounts> levels;
};

struct DataflowLayer {
    std::string name;
    std::int64_t repeats = 1;
    std::int64_t operations_needed = 0;
    std::vector<std::string> failures;
    std::vector<DataflowFinding> findings;
    std::optional<DataflowCosts> costs;  ///< nothing: `failures` says why
    std::optional<report::SearchedDataflow> search;
};

/// By the exact analysis.
struct Dataflows {
    std::string network;
    std::string machine;
    std::int64_t units = 0;
    std::vector<DataflowLayer> layers;
    report::DataflowTotals totals;
    std::vector<std::string> notes;
    std::optional<report::DataflowSearchReport> search;
};

/// What the public tool says of a layer.
struct ToolLayer {
    std::string name;
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    std::array<maestro::TensorCounts, maestro::kTensors> tensors;
    maestro::PrintedLayer printed;
    std::optional<report::SearchedDataflow> search;
};

/// As the public tool counts.
struct ToolDataflows {
    std::int64_t units = 0;
    std::vector<ToolLayer> layers;
    report::ToolTotals totals;
    std::vector<std::string> warnings;
    std::optional<report::DataflowSearchReport> search;
};

}  // namespace tilewright::document

namespace tilewright::dataflow {

template <typename Archive, yaml::Of<Sent> T>
void fields(Archive& archive, T& sent) {
    archive.name("Sent");
    archive("multicast_words", sent.multicast, "a word that several sub-clusters need at once counts once");
    archive("unicast_words", sent.unicast);
    archive("array_words", sent.array, "words that no sub-cluster of the step before had");
}

template <typename Archive, yaml::Of<LevelCounts> T>
void fields(Archive& archive, T& level) {
    archive.name("Level");
    archive("steps", level.steps);
    archive("input", level.input);
    archive("filter", level.filter);
    archive("output_words_each_step", level.output_each);
    archive("output_words_on_change", level.output_change);
    archive("bytes_per_cycle", level.bytes_per_cycle);
}

template <typename Archive, yaml::Of<TableEnergy> T>
void fields(Archive& archive, T& energy) {
    archive("operations", energy.operations_pj);
    archive("l1", energy.l1_pj);
    archive("l2", energy.l2_pj);
    archive("dram", energy.dram_pj);
    archive.derived("total", energy.total_pj());
}

}  // namespace tilewright::dataflow

namespace tilewright::maestro {

template <typename Archive, yaml::Of<TensorCounts> T>
void fields(Archive& archive, T& tensor) {
    archive.name("ToolTensor");
    archive("l2_read", yaml::Signed{tensor.l2_read});
    archive("l2_write", yaml::Signed{tensor.l2_write});
    archive("l1_read", yaml::Signed{tensor.l1_read});
    archive("l1_write", yaml::Signed{tensor.l1_write});
    archive("l2_size", yaml::Signed{tensor.l2_size});
    archive("l1_size", yaml::Signed{tensor.l1_size});
}

}  // namespace tilewright::maestro

namespace tilewright::report {

template <typename Archive, yaml::Of<SearchedDataflow> T>
void fields(Archive& archive, T& found) {
    archive("dataflow", found.dataflow, "directives in the notation, of a search");
    archive("evaluations", found.evaluations);
    archive("cut_short", found.cut_short);
}

template <typename Archive, yaml::Of<DataflowSearchReport> T>
void fields(Archive& archive, T& search) {
    archive.name("Search");
    archive("mapper", search.mapper);
    archive("objective", search.objective);
    archive("seed", search.seed);
    archive("legal_only", search.legal);
}

template <typename Archive, yaml::Of<DataflowTotals> T>
void fields(Archive& archive, T& totals) {
    archive.name("Totals", "layers one after another, each as often as it runs; buffers: the most that a layer needs");
    archive("layers", totals.layers);
    archive("missing_layers", totals.missing);
    archive("operations", totals.operations);
    archive("runtime_cycles", totals.runtime_cycles);
    archive("utilization", totals.utilization);
    archive("energy_operations", totals.energy_operations);
    archive("energy_pj", totals.energy);
    archive("l1_bytes", totals.l1_bytes);
    archive("l2_bytes", totals.l2_bytes);
}

template <typename Archive, yaml::Of<ToolTotals> T>
void fields(Archive& archive, T& totals) {
    archive.name("ToolTotals", "layers one after another, each as often as it runs");
    archive("operations", yaml::Signed{totals.operations});
    archive("runtime_cycles", yaml::Signed{totals.runtime_cycles});
    archive("energy_macs", yaml::Signed{totals.energy_macs});
}

}  // namespace tilewright::report

namespace tilewright::document {

template <typename Archive, yaml::Of<DataflowFinding> T>
void fields(Archive& archive, T& finding) {
    yaml::Choice condition{finding.condition, {}};
    for (const auto one : {dataflow::Condition::bound, dataflow::Condition::coverage, dataflow::Condition::redundancy})
        condition.names.emplace_back(one, dataflow::name_of(one));
    archive("condition", condition);
    archive("level", finding.level);
    archive("text", finding.text);
    archive("file", finding.file);
    archive("line", finding.line);
}

template <typename Archive, yaml::Of<DataflowEnergy> T>
void fields(Archive& archive, T& energy) {
    fields(archive, energy.of);
    archive("sources", energy.sources);
}

template <typename Archive, yaml::Of<DataflowTensor> T>
void fields(Archive& archive, T& tensor) {
    archive("tensor", tensor.tensor, "operands or results");
    archive("read_words", tensor.read_words);
    archive("write_words", tensor.write_words);
    archive("energy_pj", tensor.energy_pj);
}

template <typename Archive, yaml::Of<DataflowMemory> T>
void fields(Archive& archive, T& memory) {
    archive("name", memory.name);
    archive("tensors", memory.tensors);
}

template <typename Archive, yaml::Of<DataflowCosts> T>
void fields(Archive& archive, T& costs) {
    using dataflow::CountedBy;
    archive.also("counted_by",
                 yaml::Choice{costs.counted_by,
                              {{CountedBy::closed_forms, "closed forms"}, {CountedBy::every_step, "every step"}}},
                 "every step: no closed form covers the dataflow, nothing else counted it");
    archive("operations", costs.operations);
    archive("runtime_cycles", costs.runtime_cycles);
    archive("utilization", costs.utilization);
    archive("energy_operations", costs.energy_operations,
            "in multiply-accumulates, with MAESTRO's energies of an access");
    archive("energy_pj", costs.energy);
    archive("memories", costs.memories, "DRAM, L2 and L1, over all units");
    archive("l1_bytes", costs.l1_bytes);
    archive("l2_bytes", costs.l2_bytes);
    archive("levels", costs.levels);
}

template <typename Archive, yaml::Of<DataflowLayer> T>
void fields(Archive& archive, T& layer) {
    archive.name("Layer");
    archive("layer", layer.name);
    archive("repeats", yaml::Positive{layer.repeats}, "how often the network runs it; all else is of one run");
    archive("operations_needed", layer.operations_needed);
    archive("failures", layer.failures);
    archive("findings", layer.findings);
    archive.part("operations", layer.costs);
    archive.part("dataflow", layer.search);
}

template <typename Archive, yaml::Of<Dataflows> T>
void fields(Archive& archive, T& dataflows) {
    archive.constant("schema", kDataflowSchema);
    archive("network", dataflows.network);
    archive("machine", dataflows.machine);
    archive.constant("accounting", "exact");
    archive("units", dataflows.units);
    archive("layers", dataflows.layers);
    archive("totals", dataflows.totals);
    archive("notes", dataflows.notes);
    archive.where_any("search", dataflows.search);
}

template <typename Archive, yaml::Of<ToolLayer> T>
void fields(Archive& archive, T& layer) {
    auto& printed = layer.printed;
    archive.name("ToolLayer");
    archive("layer", layer.name);
    archive("operations", yaml::Signed{layer.operations});
    archive("runtime_cycles", yaml::Signed{layer.runtime_cycles});
    archive("input", layer.tensors[maestro::kInput]);
    archive("filter", layer.tensors[maestro::kFilter]);
    archive("output", layer.tensors[maestro::kOutput]);
    archive("energy_macs", yaml::Signed{printed.energy_macs});
    archive("energy_nj", yaml::Signed{printed.energy_nj});
    archive("area_um2", yaml::Signed{printed.area_um2});
    archive("power_mw", yaml::Signed{printed.power_mw});
    archive.part("dataflow", layer.search);
}

template <typename Archive, yaml::Of<ToolDataflows> T>
void fields(Archive& archive, T& dataflows) {
    archive.constant("schema", kDataflowSchema);
    archive.constant("accounting", "maestro");
    archive("units", dataflows.units);
    archive("layers", dataflows.layers);
    archive("totals", dataflows.totals);
    archive("warnings", dataflows.warnings);
    archive.where_any("search", dataflows.search);
}

}  // namespace tilewright::document
