// Recorded searches of ZigZag: layers on a machine, with the energies that LOMA, SALSA and full enumerations reached.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "differences.hpp"
#include "zigzag/orders/searches.hpp"

namespace tilewright::golden {

/// What one search recorded.
struct RecordedSearch {
    double energy_pj = 0.0;
    double latency_cycles = 0.0;
    std::int64_t evaluations = 0;
};

/// One layer, even or uneven.
struct SearchCase {
    std::string name;  ///< "resnet34/conv1 uneven"
    std::string network;
    orders::OrderProblem problem;
    std::size_t loop_factors = 0;
    double orders = 0.0;
    std::map<std::string, RecordedSearch> recorded;  ///< "loma6", "loma7", "salsa0.999", "exhaustive", ...

    /// The least energy that any search recorded.
    double best_known_pj() const;
    std::optional<RecordedSearch> search(const std::string& name) const;
};

/// Folders with NAME.yaml and NAME_fast.json: the stems of the latter.
std::vector<std::filesystem::path> searches_in(const std::filesystem::path& folder);

/// `stem` without ".yaml" or "_fast.json". Throws InputError, nlohmann::json::exception.
std::vector<SearchCase> read_searches(const std::filesystem::path& stem);

/// How hard to look.
struct SearchEffort {
    int seeds = 100;
    std::int64_t most_orders = 2'000'000;  ///< recorded enumerations of more orders are not repeated
    int threads = 1;
};

/// How long proofs took; how often single runs end at the best known energy, of layers with more orders than one run
/// has iterations.
struct HitRates {
    struct Rate {
        std::int64_t runs = 0;
        std::int64_t hits = 0;
        double excess = 0.0;  ///< sum of relative energies above the best known

        void note(double energy_pj, double best_known_pj);
    };
    Rate salsa;        ///< 1000 iterations, factor 0.999
    Rate salsa_0995;   ///< 1000 iterations, factor 0.995
    Rate anneal_1000;  ///< ours with as many iterations
    Rate anneal;       ///< ours as it is
    int proven = 0;    ///< layers with a proven best order
    double proof_seconds = 0.0;
    double longest_proof_seconds = 0.0;

    void note_optimal(const orders::Answer& answer);
};

/// "optimal: 172 proven in 1.1 s together, 0.1 s the longest; salsa: 48.6 % of 7700 runs hit the best known energy,
/// 0.77 % above it on average; ..."
std::string to_text(const HitRates& rates);

/// `optimal` and the best of some runs of `anneal` have to be as good as the best known, enumerations and `optimal`
/// have to find what full enumerations recorded.
Differences check_search(const SearchCase& the_case, const SearchEffort& effort, HitRates& rates);

}  // namespace tilewright::golden
