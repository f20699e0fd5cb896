// One problem written in several ways has one answer: what judges that start from one reading of it cannot see.
//
//     property_same --cases 2000 --seed 7 [--first 500] [--operations 40] [--kinds networks,layers]
//
// A case is a random layer, a layer with zeros or with words in blocks, a nest that is costed, a network that is fused,
// or a space of machines. It is answered as it stands and as rewritten in a few ways (same_layer.hpp, same_network.hpp,
// same_spaces.hpp). The best values are the same, as many times as large as the energies were made, or no worse; what
// is proven of one is not below what the other is; the checker confirms each answer, and what it confirms of one it
// confirms of the other. The first pair of which that does not hold is printed; the exit status is then 1.
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness.hpp"
#include "random_nest.hpp"
#include "random_problem.hpp"
#include "random_sparse.hpp"
#include "same_answers.hpp"
#include "same_network.hpp"
#include "same_spaces.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

struct Tally {
    std::uint64_t pairs = 0;
    std::uint64_t layers = 0;  ///< pairs by kind
    std::uint64_t nests = 0;
    std::uint64_t zeros = 0;
    std::uint64_t blocks = 0;
    std::uint64_t networks = 0;
    std::uint64_t machines = 0;
    std::uint64_t proven = 0;     ///< both answers
    std::uint64_t confirmed = 0;  ///< by the checker, of the other's answer
    std::uint64_t steps_over = 0;
    std::uint64_t several = 0;
    std::uint64_t grows = 0;
    std::uint64_t mixed_radix = 0;
};

constexpr int kRewritingsOfACase = 4;
constexpr int kMostTries = 30;

struct Case {
    const Harness& harness;
    std::uint64_t number;
    Random& random;
    Tally& tally;
};

int fail(const Case& one, const char* kind, std::string_view rewriting, const std::string& what) {
    std::printf("case %llu, %s, %s: %s\n", static_cast<unsigned long long>(one.number), kind,
                std::string(rewriting).c_str(), what.c_str());
    return 1;
}

void print(const LayerCase& layer, const LayerQuestion& question) {
    Problem problem{layer.einsum, layer.architecture, layer.constraints, question.objective};
    problem.constraints.levels.resize(layer.architecture.memories.size());
    std::printf("%s  %s factors%s\n", to_text(problem).c_str(), std::string(name_of(question.factors)).c_str(),
                question.uneven ? ", uneven mappings as well" : "");
    if (layer.mapping) std::printf("%s", to_text(Nest{layer.einsum, layer.architecture, *layer.mapping}).c_str());
}

/// Up to so many rewritings that apply, each told with its relation.
template <class Rewriting, class Subject>
int for_each_rewriting(const Case& one, int kinds, const Subject& subject,
                       const std::function<int(Rewriting, const Subject&, const Relation&)>& compare) {
    int left = kRewritingsOfACase;
    for (int tries = 0; tries < kMostTries && left > 0; ++tries) {
        const auto what = static_cast<Rewriting>(one.random.below(static_cast<std::uint64_t>(kinds)));
        Subject again = subject;
        const std::optional<Relation> relation = rewrite(what, one.random, again);
        if (!relation) continue;
        --left;
        if (const int failures = compare(what, again, *relation); failures > 0) return failures;
    }
    return 0;
}

// What the checker confirms of one problem it confirms of the other.
std::string judged(const Case& one, const LayerCase& again, const LayerQuestion& question, const Best& best,
                   const Best& other, const Relation& relation) {
    if (!best.proven || !other.proven || !best.score || !other.score) return "";
    ++one.tally.proven;
    Best claimed = relation.equal ? best : other;
    if (relation.equal) claimed.energy_pj *= relation.energies;
    const std::optional<bool> confirmed = is_confirmed(again, question, claimed);
    if (confirmed && !*confirmed) return "the checker does not confirm it";
    one.tally.confirmed += confirmed.value_or(false) ? 1 : 0;
    return "";
}

int check_layer(const Case& one, const char* kind, const LayerCase& layer, const LayerQuestion& question,
                std::uint64_t& count) {
    const Best best = best_of(layer, question);
    const auto compare = [&](LayerRewriting what, const LayerCase& again, const Relation& relation) {
        const Best other = best_of(again, question);
        ++one.tally.pairs;
        ++count;
        std::string wrong = difference(best, other, relation, question.objective);
        if (wrong.empty()) wrong = judged(one, again, question, best, other, relation);
        if (wrong.empty()) return 0;
        print(layer, question);
        std::printf("rewritten:\n");
        print(again, question);
        return fail(one, kind, name_of(what), wrong);
    };
    return for_each_rewriting<LayerRewriting, LayerCase>(one, kLayerRewritings, layer, compare);
}

