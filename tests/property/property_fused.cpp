// The search of fused mappings against the enumeration of all of them, on tiny cascades.
//
//     property_fused --problems 5000 --seed 7 [--first 2500] [--einsums 4] [--operations 20000] [--attempts 200]
//     [--points 48] [--widths] [--sums] [--front]
//
// A third of the problems each have two, three and four einsums. Random cascades of another length, or with more trees
// than --operations or more than --nests nests of leaves, are drawn again, up to --attempts times. Energy, latency and
// their product: no bound of the search is above the least of the enumeration, no answer below it, and what is called
// proven is that least. Where there are no more than --walked trees, all of them are walked as well. The search has the
// cascade in one form, the enumeration reads what was written as the checker of certificates does. --front: fronts of
// energy and cycles instead (fused_front.hpp).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/numbers/random.hpp"
#include "certificate/common/accesses.hpp"
#include "fused_enumeration.hpp"
#include "fused_front.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/optimize.hpp"
#include "harness.hpp"
#include "leaf_nests.hpp"
#include "mapping/fused/text.hpp"
#include "random_chain.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

struct Tally {
    std::uint64_t drawn = 0;     ///< of the length that was asked for
    std::uint64_t compared = 0;  ///< few enough to be enumerated
    std::uint64_t three = 0;     ///< einsums
    std::uint64_t four = 0;
    std::uint64_t mapped = 0;  ///< some mapping fits
    std::uint64_t gained = 0;  ///< fusion pays
    std::uint64_t images = 0;
    std::uint64_t branches = 0;
    std::uint64_t steps_over = 0;
    std::uint64_t turned = 0;
    std::uint64_t several_writers = 0;
    std::uint64_t sliced = 0;    ///< the best goes through slices
    std::uint64_t lines = 0;     ///< the best keeps lines
    std::uint64_t resident = 0;  ///< the best keeps weights
    std::uint64_t recomputed = 0;
    std::uint64_t cut = 0;     ///< groups were not to be long
    std::uint64_t tight = 0;   ///< some mapping is too large for the buffer
    std::uint64_t ample = 0;   ///< none is
    std::uint64_t walked = 0;  ///< every tree was walked, too
    std::uint64_t trees = 0;
    std::uint64_t walks = 0;
    std::uint64_t mappings = 0;
    std::uint64_t nests = 0;
    std::uint64_t proven = 0;  ///< answers, three of a problem
    std::uint64_t best = 0;    ///< the best of all was found
    FrontTally front;
};

struct Size {
    int einsums = 4;              ///< of a cascade, at most
    int attempts = 200;           ///< cascades that are drawn for one problem
    int walked = 0;               ///< trees of a problem of which each is walked, too
    std::int64_t nests = 20'000;  ///< of all leaves of a problem
    std::int64_t points = 0;      ///< of an einsum, at most; 0: any. Others are drawn again without enumerating them
    bool widths = false;          ///< tensors have widths of their own
    bool sums = false;            ///< and results wider ones until they are done
    bool front = false;           ///< fronts instead of the best
};

double least(const std::vector<FusedCost>& front, const Objective& objective) {
    double best = std::numeric_limits<double>::infinity();
    for (const FusedCost& cost : front) best = std::min(best, objective.score(cost.energy_pj, cost.cycles).value);
    return best;
}

constexpr double kClose = 1e-8;

bool are_equal(double a, double b) { return std::abs(a - b) <= kClose * std::max(std::abs(a), std::abs(b)); }

double value_of(const std::optional<fusion::Mapped>& mapped, const Objective& objective) {
    return mapped ? objective.score(mapped->evaluation.energy_pj, mapped->evaluation.cycles).value
                  : std::numeric_limits<double>::infinity();
}

std::string differences(const fusion::Answer& answer, const Enumeration& all, const Objective& objective,
                        Tally& tally) {
    const double best = least(all.front, objective);
    const double found = value_of(answer.fused, objective);
    std::string differ;
    const auto add = [&](const std::string& what, double value, double other) {
        differ += std::string(objective_name(objective.kind)) + ": " + what + ": " + std::to_string(value) + ", " +
                  std::to_string(other) + "\n";
    };
    if (found < best * (1.0 - kClose)) add("found what is not in the enumeration", found, best);
    if (value_of(answer.unfused, objective) < least(all.unfused, objective) * (1.0 - kClose))
        add("unfused, not in the enumeration", value_of(answer.unfused, objective), least(all.unfused, objective));
    if (answer.fused && answer.bound > best * (1.0 + kClose)) add("a bound above the best", answer.bound, best);
    if (answer.proven && !are_equal(found, best)) add("proven and not the best", found, best);
    tally.proven += answer.proven;
    tally.best += answer.fused && are_equal(found, best);
    return differ;
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
    std::uint64_t nests = 0;
    PartialBits partial = {};
};

