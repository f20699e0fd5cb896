// Recorded searches of ZigZag: layers on a machine, with the energies that LOMA, SALSA and full enumerations reached.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "differences.hpp"
#include "orders/searches.hpp"

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
    orders::Problem problem;
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

/// The best of some chains of "anneal" has to be as good as the best known, enumerations have to find what was
/// recorded.
Differences check_search(const SearchCase& the_case, const SearchEffort& effort);

}  // namespace tilewright::golden
