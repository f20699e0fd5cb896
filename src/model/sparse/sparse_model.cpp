#include "model/sparse/sparse_model.hpp"

#include <cmath>
#include <utility>

#include "arch/blocks.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"
#include "model/sparse/counts.hpp"
#include "model/sparse/dense_words.hpp"
#include "sparse/given.hpp"

namespace tilewright::sparse {
namespace {

std::vector<std::vector<bool>> keeps_of(const Einsum& einsum, const Mapping& mapping, int memories) {
    const std::vector<MappingLevel> levels = owned_levels(mapping, memories);
    std::vector<std::vector<bool>> keeps(einsum.tensors.size());
    for (std::size_t t = 0; t < keeps.size(); ++t)
        for (const MappingLevel& level : levels) keeps[t].push_back(level.keep.has(static_cast<int>(t)));
    return keeps;
}

ExactResult evaluated(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                      const Design& design, const Words& given) {
    ExactResult result;
    const std::vector<Nest> nests = nests_of(einsum, architecture, mapping);
    const std::vector<std::vector<bool>> keeps = keeps_of(einsum, mapping, architecture.memory_count());
    // In parts of a bit of which all words that move have whole ones.
    const std::vector<WordBits> moved = moved_bits(einsum, given.blocks);
    const std::int64_t parts = parts_of_bit(moved);
    const Einsum layer = in_parts(einsum, moved, parts);
    const Architecture machine = in_parts(architecture, parts);
    PartialBits partial_bits = given.partial_bits;
    for (std::int64_t& bits : partial_bits) bits = checked_mul(bits, parts);
    const DenseWords words = dense_words(layer, machine, mapping, {std::move(partial_bits), {}});
    if (is_perfect(mapping)) {
        Chances chances(nests.front(), design.densities);
        const AccessTable accesses = accesses_of(nests, keeps);
        const Avoided avoided(nests, architecture, design, keeps, accesses, words.counted, chances);
        result.expected = expected_counts({{nests, design, keeps, words}, avoided, chances});
    } else {
        result.expected = imperfect_counts({nests, design, keeps, words}, architecture);
    }
    CostsOfCounts costs = costs_of(result.expected, {layer, machine, design, nests.front(), words, parts,
                                                     stored_widths(einsum, design.densities, given.blocks)});
    const auto rooms = tile_rooms(einsum, architecture, mapping, given, words);
    for (std::size_t m = 0; m < rooms.size(); ++m) {
        std::int64_t bits = 0;
        for (std::size_t t = 0; t < rooms[m].size(); ++t)
            if (result.expected.memories[m][t].kept)
                bits = checked_add(bits, rooms[m][t].bits(result.expected.memories[m][t].most_words));
        costs.evaluation.memories[m].used_words = ceil_div(bits, architecture.memories[m].word_bits);
    }
    result.evaluation = std::move(costs.evaluation);
    result.savings = std::move(costs.savings);
    return result;
}

// By memory: whether its tiles and their metadata have room.
void check_room(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const Design& design,
                const Words& given, std::vector<Violation>& violations) {
    const std::vector<Nest> nests = nests_of(einsum, architecture, mapping);
    const std::vector<std::vector<bool>> keeps = keeps_of(einsum, mapping, architecture.memory_count());
    const std::vector<std::vector<Extents>> tiles = tiles_of(einsum, mapping, architecture.memory_count());
    const auto rooms = tile_rooms(
        einsum, architecture, mapping, given,
        given.has_partial_sums() ? dense_words(einsum, architecture, mapping, {given.partial_bits, {}}) : DenseWords{});
    Chances chances(nests.front(), design.densities);
    Iterations iterations(nests.front(), design.densities);
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const Memory& memory = architecture.memories[m];
        const MemoryDesign& built = design.memories[m];
        const std::optional<std::int64_t> usable = memory.usable_words();
        std::int64_t held = 0;
        double bits = 0.0;
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (!keeps[t][m]) continue;
            const std::int64_t tile = box_words(einsum.tensors[t], tiles[t][m]);
            const ExpectedTensor room = nests[t].perfect ? expected_room(nests[t], design, m, t, tile, chances)
                                                         : imperfect_room(nests[t], design, m, t, tile, iterations);
            held = checked_add(held, rooms[m][t].bits(room.most_words));
            bits += room.most_metadata_bits;
        }
        if (usable && !memory.spreads_only && held > checked_mul(*usable, memory.word_bits))
            violations.push_back({ViolationKind::capacity, memory.name,
                                  memory.name + " holds up to " + std::to_string(ceil_div(held, memory.word_bits)) +
                                      " words, more than its " + std::to_string(*usable),
                                  -1});
        const std::int64_t room = checked_mul(built.metadata_depth.value_or(0), built.metadata_width_bits);
        if (built.metadata_depth && bits > static_cast<double>(room))
            violations.push_back({ViolationKind::capacity, memory.name,
                                  memory.name + " holds up to " + std::to_string(std::llround(bits)) +
                                      " bits of metadata, more than its " + std::to_string(room),
                                  -1});
    }
}

}  // namespace