// Nothing in the enumeration where there are too many nests.
void enumerate(Enumerated& one, const EnumerationLimits& limits, std::int64_t most_nests) {
    std::string wrong;
    const Cascade read = certificate::as_read(one.problem.written);
    const std::vector<Constraints> demands = fusion::demands_of(read, one.problem.architecture, {}, wrong);
    LeafNests leaves(read, one.problem.architecture, demands, static_cast<std::uint64_t>(most_nests), one.partial);
    one.all = enumerate_fused(
        read, one.problem.architecture, limits,
        [&](int e, const fusion::LeafQuestion& question, bool finished) { return leaves.list(e, question, finished); },
        one.partial);
    one.nests = leaves.nests();
    one.all.complete = one.all.complete && !leaves.is_too_much();
}

EnumerationLimits limits_of(const Cases& cases, const ChainProblem& problem) {
    return {.longest_group = problem.longest_group, .trees = static_cast<std::uint64_t>(cases.operations)};
}

// Of einsums with one result.
PartialBits draw_sums(const Cascade& cascade, std::uint64_t seed) {
    Random random(seed);
    PartialBits partial(cascade.tensors.size(), 0);
    for (const CascadeEinsum& one : cascade.einsums) {
        if (std::ranges::count_if(one.einsum.tensors, &Tensor::written) != 1) continue;
        const auto result = std::ranges::find_if(one.einsum.tensors, &Tensor::written) - one.einsum.tensors.begin();
        const std::int64_t bits = one.einsum.tensors[result].bits > 0 ? one.einsum.tensors[result].bits : 16;
        const std::int64_t more = random.chance(0.5) ? 4 : 16;
        partial[one.accesses[result].tensor] = random.chance(0.8) ? bits + more : 0;
    }
    for (std::size_t t = 0; t < partial.size(); ++t)
        if (cascade.tensors[t].writers.size() != 1) partial[t] = 0;
    return partial;
}

// Half of the buffers are so small that much does not fit.
ChainProblem draw(std::uint64_t seed, int einsums, const Size& size) {
    ChainProblem problem = random_chain(seed, einsums);
    if (size.widths || size.sums) give_widths(problem, seed ^ 0xb175);
    Random random(seed ^ 0xb0ffe4);
    if (random.chance(0.5)) problem.architecture.memories[1].capacity_words = random.between(4, 40);
    if (size.front && random.chance(0.8)) make_contrary(problem.architecture, random);
    return problem;
}

bool has_more_points(const Cascade& cascade, std::int64_t points) {
    return std::ranges::any_of(cascade.einsums,
                               [&](const CascadeEinsum& one) { return operation_count(one.einsum) > points; });
}

// The first of the attempts that is as long as asked for and small enough to be enumerated; nothing: none is.
std::optional<Enumerated> small_enough(const Cases& cases, const Size& size, std::uint64_t number, Tally& tally) {
    const std::uint64_t seed = Random::split(cases.seed, number);
    const int einsums = 2 + static_cast<int>(number % static_cast<std::uint64_t>(size.einsums - 1));
    for (int attempt = 0; attempt < size.attempts; ++attempt) {
        Enumerated one{draw(Random::split(seed, attempt), einsums, size), {}};
        const Cascade& cascade = one.problem.cascade;
        if (cascade.einsum_count() != einsums || (size.points > 0 && has_more_points(cascade, size.points))) continue;
        if (!problem_with(cascade).empty()) return one;
        ++tally.drawn;
        if (size.sums) one.partial = draw_sums(one.problem.cascade, Random::split(seed, attempt) ^ 0x5a5a);
        enumerate(one, limits_of(cases, one.problem), size.nests);
        if (one.all.complete) return one;
    }
    return std::nullopt;
}

bool are_equal(const std::vector<FusedCost>& a, const std::vector<FusedCost>& b) {
    return std::ranges::equal(a, b, [](const FusedCost& one, const FusedCost& two) {
        return are_equal(one.energy_pj, two.energy_pj) && are_equal(one.cycles, two.cycles);
    });
}

// Where some of the trees were walked: what all of them say.
std::string differences_of_walks(const Cases& cases, const Size& size, const Enumerated& drawn, Tally& tally) {
    EnumerationLimits limits = limits_of(cases, drawn.problem);
    limits.walk_every_tree = true;
    Enumerated again{drawn.problem, {}, 0, drawn.partial};
    enumerate(again, limits, size.nests);
    const Enumeration& all = drawn.all;
    const Enumeration& every = again.all;
    ++tally.walked;
    const bool same = every.mappings == all.mappings && every.too_large == all.too_large &&
                      are_equal(every.front, all.front) && are_equal(every.unfused, all.unfused);
    return same ? "" : "walks of all trees say something else than those of some\n";
}

