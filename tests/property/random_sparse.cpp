#include "random_sparse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"

namespace tilewright::property {
namespace {

using sparse::Tile;

Rank rank(std::vector<int> dimensions) {
    Rank one;
    for (const int d : dimensions) one.terms.push_back({d, 1});
    return one;
}

Einsum random_einsum(Random& random, std::int64_t operations, bool odd) {
    Einsum einsum;
    const std::uint64_t kind = random.below(5);
    if (kind < 3) {
        einsum.dimensions = {{"M", 1}, {"N", 1}, {"K", 1}};
        einsum.tensors = {{"A", {rank({0}), rank({2})}, false, 0}, {"B", {rank({2}), rank({1})}, false, 0}};
        if (kind == 2) einsum.tensors.push_back({"C", {rank({1})}, false, 0});
        einsum.tensors.push_back({"Z", {rank({0}), rank({1})}, true, 0});
    } else if (kind == 3) {
        einsum.dimensions = {{"P", 1}, {"R", 1}, {"K", 1}};
        einsum.tensors = {{"W", {rank({2}), rank({1})}, false, 0},
                          {"I", {rank({0, 1})}, false, 0},
                          {"Z", {rank({2}), rank({0})}, true, 0}};
    } else {
        einsum.dimensions = {{"M", 1}, {"K", 1}};
        einsum.tensors = {
            {"A", {rank({0}), rank({1})}, false, 0}, {"B", {rank({1})}, false, 0}, {"Z", {rank({0})}, true, 0}};
    }
    static constexpr std::int64_t kExtents[] = {1, 2, 2, 3, 4, 4, 6, 8};
    static constexpr std::int64_t kOdd[] = {1, 2, 3, 3, 4, 5, 5, 7};
    std::int64_t left = operations;
    for (Dimension& dimension : einsum.dimensions) {
        dimension.extent = (odd ? kOdd : kExtents)[random.below(8)];
        while (dimension.extent > left) dimension.extent /= 2;
        left /= std::max<std::int64_t>(1, dimension.extent);
        left = std::max<std::int64_t>(1, left);
    }
    return einsum;
}

bool is_window(const Tensor& tensor) {
    return std::any_of(tensor.ranks.begin(), tensor.ranks.end(), [](const Rank& one) { return one.terms.size() > 1; });
}

Architecture machine(int memories) {
    Architecture architecture;
    for (int m = 0; m < memories; ++m) {
        Memory memory;
        memory.name = "memory" + std::to_string(m);
        memory.instances = std::int64_t{1} << (6 * m);
        memory.mesh = {std::int64_t{1} << (3 * m), std::int64_t{1} << (3 * m)};
        memory.energy.read_pj.value = 10.0 / (m + 1.0);
        architecture.memories.push_back(std::move(memory));
    }
    architecture.compute.instances = std::int64_t{1} << (6 * memories);
    architecture.compute.mesh = {std::int64_t{1} << (3 * memories), std::int64_t{1} << (3 * memories)};
    return architecture;
}

Mapping random_mapping(const Einsum& einsum, int memories, bool spatial, Random& random) {
    std::vector<MappingLevel> levels(static_cast<std::size_t>(memories));
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        // Words that slide are kept by the innermost memory only: the judge serves compute units with them.
        for (int m = 0; m < memories; ++m)
            if (is_window(einsum.tensors[t]) ? m + 1 == memories : m == 0 || random.chance(0.7)) levels[m].keep.add(t);
    }
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::int64_t left = einsum.dimensions[d].extent;
        for (std::int64_t factor = 2; left > 1; ++factor)
            for (; left % factor == 0; left /= factor) {
                MappingLevel& level = levels[random.below(static_cast<std::uint64_t>(memories))];
                const bool in_space = spatial && random.chance(0.3);
                Loop loop{d, factor, factor, in_space ? LoopKind::spatial_x : LoopKind::temporal};
                std::vector<Loop>& loops = in_space ? level.spatial : level.temporal;
                const std::uint64_t at = random.below(loops.size() + 1);
                loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(at), loop);
            }
    }
    return mapping_of(levels);
}