std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const Design& design, const Words& words) {
    std::vector<Violation> violations;
    for (Violation& violation : tilewright::check(einsum, architecture, mapping)) {
        const int memory = find_memory(architecture, violation.level);
        const bool of_room =
            violation.kind == ViolationKind::capacity || violation.kind == ViolationKind::min_utilization;
        if (of_room && memory >= 0 && !architecture.memories[memory].spreads_only) continue;
        violations.push_back(std::move(violation));
    }
    if (!violations.empty()) return violations;
    try {
        check_room(einsum, architecture, mapping, design, words, violations);
    } catch (const Uncounted&) {
        return violations;  // evaluate() says so
    }
    return violations;
}

ExactResult evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                     const Design& design, const Words& words) {
    try {
        return evaluated(einsum, architecture, mapping, design, words);
    } catch (const Uncounted& what) {
        ExactResult result;
        result.uncounted = what.what();
        return result;
    }
}

// Expected counts as reports say them.

namespace {

std::int64_t whole(double value) { return std::llround(value); }

sparse::Accesses rounded(const ExpectedAccesses& accesses, double instances, std::int64_t width) {
    sparse::Accesses whole_ones;
    whole_ones.algorithmic = whole(accesses.algorithmic / instances);
    whole_ones.data = {whole(accesses.data.actual / instances), whole(accesses.data.gated / instances),
                       whole(accesses.data.skipped / instances)};
    for (auto rank = accesses.metadata.rbegin(); rank != accesses.metadata.rend(); ++rank)
        whole_ones.metadata.push_back(
            {{whole(rank->metadata / instances), 0, 0}, {whole(rank->payload / instances), 0, 0}});
    whole_ones.metadata_bits = whole(accesses.metadata_bits / instances);
    if (width > 0)
        whole_ones.metadata_rows.actual = static_cast<std::int64_t>(
            std::ceil(accesses.metadata_bits / instances / static_cast<double>(width) - 1e-9));
    return whole_ones;
}

TensorCosts rounded(const ExpectedTensor& counts, const Density& density, const TensorFormat* format, double instances,
                    std::int64_t width) {
    TensorCosts costs;
    costs.kept = true;
    costs.density = name_of(density);
    if (format != nullptr)
        for (auto rank = format->ranks.rbegin(); rank != format->ranks.rend(); ++rank)
            costs.format.emplace_back(name_of(rank->format));
    costs.tile_words = counts.tile_words;
    costs.most_words = counts.most_words;
    costs.expected_words = counts.held_words;
    costs.most_metadata.assign(counts.most_metadata.rbegin(), counts.most_metadata.rend());
    costs.expected_metadata.assign(counts.held_metadata.rbegin(), counts.held_metadata.rend());
    costs.most_metadata_bits = whole(counts.most_metadata_bits);
    costs.most_instances = whole(instances);
    costs.instances = instances;
    costs.reads = rounded(counts.reads, instances, width);
    costs.fills = rounded(counts.fills, instances, width);
    costs.updates = rounded(counts.updates, instances, width);
    costs.decompressions = whole(counts.decompressions / instances);
    costs.compressions = whole(counts.compressions / instances);
    return costs;
}

}  // namespace

Costs rounded(const ExactResult& result, const Einsum& einsum, const Architecture& architecture, const Design& design) {
    const Expected& expected = result.expected;
    Costs costs;
    costs.algorithmic_computes = whole(expected.algorithmic_computes);
    costs.computes = {whole(expected.computes.actual), whole(expected.computes.gated),
                      whole(expected.computes.skipped)};
    for (std::size_t m = 0; m < expected.memories.size(); ++m) {
        MemoryCosts memory{architecture.memories[m].name, std::vector<TensorCosts>(einsum.tensors.size())};
        for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
            if (!expected.memories[m][t].kept) continue;
            const auto& format = design.memories[m].formats[t];
            memory.tensors[t] =
                rounded(expected.memories[m][t], design.densities[t], format ? &*format : nullptr,
                        result.evaluation.memories[m].tensors[t].instances, design.memories[m].metadata_width_bits);
        }
        costs.memories.push_back(std::move(memory));
    }
    costs.densities = densities_of(einsum, design.densities);
    costs.savings = result.savings;
    return costs;
}

}  // namespace tilewright::sparse
