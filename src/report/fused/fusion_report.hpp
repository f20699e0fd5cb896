// What the search for the best fused mapping of a cascade found, for people and machines (`tilewright map --fuse`).
//
// Values whose fields search_json.cpp lists, so that what is written is read back. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewright::report {

/// One tensor at one memory, all repeats.
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
    std::optional<std::int64_t> peak_words;  ///< the most that is reserved; nothing: of no mapping, or unlimited
    std::vector<FusionWords> tensors;        ///< those that move
};

/// What one way to run the cascade costs.
struct FusionCosts {
    std::string way;  ///< kUnfused, kFused, kOnce
    double energy_pj = 0.0;
    double cycles = 0.0;
    double compute_energy_pj = 0.0;
    std::vector<FusionMemory> memories;  ///< outermost first
};
inline constexpr const char* kUnfused = "unfused";       ///< the best whose groups are single einsums
inline constexpr const char* kFused = "fused";           ///< the best that was found
inline constexpr const char* kOnce = "every word once";  ///< no mapping: what none can be below

enum class FusionLineKind { loop, store, leaf };

/// A line of a group's tree. It spans the einsums `first` to `last`, by their numbers in the cascade, from 0.
struct FusionLine {
    FusionLineKind kind = FusionLineKind::leaf;
    std::string name;         ///< dimension, tensor or einsum
    std::string memory = {};  ///< of a store
    std::string role = {};    ///< of a store's tensor
    std::int64_t words = 0;   ///< that a store or the own tiles of a leaf reserve
    std::int64_t step = 0;    ///< of a loop
    std::int64_t extent = 0;  ///< of its dimension
    bool throughout = false;  ///< a store: reserved for all that lies inside it, not from first use to last
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

/// The fewest words that move through the DRAM where the buffer has so many.
struct FusionBuffer {
    std::int64_t buffer_words = 0;
    double bound_words = 0.0;  ///< no fused mapping of the space moves fewer
    bool proven = false;       ///< `fused_words` is that bound
    std::optional<double> fused_words;
    std::optional<double> unfused_words;
};

/// A mapping that no other found has both less energy and fewer cycles than. `proven`: none of all costs less where a
/// cycle costs from so many pJ to so many; nothing: where cycles alone count.
struct FusionPoint {
    double energy_pj = 0.0;
    double cycles = 0.0;
    std::int64_t groups = 0;
    bool proven = false;
    std::optional<double> from_pj_per_cycle = {};
    std::optional<double> to_pj_per_cycle = {};
    std::string mapping;  ///< as text
};

/// No fused mapping has less than `least` pJ with so many for each cycle; of cycles alone: fewer.
struct FusionProof {
    std::optional<double> pj_per_cycle;  ///< nothing: of cycles alone
    double least = 0.0;
};

struct FusionReport {
    Provenance provenance;
    std::string architecture;
    std::string cascade;
    std::string objective;
    bool proven = false;
    bool interrupted = false;
    double value = 0.0;  ///< of the objective
    double bound = 0.0;  ///< no fused mapping of the space has a lower one
    std::int64_t proofs = 0;
    std::int64_t rounds = 0;
    std::int64_t leaves = 0;  ///< kinds of leaves that were asked for
    std::string buffer;       ///< the memory of the shared stores
    std::int64_t buffer_words = 0;
    std::vector<FusionCosts> ways;
    std::vector<FusionGroup> groups;
    std::vector<FusionBuffer> buffers;  ///< ascending; empty: not asked for
    std::vector<FusionPoint> front;     ///< ascending energy; empty: not asked for. All else is of the least product
    std::vector<FusionProof> lines;     ///< from energy alone to cycles alone
    double gap = 0.0;  ///< wherever a cycle costs what it may, no mapping is cheaper than the front by a larger share
    std::string mapping;  ///< as text
    std::vector<std::string> notes;
};

/// Null where there is no such way.
const FusionCosts* find_way(const FusionReport& report, const std::string& name);

/// Words that are read from and written to the outermost memory.
double dram_words(const FusionCosts& costs);

/// Groups with their costs; fused, unfused and every word once side by side; what it is worth; DRAM words by buffer.
std::string fusion_summary(const FusionReport& report);
/// The same, then the tree.
std::string fusion_text(const FusionReport& report);

/// "tilewright-fusion/1"
std::string fusion_json(const FusionReport& report);

/// "12.3 pJ and more": what a cycle may cost for the point to be the cheapest of all mappings, where that is proven.
std::string price_text(const FusionPoint& point);

/// One row for every way, memory, tensor and action.
std::string fusion_csv(const FusionReport& report);

}  // namespace tilewright::report