Tile extents_of(const Einsum& einsum, const Tensor& tensor) {
    Tile extents;
    for (const Rank& one : tensor.ranks) {
        std::int64_t width = 1;
        for (const Term& term : one.terms) width += einsum.dimensions[term.dimension].extent - 1;
        extents.push_back(width);
    }
    return extents;
}

sparse::Density random_density(const Tile& extents, bool window, Random& random, bool& fixed) {
    const std::int64_t all = sparse::elements(extents);
    const auto count = random.between(0, all);
    switch (random.below(5)) {
        case 0:
            if (window) break;
            fixed = true;
            return sparse::FixedStructured{static_cast<double>(random.between(0, 4)) / 4.0};
        case 1:
            for (std::size_t r = 0; r < extents.size(); ++r)
                for (const std::int64_t of : {4, 2})
                    if (extents[r] % of == 0 && !window)
                        return sparse::Pattern{random.between(0, of), of, static_cast<int>(r)};
            break;
        case 2: {
            auto places = std::make_shared<std::vector<std::int64_t>>();
            for (std::int64_t i = 0; i < all; ++i)
                if (random.chance(0.4)) places->push_back(i);
            return sparse::Measured{"drawn", extents, std::move(places)};
        }
        case 3:
            if (extents.size() == 2 && extents[0] == extents[1]) return sparse::Banded{random.between(0, 2)};
            break;
        default: break;
    }
    return sparse::UniformRandom{static_cast<double>(count) / static_cast<double>(all)};
}

sparse::TensorFormat random_format(bool compressed, Random& random) {
    using sparse::RankFormat;
    sparse::TensorFormat format;
    const auto ranks = random.between(1, 3);
    const auto inner = compressed ? random.between(1, ranks) : 0;
    for (std::int64_t r = 0; r < ranks; ++r) {
        static constexpr RankFormat kCompressed[] = {RankFormat::cp, RankFormat::rle, RankFormat::b};
        static constexpr RankFormat kPlain[] = {RankFormat::uop, RankFormat::ub};
        format.ranks.push_back({r < inner ? kCompressed[random.below(3)] : kPlain[random.below(2)], 3, 5, {}});
    }
    format.inner_to_outer = random.chance(0.3);
    return format;
}

void add_formats(const Einsum& einsum, int memories, Random& random, sparse::Design& design) {
    design.memories.resize(static_cast<std::size_t>(memories));
    for (sparse::MemoryDesign& memory : design.memories) {
        memory.formats.resize(einsum.tensors.size());
        memory.decompresses = memory.compresses = true;
        memory.metadata_width_bits = 16;
    }
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (is_window(einsum.tensors[t])) continue;
        const auto compressed = random.chance(0.6) ? random.between(1, memories) : 0;
        for (int m = 0; m < memories; ++m)
            if (m < compressed || random.chance(0.2))
                design.memories[m].formats[t] = random_format(m < compressed, random);
    }
}

void add_options(const Einsum& einsum, Random& random, sparse::Design& design) {
    for (sparse::MemoryDesign& memory : design.memories)
        for (auto* groups : {&memory.gating, &memory.skipping})
            for (int target = 0; target < einsum.tensor_count(); ++target) {
                if (!random.chance(0.2)) continue;
                sparse::Option option{target, {}};
                for (int c = 0; c < einsum.tensor_count(); ++c)
                    if (c != target && !einsum.tensors[c].written && random.chance(0.6)) option.conditions.push_back(c);
                if (!option.conditions.empty()) groups->push_back({option});
            }
    design.gates_computes = random.chance(0.3);
    design.skips_computes = random.chance(0.3);
}

std::uint64_t bit(std::int64_t element) { return std::uint64_t{1} << element; }

