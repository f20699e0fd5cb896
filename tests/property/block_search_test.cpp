// Searches of words in blocks that share a scale, against all mappings of small random problems: what is called proven
// is the best that has room for whole scales, and no bound is above it.
#include <gtest/gtest.h>

#include <optional>

#include "base/numbers/random.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/blocks.hpp"
#include "random_problem.hpp"
#include "run/word_blocks/word_blocks.hpp"

namespace tilewright::property {
namespace {

constexpr int kMostMappings = 250;
constexpr double kSlack = 1.0 + 1e-9;

struct Seen {
    int compared = 0;
    int proven = 0;
    int unproven = 0;  ///< with a bound
    int missed = 0;    ///< no mapping was found, and there is one
};

BlockFormats random_formats(Random& random, Einsum& einsum) {
    BlockFormats formats;
    for (Tensor& tensor : einsum.tensors) {
        tensor.bits = random.between(2, 8);
        formats.push_back(random.chance(0.7) ? BlockFormat{random.between(2, 8), random.between(8, 48)}
                                             : BlockFormat{});
    }
    return formats;
}

struct Best {
    std::optional<double> score;  ///< nothing: no mapping is legal
    bool is_all = true;           ///< every mapping was looked at
};

Best best_of_all(const Problem& problem, const BlockFormats& formats) {
    Best best;
    int seen = 0;
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints);
    best.is_all = mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > kMostMappings) return false;
        const std::optional<Mapping> mapping = mapping_of(point, problem.einsum);
        if (!mapping || !check_blocks(problem.einsum, problem.architecture, *mapping, formats).empty()) return true;
        const Evaluation costs = evaluate_blocks(problem.einsum, problem.architecture, *mapping, formats);
        const double score = problem.objective.score(costs.energy_pj, costs.cycles).value;
        if (!best.score || score < *best.score) best.score = score;
        return true;
    });
    return best;
}

LayerAnswer searched(const Problem& problem, const BlockFormats& formats) {
    Network network;
    network.layers.push_back({"layer", "", problem.einsum, 1, {}});
    const BlockSearch blocks =
        block_search(network, problem.architecture, {formats}, [&](const Einsum&) { return problem.constraints; });
    MapOptions options;
    options.mapper = MapperKind::optimal;
    options.objective = problem.objective;
    options.threads = 1;
    return map_blocks(blocks, options.objective, [&](const NetworkProblem& all) { return map_network(all, options); })
        .layers.front();
}

void compare(const Problem& problem, const BlockFormats& formats, const Best& truth, const LayerAnswer& found,
             Seen& seen) {
    ++seen.compared;
    if (!found.mapping) {
        // Searches in smaller memories may miss a mapping, but prove nothing then.
        ASSERT_FALSE(found.search && found.search->proven && truth.score);
        seen.missed += truth.score.has_value();
        return;
    }
    ASSERT_TRUE(truth.score) << "a mapping that is not legal";
    ASSERT_TRUE(check_blocks(problem.einsum, problem.architecture, *found.mapping, formats).empty());
    const double score = problem.objective.score(found.evaluation->energy_pj, found.evaluation->cycles).value;
    ASSERT_LE(*truth.score, score * kSlack);
    if (found.search->proven) {
        ASSERT_LE(score, *truth.score * kSlack) << "proven, and another is better";
        ++seen.proven;
    } else if (found.search->lower_bound) {
        ASSERT_LE(*found.search->lower_bound, *truth.score * kSlack) << "a bound above the best";
        ++seen.unproven;
    }
}

// A memory that has no room for the whole scales of what was found; nothing where there is none.
std::optional<Problem> with_less_room(Problem problem, const BlockFormats& formats, const LayerAnswer& found) {
    for (std::size_t m = 1; found.mapping && m < problem.architecture.memories.size(); ++m) {
        const std::int64_t used = found.evaluation->memories[m].used_words;
        Memory& memory = problem.architecture.memories[m];
        if (used < 2 || memory.spreads_only) continue;
        memory.capacity_words = used - 1;
        memory.multiple_buffering = 1.0;
        const std::vector<WordBits> least = least_bits(problem.einsum, formats);
        const std::int64_t parts = parts_of_bit(least);
        if (check(in_parts(problem.einsum, least, parts), in_parts(problem.architecture, parts), *found.mapping)
                .empty())
            return problem;
        memory.capacity_words = used;
    }
    return std::nullopt;
}

TEST(BlockSearch, ProvesNoMoreThanIsSo) {
    Seen seen;
    for (std::uint64_t i = 0; i < 250 && !testing::Test::HasFatalFailure(); ++i) {
        std::optional<Problem> problem = random_problem(Random::split(31, i), 60);
        if (problem->objective.kind == ObjectiveKind::pareto) continue;
        Random random(Random::split(37, i));
        const BlockFormats formats = random_formats(random, problem->einsum);
        for (int m = 1; m < problem->architecture.memory_count(); ++m)
            problem->architecture.memories[m].holds_scales = random.chance(0.7);
        while (problem && !testing::Test::HasFatalFailure()) {
            const Best truth = best_of_all(*problem, formats);
            if (!truth.is_all) break;
            SCOPED_TRACE("problem " + std::to_string(i) + "\n" + to_text(*problem));
            const LayerAnswer found = searched(*problem, formats);
            compare(*problem, formats, truth, found, seen);
            problem = with_less_room(*problem, formats, found);
        }
    }
    EXPECT_GT(seen.compared, 250);
    EXPECT_GT(seen.proven, 120);
    EXPECT_GT(seen.unproven, 12);
}

}  // namespace
}  // namespace tilewright::property
