// The search of fused mappings against the enumeration of all of them, on tiny cascades.
//
//     property_fused --problems 5000 --seed 7 [--first 2500] [--einsums 4] [--attempts 20]
//
// Most random cascades have more mappings than --operations; with --attempts others are drawn in place of these.
// Energy, latency and their product: what the search calls proven is the least of the enumeration, for fused mappings
// and for those of single einsums. The search itself holds every answer to the exact model.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include "base/numbers/random.hpp"
#include "fused_enumeration.hpp"
#include "fusion/optimize.hpp"
#include "harness.hpp"
#include "mapping/fused/text.hpp"
#include "random_chain.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

struct Tally {
    std::uint64_t problems = 0;
    std::uint64_t compared = 0;  ///< few enough to be enumerated
    std::uint64_t mapped = 0;    ///< some mapping fits
    std::uint64_t gained = 0;    ///< fusion pays
    std::uint64_t images = 0;
    std::uint64_t branches = 0;
    std::uint64_t sliced = 0;    ///< the best goes through slices
    std::uint64_t lines = 0;     ///< the best keeps lines
    std::uint64_t resident = 0;  ///< the best keeps weights
    std::uint64_t recomputed = 0;
    std::uint64_t cut = 0;  ///< groups were not to be long
    std::uint64_t mappings = 0;
};

struct Size {
    int einsums = 4;   ///< of a cascade, at most
    int attempts = 1;  ///< cascades that are drawn for one problem
};

double least(const std::vector<FusedCost>& front, const Objective& objective) {
    double best = std::numeric_limits<double>::infinity();
    for (const FusedCost& cost : front) best = std::min(best, objective.score(cost.energy_pj, cost.cycles).value);
    return best;
}

bool are_equal(double a, double b) { return std::abs(a - b) <= 1e-8 * std::max(std::abs(a), std::abs(b)); }

std::string differences(const std::string& what, const std::optional<fusion::Mapped>& ours, double theirs,
                        const Objective& objective) {
    const double value = ours ? objective.score(ours->evaluation.energy_pj, ours->evaluation.cycles).value
                              : std::numeric_limits<double>::infinity();
    if (std::isinf(value) && std::isinf(theirs)) return "";
    if (!std::isinf(value) && !std::isinf(theirs) && are_equal(value, theirs)) return "";
    return what + ": search " + std::to_string(value) + ", enumeration " + std::to_string(theirs) + "\n";
}

void look(const fusion::Mapped& best, Tally& tally) {
    bool sliced = false, lines = false, resident = false;
    for (const fusion::GroupPlan& group : best.plan.groups) {
        for (const fusion::SegmentPlan& segment : group.segments) sliced = sliced || segment.slices > 1;
        for (const fusion::KeptTensor& kept : group.kept) lines = lines || kept.keeping == fusion::Keeping::lines;
        for (const fusion::MemberPlan& member : group.members)
            for (const fusion::Way way : member.ways)
                resident = resident || way == fusion::Way::resident || way == fusion::Way::between;
    }
    tally.sliced += sliced;
    tally.lines += lines;
    tally.resident += resident;
    tally.recomputed += best.evaluation.recomputed_operations > 0;
}

void print_problem(const ChainProblem& problem, std::uint64_t number) {
    std::printf("--- problem %llu, longest group %d, buffer %lld\n", static_cast<unsigned long long>(number),
                problem.longest_group, static_cast<long long>(*problem.architecture.memories[1].capacity_words));
    for (const CascadeEinsum& einsum : problem.cascade.einsums) {
        std::printf("%s: %s", einsum.name.c_str(), to_text(einsum.einsum).c_str());
        for (const Dimension& dimension : einsum.einsum.dimensions)
            std::printf(" %s=%lld", dimension.name.c_str(), static_cast<long long>(dimension.extent));
        std::printf("\n");
    }
}

struct Enumerated {
    ChainProblem problem;
    Enumeration all;
};

// Whether an image is one for the search, too: not where its windows all go over whole axes.
bool is_known_alike(const ChainProblem& problem) {
    return !problem.image ||
           fusion::CascadeView(problem.cascade).loops(problem.cascade.einsum_count() - 1).front().may_be_whole;
}

