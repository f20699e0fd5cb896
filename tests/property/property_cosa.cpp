// CoSA's schedules on many small random problems, against every mapping there is:
//
//     property_cosa --problems 10000 --seed 7 [--first 2500] [--operations 200] [--points 100000]
//
// A schedule has to be legal and in the mapspace; both formulations have to agree; and where some mapping that keeps
// the tensors CoSA keeps is legal, there has to be a schedule. Problems of more mappings than --points are skipped. The
// first problem that fails is printed; the exit status is then 1.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapper/cosa/cosa.hpp"
#include "random_problem.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::int64_t points = 100'000;
};

struct Tally {
    std::uint64_t scheduled = 0;
    std::uint64_t without_schedule = 0;
    std::uint64_t too_large = 0;
};

// Whether a legal mapping keeps what CoSA keeps; nothing when there are too many to try.
std::optional<bool> has_mapping(const Problem& problem, const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                std::int64_t most) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : problem.einsum.dimensions) extents.push_back(dimension.extent);
    const cosa::Layout layout(problem.einsum, problem.architecture, mapspace, extents, cosa::Units::left_out);
    bool found = false;
    std::int64_t seen = 0;
    mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > most) return false;
        bool keeps = true;
        for (int m = 0; m < point.level_count(); ++m) keeps = keeps && point[m].keep == layout.keep(m);
        found = keeps && !evaluator.violation(point);
        return !found;
    });
    if (!found && seen > most) return std::nullopt;
    return found;
}

// What is wrong with the schedules of a problem, or "".
std::string problem_with_schedules(const Problem& problem, const Options& options, Tally& tally) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints);
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    if (!mapspace.problem().empty()) return "";
    const std::optional<bool> truth = has_mapping(problem, mapspace, evaluator, options.points);
    if (!truth) {
        ++tally.too_large;
        return "";
    }
    double objective = NAN;
    for (const auto formulation : {cosa::Formulation::counts, cosa::Formulation::as_published}) {
        cosa::ProgramOptions settings;
        settings.formulation = formulation;
        const SearchResult found = CosaMapper(settings).search(mapspace, evaluator, problem.objective, {}, {});
        const std::string name(cosa::formulation_name(formulation));
        if (found.best.has_value() != *truth)
            return name + ": " + found.remark + (*truth ? "; but there is a mapping" : "");
        if (!found.best) continue;
        if (!mapspace.contains(found.best->point)) return name + ": the schedule is not in the mapspace";
        const cosa::Schedule schedule = cosa::schedule(problem.einsum, problem.architecture, mapspace, settings);
        if (!std::isnan(objective) && std::abs(schedule.objective - objective) > 1e-5)
            return "the formulations come to " + std::to_string(objective) + " and " +
                   std::to_string(schedule.objective);
        objective = schedule.objective;
    }
    ++(*truth ? tally.scheduled : tally.without_schedule);
    return "";
}

int check(const property::Harness& harness, const Options& options, std::uint64_t number, Tally& tally) {
    const Problem problem = property::random_problem(harness.seed_of(number), harness.cases().operations);
    const std::string wrong = problem_with_schedules(problem, options, tally);
    if (wrong.empty()) return 0;
    std::printf("problem %llu\n%s%s\n", static_cast<unsigned long long>(number), to_text(problem).c_str(),
                wrong.c_str());
    return 1;
}

void print(const Tally& tally) {
    std::printf("%llu problems have good schedules, %llu have none, %llu are too large\n",
                static_cast<unsigned long long>(tally.scheduled),
                static_cast<unsigned long long>(tally.without_schedule),
                static_cast<unsigned long long>(tally.too_large));
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Tally tally;
    property::Harness harness("property_cosa", "Checks CoSA's schedules of small problems", {});
    harness.line.option("--points", &options.points, "most mappings of a problem");
    harness.least("scheduled", "problems with good schedules", &tally.scheduled);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness, options, number, tally); },
                       [&] { print(tally); });
}
