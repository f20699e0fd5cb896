// Searches of words in blocks that share a scale and of wider partial sums, against all mappings of small random
// problems: what is called proven is the best that has room for them, and no bound is above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "arch/blocks.hpp"
#include "base/numbers/random.hpp"
#include "mapspace/layer_problem.hpp"
#include "mapspace/mapspace.hpp"
#include "random_problem.hpp"
#include "random_words.hpp"
#include "run/map_layer.hpp"
#include "uneven_mappings.hpp"

namespace tilewright::property {
namespace {

constexpr int kMostMappings = 250;
constexpr int kMostUneven = 2500;
constexpr int kMostShrinks = 5;
constexpr double kSlack = 1.0 + 1e-9;

struct Seen {
    int compared = 0;
    int proven = 0;
    int fronts = 0;    ///< of several points, proven
    int unproven = 0;  ///< with a bound
    int missed = 0;    ///< no mapping was found, and there is one
};

/// A layer and what is asked of it.
struct Case {
    LayerProblem layer;
    Objective objective;
    FactorRule factors = FactorRule::perfect;
    bool uneven = false;
};

struct Best {
    std::optional<double> score;                              ///< nothing: no mapping is legal
    std::vector<std::pair<double, std::int64_t>> costs = {};  ///< energy and cycles of all that are
    bool is_all = true;                                       ///< every mapping was looked at
};

// All mappings, even ones or those of rules of their own.
bool enumerate(const Case& one, const std::function<bool(const Mapping&)>& visit) {
    if (one.uneven)
        return enumerate_uneven({one.layer.einsum, one.layer.architecture, one.layer.constraints, one.objective},
                                kMostUneven, visit);
    const Mapspace mapspace(one.layer.einsum, one.layer.architecture, one.layer.constraints, one.factors);
    return mapspace.enumerate([&](const TilingPoint& point) {
        const std::optional<Mapping> mapping = mapping_of(point, one.layer.einsum);
        return !mapping || visit(*mapping);
    });
}

Best best_of_all(const Case& one) {
    Best best;
    int seen = 0;
    best.is_all = enumerate(one, [&](const Mapping& mapping) {
        if (++seen > (one.uneven ? kMostUneven : kMostMappings)) return false;
        const LayerCosts costs = costs_of(one.layer, mapping);
        if (!costs.evaluation) return true;
        const double score = one.objective.score(costs.evaluation->energy_pj, costs.evaluation->cycles).value;
        if (!best.score || score < *best.score) best.score = score;
        best.costs.emplace_back(costs.evaluation->energy_pj, costs.evaluation->cycles);
        return true;
    });
    return best;
}

LayerAnswer searched(const Case& one) {
    MapOptions options;
    options.mapper = MapperKind::optimal;
    options.objective = one.objective;
    options.factors = one.factors;
    options.uneven = one.uneven;
    options.threads = 1;
    return map_layer(one.layer, options);
}

// A proven front beats all mappings.
void compare_front(const Best& truth, const LayerAnswer& found, Seen& seen) {
    for (const auto& [energy_pj, cycles] : truth.costs)
        ASSERT_TRUE(std::ranges::any_of(found.front,
                                        [&, pj = energy_pj, most = cycles](const FrontAnswer& point) {
                                            return point.energy_pj <= pj * kSlack && point.cycles <= most;
                                        }))
            << "a mapping of " << energy_pj << " pJ and " << cycles << " cycles is not beaten";
    seen.fronts += found.front.size() > 1;
}

void compare(const Case& one, const Best& truth, const LayerAnswer& found, Seen& seen) {
    ++seen.compared;
    if (!found.mapping) {
        // Searches in smaller memories may miss a mapping, but prove nothing then.
        ASSERT_FALSE(found.search && found.search->proven && truth.score);
        seen.missed += truth.score.has_value();
        return;
    }
    ASSERT_TRUE(truth.score) << "a mapping that is not legal";
    ASSERT_TRUE(check(one.layer, *found.mapping).empty());
    const double score = one.objective.score(found.evaluation->energy_pj, found.evaluation->cycles).value;
    ASSERT_LE(*truth.score, score * kSlack);
    if (found.search->proven) {
        ASSERT_LE(score, *truth.score * kSlack) << "proven, and another is better";
        ++seen.proven;
        if (one.objective.kind == ObjectiveKind::pareto) compare_front(truth, found, seen);
    } else if (found.search->lower_bound) {
        ASSERT_LE(*found.search->lower_bound, *truth.score * kSlack) << "a bound above the best";
        ++seen.unproven;
    }
}

// A memory that has no room for what was found; nothing where there is none.
std::optional<Case> with_less_room(Case one, const LayerAnswer& found) {
    for (std::size_t m = 1; found.mapping && m < one.layer.architecture.memories.size(); ++m) {
        const std::int64_t used = found.evaluation->memories[m].used_words;
        Memory& memory = one.layer.architecture.memories[m];
        if (used < 2 || memory.spreads_only) continue;
        memory.capacity_words = used - 1;
        memory.multiple_buffering = 1.0;
        return one;
    }
    return std::nullopt;
}

using SetsWords = std::function<void(Random&, LayerProblem&)>;

// Random problems with such words, each again in ever smaller memories.
Seen compared(std::uint64_t seed, std::uint64_t problems, const SetsWords& set_words,
              FactorRule factors = FactorRule::perfect, bool uneven = false,
              std::optional<ObjectiveKind> objective = std::nullopt) {
    Seen seen;
    for (std::uint64_t i = 0; i < problems && !testing::Test::HasFatalFailure(); ++i) {
        Problem problem = random_problem(Random::split(seed, i), uneven ? 24 : 60);
        if (objective) problem.objective.kind = *objective;
        Random random(Random::split(seed + 6, i));
        std::optional<Case> one{
            {{problem.einsum, problem.architecture, problem.constraints}, problem.objective, factors, uneven}};
        set_words(random, one->layer);
        for (int shrinks = 0; one && shrinks < kMostShrinks && !testing::Test::HasFatalFailure(); ++shrinks) {
            const Best truth = best_of_all(*one);
            if (!truth.is_all) break;
            SCOPED_TRACE("problem " + std::to_string(i) + ", smaller " + std::to_string(shrinks) + " times\n" +
                         to_text(problem));
            const LayerAnswer found = searched(*one);
            compare(*one, truth, found, seen);
            one = with_less_room(*one, found);
        }
    }
    return seen;
}

void set_blocks(Random& random, LayerProblem& layer) {
    layer.words.blocks = random_formats(random, layer.einsum);
    for (int m = 1; m < layer.architecture.memory_count(); ++m)
        layer.architecture.memories[m].holds_scales = random.chance(0.7);
}

void set_partial_sums(Random& random, LayerProblem& layer) {
    layer.words.partial_bits = random_partial_bits(random, layer.einsum);
}

TEST(WordsSearch, ProvesNoMoreOfBlocksThanIsSo) {
    const Seen seen = compared(31, 250, set_blocks);
    EXPECT_GT(seen.compared, 250);
    EXPECT_GT(seen.proven, 120);
}

TEST(WordsSearch, ProvesNoMoreOfPartialSumsThanIsSo) {
    const Seen seen = compared(41, 150, set_partial_sums);  // 500 by hand
    EXPECT_GT(seen.compared, 150);
    EXPECT_GT(seen.proven, 100);
}

TEST(WordsSearch, ProvesNoMoreOfPartialSumsWithRemaindersThanIsSo) {
    const Seen seen = compared(61, 60, set_partial_sums, FactorRule::ruby_s);  // 150 by hand
    EXPECT_GT(seen.compared, 30);
    EXPECT_GT(seen.proven, 20);
}

TEST(WordsSearch, ProvesNoMoreOfPartialSumsWithAnyRemaindersThanIsSo) {
    const Seen seen = compared(71, 12, set_partial_sums, FactorRule::ruby);  // 100 by hand
    EXPECT_GT(seen.compared, 0);
    EXPECT_GT(seen.proven, 0);
}

TEST(WordsSearch, BoundsUnevenMappingsFromBelow) {
    const Seen seen = compared(81, 12, set_partial_sums, FactorRule::perfect, true);
    EXPECT_GT(seen.compared, 3);
    EXPECT_GT(seen.proven + seen.unproven, 3);  // 40 by hand
}

// Fronts, which random_problem asks for now and then, in all problems.
TEST(WordsSearch, FrontsBeatAllMappings) {
    const Seen seen = compared(
        91, 16,
        [](Random& random, LayerProblem& layer) {
            if (random.chance(0.5)) set_blocks(random, layer);
            set_partial_sums(random, layer);
        },
        FactorRule::perfect, false, ObjectiveKind::pareto);
    EXPECT_GT(seen.compared, 10);
    EXPECT_GT(seen.proven, 5);  // 120 problems by hand, with more than ten fronts of several points
}

TEST(WordsSearch, ProvesNoMoreOfBothThanIsSo) {
    const Seen seen = compared(51, 60, [](Random& random, LayerProblem& layer) {
        set_blocks(random, layer);
        set_partial_sums(random, layer);
    });
    EXPECT_GT(seen.compared, 60);
    EXPECT_GT(seen.proven, 30);
}

// Converters and drivers: their words are those that pass, whatever the words' width.
TEST(WordsSearch, ProvesNoMoreWherePassagesArePriced) {
    const Seen seen = compared(105, 10, [](Random& random, LayerProblem& layer) {
        if (random.chance(0.5)) set_blocks(random, layer);
        set_partial_sums(random, layer);
        add_passages(static_cast<std::uint64_t>(random.between(0, 1 << 30)), layer.einsum, layer.architecture);
    });
    EXPECT_GT(seen.compared, 8);  // 60 by hand: one took five minutes
    EXPECT_GT(seen.proven, 3);
}

}  // namespace
}  // namespace tilewright::property