// The first of the attempts that is small enough to be enumerated; nothing: none is.
std::optional<Enumerated> small_enough(const Cases& cases, const Size& size, std::uint64_t number, Tally& tally) {
    const std::uint64_t seed = Random::split(cases.seed, number);
    for (int attempt = 0; attempt < size.attempts; ++attempt) {
        Enumerated one{random_chain(attempt == 0 ? seed : Random::split(seed, attempt), size.einsums), {}};
        const Cascade& cascade = one.problem.cascade;
        if (!problem_with(cascade).empty()) return one;
        if (!is_known_alike(one.problem)) continue;
        ++tally.problems;
        one.all = enumerate_fused(cascade, one.problem.architecture, one.problem.longest_group,
                                  static_cast<std::uint64_t>(cases.operations));
        if (one.all.complete) return one;
    }
    return std::nullopt;
}

int check(const Cases& cases, const Size& size, std::uint64_t number, Tally& tally) {
    const std::optional<Enumerated> drawn = small_enough(cases, size, number, tally);
    if (!drawn) return 0;
    const auto& [problem, all] = *drawn;
    if (const std::string wrong = problem_with(problem.cascade); !wrong.empty()) {
        std::printf("problem %llu is malformed: %s\n", static_cast<unsigned long long>(number), wrong.c_str());
        return 1;
    }
    ++tally.compared;
    tally.mappings += all.mappings;
    tally.mapped += !all.front.empty();
    tally.images += problem.image;
    tally.branches += problem.branches;
    tally.cut += problem.longest_group < 1000;
    std::string differ;
    bool gained = false;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const Objective objective{.kind = kind};
        const fusion::Answer answer =
            fusion::optimize(problem.cascade, problem.architecture, objective, nullptr, problem.longest_group);
        const std::string name(objective_name(kind));
        differ += differences(name, answer.fused, least(all.front, objective), objective);
        differ += differences(name + " unfused", answer.unfused, least(all.unfused, objective), objective);
        if (answer.fused && !answer.proven) differ += name + " is not proven\n";
        gained = gained || (answer.fused && least(all.front, objective) < 0.999999 * least(all.unfused, objective));
        if (!differ.empty() && answer.fused)
            differ += to_text(answer.fused->mapping, problem.cascade, problem.architecture);
        if (!differ.empty()) break;
        if (answer.fused) look(*answer.fused, tally);
    }
    tally.gained += gained;
    if (differ.empty()) return 0;
    print_problem(problem, number);
    std::printf("%s", differ.c_str());
    return 1;
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu problems, %llu compared, %llu mapped, %llu gain by fusion, %llu images, %llu with branches, %llu with "
        "short groups; "
        "best mappings: slices %llu, lines %llu, resident words %llu, recomputed %llu; %llu mappings enumerated\n",
        shown(tally.problems), shown(tally.compared), shown(tally.mapped), shown(tally.gained), shown(tally.images),
        shown(tally.branches), shown(tally.cut), shown(tally.sliced), shown(tally.lines), shown(tally.resident),
        shown(tally.recomputed), shown(tally.mappings));
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    Size size;
    Harness harness("property_fused", "The search of fused mappings against enumeration",
                    {.count = 300, .operations = 3000});
    harness.line.option("--einsums", &size.einsums);
    harness.line.option("--attempts", &size.attempts);
    harness.least("compared", "problems that were compared", &tally.compared);
    harness.least("mapped", "problems that have a mapping", &tally.mapped);
    harness.least("gained", "problems in which fusion pays", &tally.gained);
    harness.least("images", "problems with images", &tally.images);
    harness.least("branches", "problems with several readers of a tensor", &tally.branches);
    harness.least("sliced", "best mappings with slices", &tally.sliced);
    harness.least("lines", "best mappings that keep lines", &tally.lines);
    harness.least("resident", "best mappings that keep weights", &tally.resident);
    harness.least("recomputed", "best mappings that make words again", &tally.recomputed);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), size, number, tally); },
                       [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused: %s\n", error.what());
    return 2;
}