// There are more mappings with remainders and uneven ones, and the more memories, the more of either.
int check_plain_layer(const Case& one) {
    const std::uint64_t way = one.random.below(10);
    LayerQuestion question;
    if (way < 2) question.factors = FactorRule::ruby_s;
    question.uneven = way == 2;
    const bool plain = way > 2;
    const std::int64_t operations = one.harness.cases().operations;
    Problem problem;
    do problem = random_problem(one.random.next(), plain ? operations : operations / 3);
    while (problem.architecture.memories.size() > (plain ? 4U : 3U));
    if (plain && one.random.chance(0.2)) make_free(one.random.next(), problem);
    question.objective = problem.objective;
    return check_layer(one, "a layer", {problem.einsum, problem.architecture, problem.constraints}, question,
                       one.tally.layers);
}

int check_nest(const Case& one) {
    const Nest nest = one.random.chance(0.3) ? random_uneven_nest(one.random.next(), one.harness.cases().operations)
                                             : random_nest(one.random.next(), one.harness.cases().operations);
    LayerCase layer{nest.einsum, nest.architecture};
    layer.mapping = nest.mapping;
    int failures = 0;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency})
        failures += failures == 0 ? check_layer(one, "a nest", layer, {{kind}}, one.tally.nests) : 0;
    return failures;
}

int check_blocks(const Case& one) {
    const Problem problem = random_problem(one.random.next(), one.harness.cases().operations);
    LayerCase layer{problem.einsum, problem.architecture, problem.constraints};
    for (Tensor& tensor : layer.einsum.tensors) {
        tensor.bits = one.random.between(2, 8);
        layer.blocks.push_back(one.random.chance(0.6) ? BlockFormat{one.random.between(2, 8), one.random.between(8, 48)}
                                                      : BlockFormat{});
    }
    return check_layer(one, "words in blocks", layer, {problem.objective}, one.tally.blocks);
}

void furnish(Random& random, LayerCase& layer) {
    for (std::size_t m = 0; m < layer.architecture.memories.size(); ++m) {
        Memory& memory = layer.architecture.memories[m];
        memory.instances = 1;
        memory.mesh = {};
        for (Sourced* energy : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj})
            energy->value = static_cast<double>(random.between(1, 20));
        if (m > 0 && random.chance(0.6)) memory.capacity_words = random.between(4, 40);
        if (random.chance(0.3)) memory.shared_words_per_cycle = static_cast<double>(random.between(1, 4));
        sparse::MemoryDesign& built = layer.design->memories[m];
        built.metadata = {static_cast<double>(random.between(0, 3)), 1.0, 1.0};
        built.gated = {static_cast<double>(random.between(0, 4)), 1.0, 1.0};
        built.skipped = {static_cast<double>(random.between(0, 2)), 0.0, 1.0};
    }
    const std::int64_t units = random.between(1, 2);
    layer.architecture.compute.instances = units;
    layer.architecture.compute.mesh = {units, 1};
    layer.architecture.compute.energy_pj.value = static_cast<double>(random.between(1, 5));
    layer.design->gated_compute_pj = 0.5;
    layer.design->skipped_compute_pj = 0.25;
}

int check_zeros(const Case& one) {
    const SparseCase drawn = random_sparse(one.random.next(), 16);
    LayerCase layer{drawn.einsum, drawn.architecture};
    layer.design = drawn.design;
    layer.constraints.levels.resize(layer.architecture.memories.size());
    layer.constraints.levels[0].must_keep = TensorSet::all(layer.einsum.tensor_count());
    furnish(one.random, layer);
    constexpr std::array<ObjectiveKind, 3> kKinds{ObjectiveKind::edp, ObjectiveKind::energy, ObjectiveKind::latency};
    return check_layer(one, "a layer with zeros", layer, {{kKinds[one.random.below(3)]}}, one.tally.zeros);
}

std::string compare(const Case& one, NetworkRewriting what, const FusedBest& best, const FusedBest& other,
                    const Relation& relation, const Objective& objective) {
    if (!other.fault.empty()) return other.fault;
    std::string wrong = difference(best.unfused, other.unfused, relation, objective);
    if (wrong.empty() && what != NetworkRewriting::statements)
        wrong = difference(best.fused, other.fused, relation, objective);
    if (!wrong.empty()) return wrong;
    if (!other.judged.empty()) return "the checker refuses it: " + other.judged;
    if (!best.claim || !other.claim) return "";
    ++one.tally.proven;
    if (!relation.equal || what == NetworkRewriting::statements) return "";
    wrong = judged_by_other(best, other, relation, objective);
    if (!wrong.empty()) return "the checker refuses it with the other's proof: " + wrong;
    ++one.tally.confirmed;
    return "";
}

int check_network(const Case& one) {
    const DrawnNetwork drawn = random_network(one.random.next());
    constexpr std::array<ObjectiveKind, 3> kKinds{ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp};
    const Objective objective{kKinds[one.random.below(3)]};
    const FusedBest best = best_of(drawn.text, objective);
    const std::string own = !best.fault.empty() ? best.fault : best.judged;
    if (!own.empty()) {
        std::printf("%s", to_text(drawn.text).c_str());
        return fail(one, "a network", "as it stands", own);
    }
    const auto pair = [&](NetworkRewriting what, const NetworkText& again, const Relation& relation) {
        const FusedBest other = best_of(again, objective);
        ++one.tally.pairs;
        ++one.tally.networks;
        one.tally.steps_over += drawn.traits.steps_over;
        one.tally.several += drawn.traits.several;
        one.tally.grows += drawn.traits.grows;
        one.tally.mixed_radix += drawn.traits.mixed_radix;
        const std::string wrong = compare(one, what, best, other, relation, objective);
        if (wrong.empty()) return 0;
        std::printf("%srewritten:\n%s", to_text(drawn.text).c_str(), to_text(again).c_str());
        return fail(one, "a network", name_of(what), std::string(objective_name(objective.kind)) + ": " + wrong);
    };
    return for_each_rewriting<NetworkRewriting, NetworkText>(one, kNetworkRewritings, drawn.text, pair);
}

