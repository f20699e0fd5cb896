#include "zigzag_search.hpp"

#include <algorithm>

#include "account/zigzag/loop_factors.hpp"
#include "account/zigzag/zigzag.hpp"
#include "base/random.hpp"
#include "cases.hpp"
#include "frontend/zigzag/accelerator.hpp"
#include "frontend/zigzag/load.hpp"
#include "frontend/zigzag/workload.hpp"
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
    orders::Problem& problem = search.problem;
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

void check_annealing(const SearchCase& the_case, const SearchEffort& effort, orders::Settings settings,
                     Differences& differences) {
    settings.chains = effort.seeds;
    const orders::Answer answer = orders::find_search("anneal")->run(the_case.problem, settings);
    if (!answer.failure.empty()) return differences.problem("annealing", answer.failure);
    if (answer.cost.energy_pj > the_case.best_known_pj() * (1.0 + Differences::kTolerance))
        differences.close("best of " + std::to_string(effort.seeds) + " seeds", answer.cost.energy_pj,
                          the_case.best_known_pj());
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

Differences check_search(const SearchCase& the_case, const SearchEffort& effort) {
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
        check_annealing(the_case, effort, settings, differences);
    } catch (const std::exception& error) {
        differences.problem("error", error.what());
    }
    return differences;
}

}  // namespace tilewright::golden
