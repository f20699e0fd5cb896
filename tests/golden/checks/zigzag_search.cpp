#include "zigzag_search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "base/numbers/random.hpp"
#include "cases.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag_case.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;

constexpr std::string_view kSuffix = "_fast.json";

void add_recorded(const json& results, const std::string& evenness, SearchCase& search) {
    for (const auto& [name, result] : results.items()) {
        if (!name.ends_with("_" + evenness) || !result.is_object() || !result.contains("energy")) continue;
        search.recorded[name.substr(0, name.size() - evenness.size() - 1)] = {
            result.at("energy"), result.value("latency", 0.0), result.value("count", std::int64_t{0})};
    }
}

SearchCase case_of(const json& entry, const zigzag::Accelerator& accelerator, const std::string& evenness) {
    SearchCase search;
    search.network = entry.at("network");
    search.name = search.network + "/" + entry.at("layer").get<std::string>() + " " + evenness;
    orders::OrderProblem& problem = search.problem;
    problem.accelerator = accelerator;
    problem.layer = zigzag::read_workload(zigzag::load_text(entry.at("layer_yaml").dump()).root).at(0).layer;
    const zigzag::ArrayUnrolling unrolling =
        zigzag_unrolling_of(entry.at("spatial_mapping_user"), accelerator, problem.layer);
    const zigzag::SpatialPair spatial = zigzag::spatial_pair(accelerator, problem.layer, unrolling);
    problem.fractional = spatial.fractional;
    problem.whole = spatial.whole;
    problem.evenness = evenness == "even" ? zigzag::Evenness::even : zigzag::Evenness::uneven;
    search.loop_factors = entry.at("lpfs").size();
    search.orders = entry.at("orderings");
    add_recorded(entry.at("results"), evenness, search);
    return search;
}

void check_factors(const SearchCase& the_case, Differences& differences) {
    const auto factors = zigzag::loop_factors(the_case.problem.layer, the_case.problem.fractional);
    differences.count("loop factors", static_cast<std::int64_t>(factors.size()), the_case.loop_factors);
}

void check_enumeration(const SearchCase& the_case, const std::string& search, const std::string& recorded_as,
                       const orders::Settings& settings, Differences& differences) {
    const std::optional<RecordedSearch> recorded = the_case.search(recorded_as);
    if (!recorded || recorded->evaluations > settings.most_orders) return;
    const orders::Answer answer = orders::find_search(search)->run(the_case.problem, settings);
    if (!answer.failure.empty()) return differences.problem(recorded_as, answer.failure);
    differences.count(recorded_as + " orders", answer.evaluations, recorded->evaluations);
    differences.close(recorded_as + " energy", answer.cost.energy_pj, recorded->energy_pj);
}

// Proven, and as good as whatever is known; the same where the recorded energy is that of all orders.
void check_optimal(const SearchCase& the_case, const orders::Settings& settings, HitRates& rates,
                   Differences& differences) {
    const orders::Answer answer = orders::find_search("optimal")->run(the_case.problem, settings);
    if (!answer.failure.empty()) return differences.problem("optimal", answer.failure);
    if (!answer.complete) differences.problem("optimal", "is not proven");
    const double best = the_case.best_known_pj();
    if (the_case.search("exhaustive") || answer.cost.energy_pj > best)
        differences.close("optimal energy", answer.cost.energy_pj, best);
    rates.note_optimal(answer);
}

struct Contestant {
    const char* search;
    std::int64_t iterations;
    double factor;
    HitRates::Rate HitRates::* rate;
};

// Each run counts for itself. Returns the least energy of any.
double run_seeds(const SearchCase& the_case, const Contestant& contestant, int seeds, HitRates& rates) {
    orders::Settings settings;
    settings.iterations = contestant.iterations;
    settings.cooling.factor = contestant.factor;
    double best = std::numeric_limits<double>::infinity();
    for (int seed = 1; seed <= seeds; ++seed) {
        settings.seed = static_cast<std::uint64_t>(seed);
        const orders::Answer answer = orders::find_search(contestant.search)->run(the_case.problem, settings);
        if (!answer.failure.empty()) throw std::runtime_error(answer.failure);
        best = std::min(best, answer.cost.energy_pj);
        if (the_case.orders > 1000.0) (rates.*contestant.rate).note(answer.cost.energy_pj, the_case.best_known_pj());
    }
    return best;
}