int check_machines(const Case& one) {
    RandomSpace space(one.random.next(), 24);
    if (!space.is_sound() || space.space().size() > 64) return 0;
    try {
        const Best best = best_of(space, space.space(), space.roles());
        for (int left = kRewritingsOfACase; left > 0; --left) {
            const auto what = static_cast<SpaceRewriting>(one.random.below(kSpaceRewritings));
            SpaceInOtherWords again(space, what, one.random.next());
            const std::optional<Relation> relation = again.relation();
            if (!relation) continue;
            const Best other = best_of(again, again.space(), again.roles());
            ++one.tally.pairs;
            ++one.tally.machines;
            one.tally.proven += best.proven && other.proven ? 1 : 0;
            const std::string wrong = difference(best, other, *relation, space.options().objective);
            if (!wrong.empty()) return fail(one, "machines", name_of(what), wrong);
        }
    } catch (const InputError&) {  // clusters or power gates whose number varies are refused
    }
    return 0;
}

using Check = int (*)(const Case&);
struct Kind {
    const char* name;
    Check check;
    int share;  ///< of all cases
};
constexpr std::array<Kind, 6> kKinds{{{"networks", check_network, 10},
                                      {"layers", check_plain_layer, 6},
                                      {"nests", check_nest, 2},
                                      {"zeros", check_zeros, 2},
                                      {"blocks", check_blocks, 2},
                                      {"machines", check_machines, 1}}};

std::vector<Kind> kinds_named(const std::string& wanted) {
    std::vector<Kind> kinds;
    for (const Kind& kind : kKinds)
        if (wanted.empty() || ("," + wanted + ",").find("," + std::string(kind.name) + ",") != std::string::npos)
            kinds.push_back(kind);
    return kinds;
}

int check(const Harness& harness, const std::vector<Kind>& kinds, std::uint64_t number, Tally& tally) {
    Random random(harness.seed_of(number));
    int shares = 0;
    for (const Kind& kind : kinds) shares += kind.share;
    auto left = static_cast<int>(number % static_cast<std::uint64_t>(shares));
    std::size_t at = 0;
    for (; left >= kinds[at].share; ++at) left -= kinds[at].share;
    return kinds[at].check({harness, number, random, tally});
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu pairs: %llu of networks (windows that step over words %llu, several writers %llu, growing %llu, heads "
        "side by side %llu), %llu of layers, %llu of nests, %llu with zeros, %llu in blocks, %llu of machines; %llu "
        "proven, %llu confirmed by the other's proof\n",
        shown(tally.pairs), shown(tally.networks), shown(tally.steps_over), shown(tally.several), shown(tally.grows),
        shown(tally.mixed_radix), shown(tally.layers), shown(tally.nests), shown(tally.zeros), shown(tally.blocks),
        shown(tally.machines), shown(tally.proven), shown(tally.confirmed));
}

}  // namespace

int main(int argc, char** argv) {
    Tally tally;
    std::string wanted;
    Harness harness("property_same", "One problem written in several ways has one answer",
                    {.kind = "cases", .count = 80, .operations = 40});
    harness.line.option("--kinds", &wanted, "only these of networks,layers,nests,zeros,blocks,machines");
    harness.least("pairs", "pairs that were compared", &tally.pairs);
    harness.least("networks", "pairs of networks", &tally.networks);
    harness.least("layers", "pairs of layers", &tally.layers);
    harness.least("nests", "pairs of nests", &tally.nests);
    harness.least("zeros", "pairs of layers with zeros", &tally.zeros);
    harness.least("blocks", "pairs of layers with words in blocks", &tally.blocks);
    harness.least("machines", "pairs of spaces of machines", &tally.machines);
    harness.least("steps-over", "pairs of networks with windows that step over words", &tally.steps_over);
    harness.least("several", "pairs of networks with several writers of a tensor", &tally.several);
    harness.least("grows", "pairs of networks with a tensor that grows", &tally.grows);
    harness.least("mixed-radix", "pairs of networks with heads side by side", &tally.mixed_radix);
    harness.least("proven", "pairs of which both answers are proven", &tally.proven);
    harness.least("confirmed", "answers that the other's proof confirms", &tally.confirmed);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    const std::vector<Kind> kinds = kinds_named(wanted);
    if (kinds.empty()) return std::fprintf(stderr, "property_same: no kind is called %s\n", wanted.c_str()), 2;
    return harness.run([&](std::uint64_t number) { return check(harness, kinds, number, tally); },
                       [&] { print(tally); });
}