int check(const Cases& cases, const Size& size, std::uint64_t number, Tally& tally) {
    const std::optional<Enumerated> drawn = small_enough(cases, size, number, tally);
    if (!drawn) return 0;
    const auto& [problem, all, nests, partial] = *drawn;
    if (const std::string wrong = problem_with(problem.cascade); !wrong.empty()) {
        std::printf("problem %llu is malformed: %s\n", static_cast<unsigned long long>(number), wrong.c_str());
        return 1;
    }
    ++tally.compared;
    tally.three += problem.cascade.einsum_count() == 3;
    tally.four += problem.cascade.einsum_count() == 4;
    tally.trees += all.trees;
    tally.walks += all.walks;
    tally.mappings += all.mappings;
    tally.nests += nests;
    (all.too_large > 0 ? tally.tight : tally.ample) += 1;
    tally.mapped += !all.front.empty();
    tally.images += problem.image;
    tally.branches += problem.branches;
    tally.steps_over += problem.steps_over;
    tally.turned += problem.turned;
    tally.several_writers += problem.several_writers;
    tally.cut += problem.longest_group < 1000;
    std::string differ;
    if (all.trees <= static_cast<std::uint64_t>(size.walked))
        differ += differences_of_walks(cases, size, *drawn, tally);
    bool gained = false;
    const std::vector<ObjectiveKind> three{ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp};
    for (const ObjectiveKind kind : size.front ? std::vector{ObjectiveKind::pareto} : three) {
        const Objective objective{.kind = kind};
        const std::string name(objective_name(kind));
        fusion::Answer answer;
        try {
            answer = fusion::optimize(problem.cascade, problem.architecture, objective, nullptr, problem.longest_group,
                                      partial);
        } catch (const std::logic_error& error) {  // one of the search's own tests
            differ += name + ": " + error.what() + "\n";
            break;
        }
        differ += differences(answer, all, objective, tally);
        if (size.front && !all.front.empty())
            differ +=
                differences_of_front(answer, all.front, problem.cascade, problem.architecture, partial, tally.front);
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
        "%llu drawn, %llu compared, of three einsums %llu, of four %llu; %llu mapped, %llu gain by fusion, %llu "
        "images, "
        "%llu with branches, %llu with windows that step over words, %llu with terms in another order, %llu with "
        "several writers, %llu with short groups, %llu in too small a buffer, %llu in an ample one; best mappings "
        "of "
        "three objectives: slices %llu, lines %llu, resident words %llu, recomputed %llu; %llu mappings enumerated of "
        "%llu trees by %llu walks, every tree of %llu problems; %llu nests; of three objectives %llu proven, %llu "
        "times "
        "the best was found\n",
        shown(tally.drawn), shown(tally.compared), shown(tally.three), shown(tally.four), shown(tally.mapped),
        shown(tally.gained), shown(tally.images), shown(tally.branches), shown(tally.steps_over), shown(tally.turned),
        shown(tally.several_writers), shown(tally.cut), shown(tally.tight), shown(tally.ample), shown(tally.sliced),
        shown(tally.lines), shown(tally.resident), shown(tally.recomputed), shown(tally.mappings), shown(tally.trees),
        shown(tally.walks), shown(tally.walked), shown(tally.nests), shown(tally.proven), shown(tally.best));
    if (tally.front.fronts > 0) std::printf("%s\n", to_text(tally.front).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    Size size;
    Harness harness("property_fused", "The search of fused mappings against enumeration",
                    {.count = 300, .operations = 20000});
    harness.line.option("--einsums", &size.einsums);
    harness.line.option("--attempts", &size.attempts);
    harness.line.option("--walked", &size.walked);
    harness.line.option("--nests", &size.nests);
    harness.line.option("--points", &size.points);
    harness.line.option("--front", &size.front, "fronts of energy and cycles instead of the best");
    harness.line.option("--widths", &size.widths, "tensors have widths of their own");
    harness.line.option("--sums", &size.sums, "and results wider ones until they are done");
    harness.least("compared", "problems that were compared", &tally.compared);
    harness.least("proven", "answers that are proven", &tally.proven);
    harness.least("best", "answers that are the best of all", &tally.best);
    harness.least("three", "problems of three einsums", &tally.three);
    harness.least("four", "problems of four einsums", &tally.four);
    harness.least("walked", "problems whose trees were all walked", &tally.walked);
    harness.least("tight", "problems with mappings too large for the buffer", &tally.tight);
    harness.least("ample", "problems whose mappings all fit", &tally.ample);
    harness.least("cut", "problems with groups cut short", &tally.cut);
    harness.least("mapped", "problems that have a mapping", &tally.mapped);
    harness.least("gained", "problems in which fusion pays", &tally.gained);
    harness.least("images", "problems with images", &tally.images);
    harness.least("branches", "problems with several readers of a tensor", &tally.branches);
    harness.least("steps-over", "problems with windows that step over words", &tally.steps_over);
    harness.least("turned", "problems with terms in another order", &tally.turned);
    harness.least("several-writers", "problems with tensors of several writers", &tally.several_writers);
    harness.least("sliced", "best mappings with slices", &tally.sliced);
    harness.least("lines", "best mappings that keep lines", &tally.lines);
    harness.least("resident", "best mappings that keep weights", &tally.resident);
    harness.least("recomputed", "best mappings that make words again", &tally.recomputed);
    declare_front(harness, tally.front);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), size, number, tally); },
                       [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused: %s\n", error.what());
    return 2;
}
