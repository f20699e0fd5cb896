// What pictures and pages are made of: one run of Tilewright as its document (report.json and its relatives) tells it,
// whatever the accounting was. Plain values; documents/ makes them.
//
// Counts of a layer are those of one run of it, over all instances. Energies are pJ, times cycles.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/document.hpp"

namespace tilewright::views {

/// A memory of the machine.
struct Memory {
    std::string name;
    double instances = 1.0;
    // Words per cycle of one instance, where they may bind:
    std::optional<double> read_words_per_cycle;
    std::optional<double> write_words_per_cycle;
    std::optional<double> shared_words_per_cycle;  ///< reads and writes together
    std::optional<double> capacity_words;          ///< of one instance
    bool spreads_only = false;                     ///< a fan-out without storage
    // Where the instances lie, and how wide a word is; 0 where the document does not say.
    double mesh_x = 0.0;
    double mesh_y = 0.0;
    double word_bits = 0.0;
};

/// What computes, and where it lies; 0 where the document does not say.
struct ComputeUnits {
    std::string name;
    double mesh_x = 0.0;
    double mesh_y = 0.0;
    double word_bits = 0.0;
};

/// One tensor at one memory, and on the wires below it.
struct TensorCosts {
    std::string tensor;
    double tile_words = 0.0;  ///< the largest tile of one instance; 0 when not known
    double read_words = 0.0;
    double fill_words = 0.0;
    double update_words = 0.0;
    double energy_pj = 0.0;  ///< accesses and address generation
    double link_words = 0.0;
    double link_energy_pj = 0.0;
    double bandwidth_share = 1.0;  ///< words of the memory that a word takes of its bandwidth
};

struct MemoryCosts {
    std::string memory;
    double used_words = 0.0;  ///< of one instance; 0 when not known
    double leakage_pj = 0.0;
    std::vector<TensorCosts> tensors;

    double energy_pj() const;  ///< all of it, the wires below included
    double words() const;      ///< read and written
};

/// A number with what it stands for.
struct Amount {
    std::string name;
    double value = 0.0;
};

struct Costs {
    double computes = 0.0;
    double cycles = 0.0;
    double energy_pj = 0.0;
    double compute_energy_pj = 0.0;  ///< leakage included
    double utilization = 0.0;
    std::string bound;            ///< what bounds the latency, a sentence; "" when not known
    std::string bound_memory;     ///< the memory that does; "" where what computes does, or it is not known
    bool on_vector_unit = false;  ///< computed there, not by the compute units
    std::vector<MemoryCosts> memories;
    /// Where the cycles go: parts that add up to `cycles`.
    std::vector<Amount> cycle_parts;

    /// "vector unit", or "compute units".
    std::string computed_by() const { return on_vector_unit ? report::kVectorUnit : "compute units"; }
};

/// One layer shape, and all layers that have it.
struct Layer {
    std::string name;
    std::vector<std::string> same_shape;
    std::string op;
    double repeats = 1.0;
    std::string einsum;  ///< as text, with the widths that the layer says; "" when the document has none
    std::vector<document::Extent> extents;
    std::vector<document::Tensor> tensors;
    std::optional<Costs> costs;
    std::vector<std::string> failures;  ///< why there are no costs
    document::Nest nest;                ///< empty: no mapping, or one that is not a single nest
    std::vector<document::FrontPoint> front;
    std::optional<SearchSummary> search;
};

struct Run {
    std::string file;   ///< where the document was read
    std::string title;  ///< "resnet50 on eyeriss"; made different by made_distinct()
    std::string network;
    std::string architecture;
    std::string technology;
    std::string tool_version;
    std::string command;
    std::string accounting;
    std::vector<report::Input> inputs;
    std::vector<std::pair<std::string, std::string>> options;  ///< those that change the result, the seed among them
    bool interrupted = false;
    std::vector<std::string> notes;
    std::vector<std::string> slow_accesses;  ///< notes that no latency is right without
    double units = 0.0;                      ///< compute units; 0 when not known
    ComputeUnits compute;
    std::optional<double> cycle_seconds;
    std::optional<double> area_um2;
    std::vector<Memory> memories;            ///< outermost first
    std::optional<report::Summary> summary;  ///< of documents that have one
    std::vector<Layer> layers;
    std::vector<UnmappedOperator> unmapped;

    const Memory* memory(const std::string& name) const;
};

/// Sums over the layers, each as often as it runs; layers without costs count in `missing` only.
struct Totals {
    double computes = 0.0;
    double cycles = 0.0;
    double energy_pj = 0.0;
    double layers = 0.0;
    double missing = 0.0;
};
Totals totals(const Run& run);

/// Titles that are equal get what differs (accounting, mapper, objective, file) or a number behind them.
void make_titles_distinct(std::vector<Run>& runs);

}  // namespace tilewright::views
