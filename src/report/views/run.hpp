// Source of pictures and pages: one run of Tilewright from its document (report.json and its relatives), for any
// accounting. Plain values; documents/ makes them.
//
// Counts of a layer are those of one run of it, over all instances. Energies are pJ, times cycles.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/document.hpp"

namespace tilewright::views {

struct RunMemory {
    std::string name;
    double instances = 1.0;
    // Words per cycle of one instance, if they may bind:
    std::optional<double> read_words_per_cycle;
    std::optional<double> write_words_per_cycle;
    std::optional<double> shared_words_per_cycle;  ///< reads and writes together
    std::optional<double> capacity_words;          ///< of one instance
    bool spreads_only = false;                     ///< a fan-out without storage
    // Places of the instances, and width of a word; 0 if not in the document.
    double mesh_x = 0.0;
    double mesh_y = 0.0;
    double word_bits = 0.0;
};

/// The compute units with their places; 0 if not in the document.
struct ComputeUnits {
    std::string name;
    double mesh_x = 0.0;
    double mesh_y = 0.0;
    double word_bits = 0.0;
};

/// One tensor at one memory, and on the wires below it.
struct TensorCosts {
    std::string tensor;
    double tile_words = 0.0;  ///< the largest tile of one instance; 0 if unknown
    double read_words = 0.0;
    double fill_words = 0.0;
    double update_words = 0.0;
    double energy_pj = 0.0;  ///< accesses and address generation
    double link_words = 0.0;
    double link_energy_pj = 0.0;
    double bandwidth_share = 1.0;  ///< bandwidth of a word, in words of the memory
};

struct MemoryCosts {
    std::string memory;
    double used_words = 0.0;  ///< of one instance; 0 if unknown
    double leakage_pj = 0.0;
    std::vector<TensorCosts> tensors;

    double energy_pj() const;  ///< all of it, with the wires below
    double words() const;      ///< read and written
};

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
    std::string bound;            ///< bound of the latency, a sentence; "" if unknown
    std::string bound_memory;     ///< the bounding memory; "" for computing, or if unknown
    bool on_vector_unit = false;  ///< computed there, not by the compute units
    std::vector<MemoryCosts> memories;
    /// Cycles by cause, adding up to `cycles`.
    std::vector<Amount> cycle_parts;

    /// "vector unit", or "compute units".
    std::string computed_by() const { return on_vector_unit ? report::kVectorUnit : "compute units"; }
};

/// One layer shape, with all its layers.
struct Layer {
    std::string name;
    std::vector<std::string> same_shape;
    std::string op;
    double repeats = 1.0;
    std::string einsum;  ///< as text, with the layer's widths; "" if not in the document
    std::vector<document::Extent> extents;
    std::vector<document::Tensor> tensors;
    std::optional<Costs> costs;
    std::vector<std::string> failures;  ///< reason for missing costs
    document::Nest nest;                ///< empty: no mapping, or one that is not a single nest
    std::vector<document::FrontPoint> front;
    std::optional<SearchSummary> search;
};

struct Run {
    std::string file;   ///< of the document
    std::string title;  ///< "resnet50 on eyeriss"; made different by made_distinct()
    std::string network;
    std::string architecture;
    std::string technology;
    std::string tool_version;
    std::string command;
    std::string accounting;
    std::vector<report::Input> inputs;
    std::vector<std::pair<std::string, std::string>> options;  ///< those that change the result, with the seed
    bool interrupted = false;
    std::vector<std::string> notes;
    std::vector<std::string> slow_accesses;  ///< notes essential to any latency
    double units = 0.0;                      ///< compute units; 0 if unknown
    ComputeUnits compute;
    std::optional<double> cycle_seconds;
    std::optional<double> area_um2;
    std::vector<RunMemory> memories;         ///< outermost first
    std::optional<report::Summary> summary;  ///< if the document has one
    std::vector<Layer> layers;
    std::vector<UnmappedOperator> unmapped;

    const RunMemory* memory(const std::string& name) const;
};

/// Sums over the layers, with repeats; layers without costs count in `missing` only.
struct Totals {
    double computes = 0.0;
    double cycles = 0.0;
    double energy_pj = 0.0;
    double layers = 0.0;
    double missing = 0.0;
};
Totals totals(const Run& run);

/// Appends to equal titles their difference (accounting, mapper, objective, file) or a number.
void make_titles_distinct(std::vector<Run>& runs);

}  // namespace tilewright::views
