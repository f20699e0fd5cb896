#include "readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

#include "base/numbers/count.hpp"
#include "layers.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/orders/optimal.hpp"
#include "zigzag/orders/scorer.hpp"
#include "zigzag/orders/searches.hpp"

namespace tilewright::salsa_study {
namespace {

constexpr double kEqual = 1e-9;
constexpr double kPicojoulesInMillijoule = 1e9;

struct Reading {
    std::string name;
    std::string brief = {};  ///< in the summary; empty: not there
    std::string spatial = "resnet34-mapping";
    zigzag::Evenness evenness = zigzag::Evenness::uneven;
    int limit = 0;            ///< of the loops that are ordered, as LOMA's; 0: none
    int reference_limit = 0;  ///< the best of LOMA with that limit is what runs have to reach; 0: the best of all
    std::int64_t iterations = 1000;
    Cooling cooling = {};
    bool temperature_in_mj = false;  ///< exp((V - V') / T) with V in mJ
    double tolerance = kEqual;       ///< above the reference that counts as reaching it
    int runs_divisor = 1;            ///< of long runs there are fewer
    bool chip_memories = false;      ///< sizes of the Eyeriss chip
    bool best_of_runs = false;       ///< what counts is the best of a layer's runs
};

Reading with(std::string name, const std::function<void(Reading&)>& change) {
    Reading reading;
    reading.name = std::move(name);
    change(reading);
    return reading;
}

std::vector<Reading> readings() {
    std::vector<Reading> all{
        with("as published: all prime factors, the study's unrolling", [](Reading& r) { r.brief = "as published"; })};
    for (const int limit : {12, 10, 9, 8, 7, 6})
        all.push_back(with(fmt::format("at most {} loops, the best of their orders", limit), [&](Reading& r) {
            r.limit = limit;
            if (limit == 10 || limit <= 7) r.brief = fmt::format("at most {} loops", limit);
        }));
    for (const int limit : {10, 8, 7, 6})
        all.push_back(with(fmt::format("all prime factors, no worse than the best of LOMA {}", limit),
                           [&](Reading& r) { r.reference_limit = limit; }));
    const std::vector<std::pair<std::string, std::string>> unrollings{
        {"unrolled: OY on 14, K on 12", "unrolled-oy-k"},
        {"unrolled: C on 14, K on 12", "unrolled-c-k"},
        {"unrolled: OX on 14, OY on 12", "unrolled-ox-oy"},
        {"unrolled: what uses most of the array (ZigZag's choice)", "unrolled-most"}};
    for (const auto& [name, file] : unrollings)
        all.push_back(with(name, [&file = file](Reading& r) { r.spatial = file; }));
    for (const auto& [name, file] : unrollings) {
        if (file != "unrolled-c-k" && file != "unrolled-most") continue;
        for (const int limit : {8, 7})
            all.push_back(with(fmt::format("{}, at most {} loops", name, limit), [&, &file = file](Reading& r) {
                r.spatial = file, r.limit = limit;
                if (file == "unrolled-c-k" && limit == 7) r.brief = "C on 14, K on 12, at most 7 loops";
            }));
    }
    for (const int limit : {8, 7})
        all.push_back(with(fmt::format("unrolled: C on 14, K on 12, even, at most {} loops", limit), [&](Reading& r) {
            r.spatial = "unrolled-c-k", r.evenness = zigzag::Evenness::even, r.limit = limit;
        }));
    all.push_back(with("unrolled: C on 14, K on 12, memories of the Eyeriss chip, at most 7 loops",
                       [](Reading& r) { r.spatial = "unrolled-c-k", r.chip_memories = true, r.limit = 7; }));
    all.push_back(with("at most 10 loops, 10,000 iterations",
                       [](Reading& r) { r.limit = 10, r.iterations = 10'000, r.runs_divisor = 5; }));
    all.push_back(with("even mappings", [](Reading& r) { r.brief = "even", r.evenness = zigzag::Evenness::even; }));
    all.push_back(with("memories of the Eyeriss chip", [](Reading& r) { r.chip_memories = true; }));
    all.push_back(with("factor 0.995, as in ZigZag's code", [](Reading& r) { r.cooling.factor = 0.995; }));
    all.push_back(
        with("exp((V - V') / T), V in pJ: nothing worse accepted", [](Reading& r) { r.cooling.start = 1e-12; }));
    all.push_back(with("exp((V - V') / T), V in mJ", [](Reading& r) { r.temperature_in_mj = true; }));
    all.push_back(with("10,000 iterations", [](Reading& r) { r.iterations = 10'000, r.runs_divisor = 5; }));
    all.push_back(with("100,000 iterations", [](Reading& r) { r.iterations = 100'000, r.runs_divisor = 25; }));
    all.push_back(with("within 1 % of the best", [](Reading& r) { r.tolerance = 0.01; }));
    all.push_back(with("within 5 % of the best", [](Reading& r) { r.tolerance = 0.05; }));
    all.push_back(with("the best of a layer's runs", [](Reading& r) { r.best_of_runs = true; }));
    return all;
}

// The chip's sizes, in bits: 12 inputs, 224 weights and 24 sums in an element, 108 KiB above.
void take_chip_memories(zigzag::Accelerator& machine) {
    for (zigzag::SharedMemory& memory : machine.memories) {
        if (memory.name == "spad_I") memory.size_bits = 12 * 8;
        if (memory.name == "spad_W") memory.size_bits = 224 * 8;
        if (memory.name == "spad_O") memory.size_bits = 24 * 16;
        if (memory.name == "glb") memory.size_bits = 108 * 1024 * 8;
    }
}

struct Hits {
    double share = 0.0;  ///< of the runs
    double above = 0.0;  ///< mean
    std::size_t loops = 0;
};

class Runner {
   public:
    Runner(const Layer& layer, const Reading& reading)
        : reading_(reading),
          problem_(layer.problem),
          all_(zigzag::loop_factors(problem_.layer, problem_.fractional)),
          evaluator_(evaluator_of(reading.limit)),
          scorer_(evaluator_, Objective{ObjectiveKind::energy}) {}

    Hits run(int runs) const {
        const double least =
            best(evaluator_of(reading_.reference_limit > 0 ? reading_.reference_limit : reading_.limit));
        Cooling cooling = reading_.cooling;
        if (reading_.temperature_in_mj) cooling.start *= kPicojoulesInMillijoule / least;
        std::vector<double> above;
        for (int seed = 1; seed <= runs; ++seed)
            above.push_back(energy(cooling, static_cast<std::uint64_t>(seed)) / least - 1.0);
        if (reading_.best_of_runs) above = {*std::min_element(above.begin(), above.end())};
        const auto reached = [&](double excess) { return excess <= reading_.tolerance; };
        Hits hits{0.0, 0.0, evaluator_.first_order().size()};
        const auto count = static_cast<double>(above.size());
        hits.share = static_cast<double>(std::count_if(above.begin(), above.end(), reached)) / count;
        for (const double excess : above) hits.above += excess / count;
        return hits;
    }

   private:
    zigzag::OrderEvaluator evaluator_of(int limit) const {
        return {problem_.accelerator,
                problem_.layer,
                problem_.fractional,
                problem_.whole,
                limit > 0 ? zigzag::limited(all_, limit) : all_,
                reading_.evenness};
    }

    static double best(const zigzag::OrderEvaluator& evaluator) {
        const orders::Scorer scorer(evaluator, Objective{ObjectiveKind::energy});
        const std::optional<orders::Found> found = orders::search_best_energy(scorer, {});
        if (!found || !found->complete) throw std::runtime_error("a reference is not proven");
        return found->score.value;
    }

    // SALSA takes all orders where they are fewer than its iterations.
    double energy(const Cooling& cooling, std::uint64_t seed) const {
        if (count_orders(evaluator_.first_order()) <= static_cast<Count>(reading_.iterations)) return best(evaluator_);
        return orders::anneal_as_salsa(scorer_, cooling, reading_.iterations, Random::split(seed, 0), {}).score.value;
    }

    const Reading& reading_;
    orders::OrderProblem problem_;
    std::vector<zigzag::TemporalLoop> all_;
    zigzag::OrderEvaluator evaluator_;
    orders::Scorer scorer_;
};

struct Result {
    double share = 0.0;  ///< mean of the layers
    double above = 0.0;
    int sure = 0;  ///< layers whose runs all reach it
    std::size_t layers = 0, loops = 0;
};

Result result_of(const std::filesystem::path& folder, const Reading& reading, int runs) {
    Result result;
    for (Layer& layer : layers_of(folder, "resnet34", reading.spatial)) {
        if (reading.chip_memories) take_chip_memories(layer.problem.accelerator);
        const Hits hits = Runner(layer, reading).run(runs);
        result.share += hits.share;
        result.above += hits.above;
        result.sure += hits.share == 1.0 ? 1 : 0;
        result.loops = std::max(result.loops, hits.loops);
        ++result.layers;
    }
    result.share /= static_cast<double>(result.layers);
    result.above /= static_cast<double>(result.layers);
    return result;
}

void print_summary(const std::filesystem::path& folder, int runs) {
    fmt::print("SALSA text: 99.9 %:");
    for (const Reading& reading : readings())
        if (!reading.brief.empty())
            fmt::print(" {} {:.1f} %;", reading.brief, 100.0 * result_of(folder, reading, runs).share);
    fmt::print("\n");
}

}  // namespace

void print_readings(const std::filesystem::path& folder, int runs, bool summary) {
    if (summary) return print_summary(folder, runs);
    fmt::print(
        "\n| what the paper's sentence might mean, ResNet-34 | runs a layer | loops at most | reach it | mean above | "
        "layers that always do |\n|---|---|---|---|---|---|\n");
    for (const Reading& reading : readings()) {
        const int count = std::max(1, runs / reading.runs_divisor);
        const Result result = result_of(folder, reading, count);
        fmt::print("| {} | {} | {} | {:.1f} % | {:+.3f} % | {} of {} |\n", reading.name, count, result.loops,
                   100.0 * result.share, 100.0 * result.above, result.sure, result.layers);
        std::fflush(stdout);
    }
}

}  // namespace tilewright::salsa_study
