// Floors of turns, which know pairs of stages and the room of what is kept, against the least energy of each way.
//
// The optimum of a way is that of branch and bound over prefixes of stages, each evaluated as a whole: it knows nothing
// of pairs or of what is kept.
#include <cstdio>

#include "harness.hpp"
#include "multicore/search/floored_leaves.hpp"
#include "multicore/search/slot_search.hpp"
#include "multicore/search/turn_pairs.hpp"
#include "random_package.hpp"

namespace tilewright::property {
namespace {

using multicore::kNever;

struct Seen {
    std::uint64_t compared = 0;
    std::uint64_t kept = 0;    // ways in which something is kept over stages
    std::uint64_t above = 0;   // floors above what the stages cost alone
    std::uint64_t tight = 0;   // floors that are the optimum
    std::uint64_t priced = 0;  // of ways in several steps, above with something kept or not
};

constexpr double kTolerance = 1e-9;

class Floors {
   public:
    Floors(const multicore::Problem& problem, Seen& seen)
        : problem_(problem),
          network_(problem.package()),
          leaves_(problem),
          floored_(leaves_),
          exact_(problem, network_, leaves_),
          floors_(problem, network_, floored_),
          evaluators_{exact_, floors_},
          shapes_(exact_),
          seen_(seen) {}

    /// Ways of the longest run, by steps and sizes of teams, whose floor is above the optimum.
    int wrong() {
        int wrong = 0;
        for (int first = 0; first + 1 < problem_.count(); ++first) {
            if (!problem_.may_be_run(first, problem_.count() - 1)) continue;
            for (const multicore::Step& step : multicore::steps_of(problem_, problem_.count() - 1)) {
                const multicore::Made made = multicore::made_by(problem_, first, problem_.count() - 1, step);
                if (made.refused >= 0) continue;
                for (int size = 1; size <= problem_.package().core_count(); ++size)
                    wrong += check({first, problem_.count() - 1, step, &made, false}, size) ? 0 : 1;
            }
            return wrong;
        }
        return wrong;
    }

   private:
    bool check(const multicore::RunFrame& frame, int size) {
        multicore::Way way{frame, size};
        for (int e = frame.first; e <= frame.last; ++e) way.shapes.push_back(shapes_.of(frame, e));
        for (const auto& shapes : way.shapes)
            if (!(shapes->least_of_size(size).energy_pj < kNever)) return true;
        const double optimum = optimum_of(way);
        if (!(optimum < kNever)) return true;
        const multicore::Weights energy{1.0, 0.0};
        multicore::EnergyRest rest(evaluators_, energy, way);
        rest.raise(kNever, nullptr);
        const multicore::TurnPairs loose(evaluators_, energy, way, rest, optimum * 4.0);
        const multicore::TurnPairs tight(evaluators_, energy, way, rest, optimum * (1.0 + kTolerance));
        const double alone = rest.from(0, 0);
        ++seen_.compared;
        seen_.kept += multicore::kept_spans(problem_, way).empty() ? 0 : 1;
        seen_.above += tight.least() > alone * (1.0 + kTolerance) ? 1 : 0;
        seen_.tight += tight.least() > optimum * (1.0 - kTolerance) ? 1 : 0;
        seen_.priced += frame.made->steps > 1 && loose.least() > alone * (1.0 + kTolerance) ? 1 : 0;
        if (loose.least() <= optimum * (1.0 + kTolerance) && tight.least() <= optimum * (1.0 + kTolerance)) return true;
        std::printf("step %d by %lld on %d cores: floors %.9g and %.9g, optimum %.9g\n", frame.step.axis,
                    static_cast<long long>(frame.step.size), size, loose.least(), tight.least(), optimum);
        return false;
    }

    double optimum_of(const multicore::Way& way) {
        const multicore::Weights weights{1.0, 1e-30};
        multicore::SlotSearch search(evaluators_, weights, way, nullptr);
        double best = kNever;
        std::int64_t looked_at = 0;
        search.go(
            std::int64_t{1} << 40, [&] { return best; },
            [&](const package::Run&, const multicore::Cost& cost) { best = std::min(best, cost.energy.total()); },
            looked_at);
        return best;
    }

    const multicore::Problem& problem_;
    package::Network network_;
    multicore::LaneLeaves leaves_;
    multicore::FlooredLeaves floored_;
    multicore::Evaluator exact_;
    multicore::Evaluator floors_;
    multicore::Evaluators evaluators_;
    multicore::KnownShapes shapes_;
    Seen& seen_;
};

int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    PackageProblem drawn = random_package_problem(random);
    for (package::CoreKind& kind : drawn.package.kinds) kind.leak_pj_per_cycle = 0.0;
    if (!multicore::problem_with(drawn.cascade, drawn.package).empty()) return 0;
    const multicore::Problem problem(drawn.cascade, drawn.package);
    if (Floors(problem, seen).wrong() == 0) return 0;
    std::printf("--- problem %llu of seed %llu\n%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), drawn.text.c_str());
    return 1;
}

}  // namespace
}  // namespace tilewright::property

int main(int argc, char** argv) {
    using namespace tilewright::property;
    Seen seen;
    Harness harness("property_turn_floors", "Floors of turns against the least energy of each way",
                    {.kind = "problems", .count = 60});
    harness.least("compared", "floors of ways that have a plan", &seen.compared);
    harness.least("kept", "of these with something kept over stages", &seen.kept);
    harness.least("above", "floors above what the stages cost alone", &seen.above);
    harness.least("tight", "floors that are the optimum", &seen.tight);
    harness.least("steps", "floors above, of ways in several steps", &seen.priced);
    if (const auto status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), number, seen); },
                       [&] {
                           std::printf(
                               "%llu floors compared; %llu with something kept, %llu above the stages alone, "
                               "%llu at the optimum, %llu above of several steps\n",
                               static_cast<unsigned long long>(seen.compared),
                               static_cast<unsigned long long>(seen.kept), static_cast<unsigned long long>(seen.above),
                               static_cast<unsigned long long>(seen.tight),
                               static_cast<unsigned long long>(seen.priced));
                       });
}
