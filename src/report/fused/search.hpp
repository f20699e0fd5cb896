// Result of the search for the best fused mapping of a cascade, for people and machines (`tilewright map --fuse`).
//
// Fields are listed in search_fields.hpp, for writing and reading. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/views/figures.hpp"

namespace tilewright::report {

struct FusionWords {
    std::string tensor;
    std::string role;  ///< "weight", "intermediate", ...
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
    double energy_pj = 0.0;
};

struct FusionMemory {
    std::string memory;
    double energy_pj = 0.0;
    std::optional<std::int64_t> peak_words;  ///< largest reservation; nothing: no mapping, or unlimited
    std::vector<FusionWords> tensors;        ///< those that move
};

struct FusionCosts {
    std::string way;  ///< kUnfused, kFused, kOnce
    double energy_pj = 0.0;
    double cycles = 0.0;
    double compute_energy_pj = 0.0;
    std::vector<FusionMemory> memories;  ///< outermost first
};
inline constexpr const char* kUnfused = "unfused";       ///< the best of groups of single einsums
inline constexpr const char* kFused = "fused";           ///< the best found
inline constexpr const char* kOnce = "every word once";  ///< no mapping: a lower bound of all

enum class FusionLineKind { loop, store, leaf };

/// A line of a group's tree. It spans the einsums `first` to `last`, by their numbers in the cascade, from 0.
struct FusionLine {
    FusionLineKind kind = FusionLineKind::leaf;
    std::string name;         ///< dimension, tensor or einsum
    std::string memory = {};  ///< of a store
    std::string role = {};    ///< of a store's tensor
    std::int64_t words = 0;   ///< reserved by a store or a leaf's own tiles
    std::int64_t step = 0;    ///< of a loop
    std::int64_t extent = 0;  ///< of its dimension
    bool throughout = false;  ///< a store: reserved for all einsums inside it, not from first use to last
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// Einsums that run together.
struct FusionGroup {
    std::int64_t first = 0;  ///< its first einsum's number
    std::vector<std::string> einsums;
    double energy_pj = 0.0;
    double cycles = 0.0;
    std::vector<FusionLine> lines;  ///< from the root downwards
};

/// Fewest DRAM words for a size of the buffer.
struct FusionBuffer {
    std::int64_t buffer_words = 0;
    double bound_words = 0.0;  ///< lower bound of the space's fused mappings
    bool proven = false;       ///< `fused_words` is that bound
    std::optional<double> fused_words;
    std::optional<double> unfused_words;
};

struct FusionReport {
    Provenance provenance;
    std::string architecture;
    std::string cascade;
    std::string objective;
    bool proven = false;
    bool interrupted = false;
    double value = 0.0;  ///< of the objective
    double bound = 0.0;  ///< lower bound of the space's fused mappings
    std::int64_t proofs = 0;
    std::int64_t rounds = 0;
    std::int64_t leaves = 0;  ///< kinds of leaves requested
    std::string buffer;       ///< the memory of the shared stores
    std::int64_t buffer_words = 0;
    std::vector<FusionCosts> ways;
    std::vector<FusionGroup> groups;
    std::vector<FusionBuffer> buffers;  ///< ascending; empty unless requested
    std::string mapping;                ///< as text
    std::vector<std::string> notes;
};

/// Null if there is no such way.
const FusionCosts* find_way(const FusionReport& report, const std::string& name);

/// Words read from and written to the outermost memory.
double dram_words(const FusionCosts& costs);

/// Groups with their costs; fused, unfused and every word once side by side; the gain; DRAM words by buffer.
std::string fusion_summary(const FusionReport& report);
/// The same, then the tree.
std::string fusion_text(const FusionReport& report);

/// The same in figures and tables, for a page.
views::Headline fusion_headline(const FusionReport& report);

/// "tilewright-fusion/1"
std::string fusion_json(const FusionReport& report);

/// One row for every way, memory, tensor and action.
std::string fusion_csv(const FusionReport& report);
/// One row for every size of the buffer.
std::string buffers_csv(const FusionReport& report);

/// Energy and DRAM words of all ways; buffer contents during each einsum; loops and stores of every group of several
/// einsums (the first 40); DRAM words by size of the buffer.
std::vector<views::Figure> fusion_figures(const FusionReport& report);
/// The last of them alone; nothing unless requested.
std::optional<views::Figure> buffers_figure(const FusionReport& report);

}  // namespace tilewright::report