void check_annealing(const SearchCase& the_case, const SearchEffort& effort, HitRates& rates,
                     Differences& differences) {
    for (const Contestant& contestant :
         {Contestant{"salsa", 1000, 0.999, &HitRates::salsa}, Contestant{"salsa", 1000, 0.995, &HitRates::salsa_0995},
          Contestant{"anneal", 1000, 0.0, &HitRates::anneal_1000}})
        run_seeds(the_case, contestant, effort.seeds, rates);
    const double best = run_seeds(the_case, {"anneal", 20'000, 0.0, &HitRates::anneal}, effort.seeds, rates);
    if (best > the_case.best_known_pj() * (1.0 + Differences::kTolerance))
        differences.close("best of " + std::to_string(effort.seeds) + " seeds", best, the_case.best_known_pj());
}

std::string text_of(const char* name, const HitRates::Rate& rate) {
    std::array<char, 160> text{};
    const double runs = static_cast<double>(std::max<std::int64_t>(1, rate.runs));
    std::snprintf(text.data(), text.size(),
                  "%s: %.1f %% of %lld runs at the best known energy, %.3f %% above it on average", name,
                  100.0 * static_cast<double>(rate.hits) / runs, static_cast<long long>(rate.runs),
                  100.0 * rate.excess / runs);
    return text.data();
}

}  // namespace

double SearchCase::best_known_pj() const {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [search_name, one] : recorded) best = std::min(best, one.energy_pj);
    return best;
}

std::optional<RecordedSearch> SearchCase::search(const std::string& of_name) const {
    const auto found = recorded.find(of_name);
    return found == recorded.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::filesystem::path> searches_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> stems;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (!name.ends_with(kSuffix)) continue;
        stems.push_back(folder / name.substr(0, name.size() - kSuffix.size()));
    }
    std::sort(stems.begin(), stems.end());
    return stems;
}

std::vector<SearchCase> read_searches(const std::filesystem::path& stem) {
    const zigzag::Accelerator accelerator =
        zigzag::read_accelerator(zigzag::load(std::filesystem::path(stem) += ".yaml").root);
    const json entries = read_json(stem.parent_path(), stem.filename().string() + std::string(kSuffix)).value();
    std::vector<SearchCase> cases;
    for (const json& entry : entries)
        for (const char* evenness : {"uneven", "even"}) cases.push_back(case_of(entry, accelerator, evenness));
    return cases;
}

void HitRates::Rate::note(double energy_pj, double best_known_pj) {
    const double above = energy_pj / best_known_pj - 1.0;
    ++runs;
    hits += above <= Differences::kTolerance ? 1 : 0;
    excess += above;
}

void HitRates::note_optimal(const orders::Answer& answer) {
    ++proven;
    proof_seconds += answer.seconds;
    longest_proof_seconds = std::max(longest_proof_seconds, answer.seconds);
}

std::string to_text(const HitRates& rates) {
    std::array<char, 160> optimal{};
    std::snprintf(optimal.data(), optimal.size(), "optimal: %d proven in %.3f s together, %.3f s the longest\n  ",
                  rates.proven, rates.proof_seconds, rates.longest_proof_seconds);
    return optimal.data() + text_of("salsa", rates.salsa) + "\n  " +
           text_of("salsa with ZigZag's factor 0.995", rates.salsa_0995) + "\n  " +
           text_of("anneal with 1000 iterations", rates.anneal_1000) + "\n  " + text_of("anneal", rates.anneal);
}

Differences check_search(const SearchCase& the_case, const SearchEffort& effort, HitRates& rates) {
    Differences differences;
    try {
        orders::Settings settings;
        settings.threads = effort.threads;
        settings.most_orders = effort.most_orders;
        check_factors(the_case, differences);
        check_enumeration(the_case, "exhaustive", "exhaustive", settings, differences);
        for (const int limit : {6, 7}) {
            settings.lpf_limit = limit;
            check_enumeration(the_case, "loma", "loma" + std::to_string(limit), settings, differences);
        }
        check_optimal(the_case, settings, rates, differences);
        check_annealing(the_case, effort, rates, differences);
    } catch (const std::exception& error) {
        differences.problem("error", error.what());
    }
    return differences;
}

}  // namespace tilewright::golden