struct All {
    const Tile& extents;
    const std::vector<int>& order;
    std::size_t most;
    using Result = std::optional<std::vector<std::uint64_t>>;

    // Evenly spaced where the nest comes by, from anywhere on.
    Result operator()(const sparse::FixedStructured& fixed) const {
        constexpr int kParts = 4;
        const int share = static_cast<int>(std::lround(fixed.density * kParts));
        std::vector<std::uint64_t> all;
        for (int phase = 0; phase < kParts; ++phase) {
            std::uint64_t marks = 0;
            for (int i = 0; i < static_cast<int>(order.size()); ++i)
                if (((i + 1) * share + phase) / kParts > (i * share + phase) / kParts) marks |= bit(order[i]);
            all.push_back(marks);
        }
        return all;
    }
    Result operator()(const sparse::UniformRandom& uniform) const {
        const std::int64_t words = sparse::elements(extents);
        const auto marked = std::lround(uniform.density * static_cast<double>(words));
        if (words > 16) return std::nullopt;
        std::vector<std::uint64_t> all;
        for (std::uint64_t marks = 0; marks < bit(words); ++marks)
            if (std::popcount(marks) == marked) all.push_back(marks);
        if (all.size() > most) return std::nullopt;
        return all;
    }
    Result operator()(const sparse::Pattern& pattern) const {
        std::vector<std::uint64_t> all{0};
        std::int64_t stride = 1;
        for (std::size_t r = extents.size(); r-- > static_cast<std::size_t>(pattern.rank) + 1;) stride *= extents[r];
        const std::int64_t words = sparse::elements(extents);
        for (std::int64_t first = 0; first < words; ++first) {
            const std::int64_t along = first / stride % extents[pattern.rank];
            if (along % pattern.of != 0) continue;
            std::vector<std::uint64_t> more;
            for (const std::uint64_t before : all)
                for (std::uint64_t choice = 0; choice < bit(pattern.of); ++choice) {
                    if (std::popcount(choice) != pattern.kept) continue;
                    std::uint64_t marks = before;
                    for (std::int64_t i = 0; i < pattern.of; ++i)
                        if ((choice & bit(i)) != 0) marks |= bit(first + i * stride);
                    more.push_back(marks);
                }
            all = std::move(more);
            if (all.size() > most) return std::nullopt;
        }
        return all;
    }
    Result operator()(const sparse::Banded& band) const {
        std::uint64_t marks = 0;
        for (std::int64_t i = 0; i < extents[0]; ++i)
            for (std::int64_t j = 0; j < extents[1]; ++j)
                if (std::abs(i - j) <= band.half_width) marks |= bit(i * extents[1] + j);
        return std::vector{marks};
    }
    Result operator()(const sparse::Measured& measured) const {
        std::uint64_t marks = 0;
        for (const std::int64_t place : *measured.places) marks |= bit(place);
        return std::vector{marks};
    }
};

}  // namespace

SparseCase random_sparse(std::uint64_t seed, std::int64_t operations, bool odd) {
    Random random(seed);
    SparseCase one;
    one.einsum = random_einsum(random, operations, odd);
    const int memories = static_cast<int>(random.between(1, 3));
    one.architecture = machine(memories);
    bool fixed = false;
    for (const Tensor& tensor : one.einsum.tensors) {
        const Tile extents = extents_of(one.einsum, tensor);
        const bool full = tensor.written && random.chance(0.6);
        one.design.densities.push_back(full ? sparse::FixedStructured{1.0}
                                            : random_density(extents, is_window(tensor), random, fixed));
    }
    // Fixed structures are even in the order of one nest only.
    one.mapping = random_mapping(one.einsum, memories, !fixed, random);
    add_formats(one.einsum, memories, random, one.design);
    add_options(one.einsum, random, one.design);
    return one;
}

// Loops of other extents at the places of a random mapping's; restore_remainders() refuses chains that do not cover.
std::optional<Mapping> made_imperfect(const SparseCase& one, Random& random) {
    constexpr int kTries = 30;
    std::vector<MappingLevel> levels = levels_of(one.mapping, one.architecture.memory_count());
    bool spatial = false;
    for (MappingLevel& level : levels) {
        spatial = spatial || !level.spatial.empty();
        level.temporal.clear();
        level.spatial.clear();
    }
    for (int attempt = 0; attempt < kTries; ++attempt) {
        std::vector<MappingLevel> drawn = levels;
        for (int d = 0; d < one.einsum.dimension_count(); ++d)
            for (std::int64_t left = one.einsum.dimensions[d].extent; left > 1;) {
                const std::int64_t factor = random.between(2, std::min<std::int64_t>(left, 4));
                left = ceil_div(left, factor);
                MappingLevel& level = drawn[random.below(drawn.size())];
                const bool in_space = spatial && random.chance(0.4);
                std::vector<Loop>& loops = in_space ? level.spatial : level.temporal;
                const std::uint64_t at = random.below(loops.size() + 1);
                loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(at),
                             Loop{d, factor, factor, in_space ? LoopKind::spatial_x : LoopKind::temporal});
            }
        Mapping mapping = mapping_of(drawn);
        if (restore_remainders(mapping, one.einsum) && !is_perfect(mapping)) return mapping;
    }
    return std::nullopt;
}

// Every tensor has a store of its own, and neighbours change places.
Mapping made_uneven(Mapping mapping, const Architecture& architecture, Random& random) {
    Mapping apart;
    for (const Node& node : mapping.nodes) {
        const Store* store = std::get_if<Store>(&node);
        if (store == nullptr || store->tensors.empty()) {
            apart.nodes.push_back(node);
            continue;
        }
        for (std::uint32_t left = store->tensors.bits(); left != 0; left &= left - 1)
            apart.nodes.emplace_back(Store{store->memory, TensorSet::from_bits(left & (~left + 1))});
    }
    for (int change = 0; change < 40; ++change) {
        const std::uint64_t at = random.below(apart.nodes.size());
        if (at + 1 >= apart.nodes.size()) continue;
        Mapping changed = apart;
        std::swap(changed.nodes[at], changed.nodes[at + 1]);
        if (uneven_problem(changed, architecture).empty()) apart = std::move(changed);
    }
    return apart;
}

std::optional<std::vector<std::uint64_t>> all_marks(const sparse::Density& density, const Tile& extents,
                                                    const std::vector<int>& order, std::size_t most) {
    return std::visit(All{extents, order, most}, density);
}

std::uint64_t drawn_marks(const sparse::Density& density, const Tile& extents, const std::vector<int>& order,
                          Random& random) {
    const std::int64_t words = sparse::elements(extents);
    if (const auto* uniform = std::get_if<sparse::UniformRandom>(&density)) {
        const auto marked = std::lround(uniform->density * static_cast<double>(words));
        std::uint64_t marks = 0;
        while (std::popcount(marks) < marked) marks |= bit(random.between(0, words - 1));
        return marks;
    }
    if (const auto* pattern = std::get_if<sparse::Pattern>(&density)) {
        std::int64_t stride = 1;
        for (std::size_t r = extents.size(); r-- > static_cast<std::size_t>(pattern->rank) + 1;) stride *= extents[r];
        std::uint64_t marks = 0;
        for (std::int64_t first = 0; first < words; ++first) {
            if (first / stride % extents[pattern->rank] % pattern->of != 0) continue;
            for (std::int64_t kept = 0; kept < pattern->kept;) {
                const std::uint64_t one = bit(first + random.between(0, pattern->of - 1) * stride);
                kept += (marks & one) == 0 ? 1 : 0;
                marks |= one;
            }
        }
        return marks;
    }
    const auto all = all_marks(density, extents, order, 64);
    return (*all)[random.below(all->size())];
}

}  // namespace tilewright::property
