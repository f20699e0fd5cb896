#include "model/sparse/chance.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "sparse/occupancy.hpp"

namespace tilewright::sparse {
namespace {

// One tensor of a nest.
struct Seen {
    const Nest& nest;
    int tensor;
    LoopSet set;

    const Tensor& values() const { return nest.einsum->tensors[tensor]; }
    std::int64_t words() const { return touched(nest, tensor, set); }
    std::int64_t all() const { return elements(extents_of(*nest.einsum, tensor)); }
};

Table constant(double chance) { return {{}, {chance}}; }

// How many elements of each place of a known tensor are not zero among those that the steps touch.
Table counted(const Seen& seen, const std::vector<bool>& marked) {
    const Tile extents = extents_of(*seen.nest.einsum, seen.tensor);
    const LoopSet moving = loops_moving(seen.nest, seen.tensor);
    std::vector<std::int64_t> strides;  // in the tensor, by loop
    std::int64_t origin = 0;            // negative coefficients begin at the far end
    std::int64_t stride = 1;
    strides.assign(seen.nest.loops.size(), 0);
    for (std::size_t r = extents.size(); r-- > 0;) {
        for (const Term& term : seen.values().ranks[r].terms)
            if (term.coefficient < 0)
                origin -= stride * term.coefficient * (seen.nest.einsum->dimensions[term.dimension].extent - 1);
        for (const int loop : loops_in(moving)) strides[loop] += stride * seen.nest.shift(loop, seen.values().ranks[r]);
        stride = checked_mul(stride, extents[r]);
    }
    Table table{loops_in(moving & ~seen.set), {}};
    std::vector<int> order = table.loops;
    for (const int loop : loops_in(moving & seen.set)) order.push_back(loop);
    Walk walk(seen.nest, order);
    const std::int64_t outside = Walk(seen.nest, table.loops).size();
    const std::int64_t inside = walk.size() / outside;
    for (std::int64_t place = 0; place < outside; ++place) {
        std::vector<std::int64_t> found;
        for (std::int64_t i = 0; i < inside; ++i, walk.advance()) {
            std::int64_t element = origin;
            for (std::size_t k = 0; k < order.size(); ++k) element += walk.at()[k] * strides[order[k]];
            if (marked[element]) found.push_back(element);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        table.values.push_back(static_cast<double>(found.size()));
    }
    return table;
}

constexpr std::int64_t kMostMarks = std::int64_t{1} << 26;

std::vector<bool> marks(const Seen& seen) {
    if (seen.all() > kMostMarks) throw Uncounted("'" + seen.values().name + "' is too large to know its zeros");
    return std::vector<bool>(static_cast<std::size_t>(seen.all()));
}

std::vector<bool> marks_of(const Seen& seen, const Banded& band) {
    std::vector<bool> marked = marks(seen);
    const std::int64_t extent = extents_of(*seen.nest.einsum, seen.tensor).front();
    for (std::int64_t i = 0; i < extent; ++i)
        for (std::int64_t j = 0; j < extent; ++j) marked[i * extent + j] = std::abs(i - j) <= band.half_width;
    return marked;
}

std::vector<bool> marks_of(const Seen& seen, const Measured& measured) {
    std::vector<bool> marked = marks(seen);
    for (const std::int64_t place : *measured.places) marked[place] = true;
    return marked;
}

Table where_marked(const Seen& seen, const std::vector<bool>& marked) {
    Table table = counted(seen, marked);
    for (double& value : table.values) value = value > 0.0 ? 1.0 : 0.0;
    return table;
}

// Places of a group that are touched, by group, where the steps begin at `begin` along the pattern's rank.
std::map<std::int64_t, std::int64_t> by_group(const std::vector<std::int64_t>& offsets, std::int64_t begin,
                                              std::int64_t of) {
    std::map<std::int64_t, std::int64_t> places;
    for (const std::int64_t offset : offsets) ++places[(begin + offset) / of];
    return places;
}

// Calls use(places by group) for every place of the loops outside that move the pattern's rank.
template <typename Use>
Table along_pattern(const Seen& seen, const Pattern& pattern, const Use& use) {
    const Rank& rank = seen.values().ranks[pattern.rank];
    LoopSet outside = 0;
    for (int k = 0; k < static_cast<int>(seen.nest.loops.size()); ++k)
        if (seen.nest.shift(k, rank) != 0 && (seen.set & loop_bit(k)) == 0) outside |= loop_bit(k);
    const std::vector<std::int64_t> offsets = offsets_along(seen.nest, rank, seen.set);
    Table table{loops_in(outside), {}};
    Walk walk(seen.nest, table.loops);
    for (std::int64_t i = 0; i < walk.size(); ++i, walk.advance()) {
        std::int64_t begin = 0;
        for (std::size_t k = 0; k < table.loops.size(); ++k)
            begin += walk.at()[k] * seen.nest.shift(table.loops[k], rank);
        table.values.push_back(use(by_group(offsets, begin, pattern.of)));
    }
    return table;
}

double lines_of(const Seen& seen, const Pattern& pattern) {
    const Rank& rank = seen.values().ranks[pattern.rank];
    return static_cast<double>(seen.words()) / static_cast<double>(offsets_along(seen.nest, rank, seen.set).size());
}

struct NotEmpty {
    Seen seen;

    Table operator()(const FixedStructured& fixed) const {
        return constant(std::min(1.0, static_cast<double>(seen.words()) * fixed.density));
    }
    Table operator()(const UniformRandom& random) const {
        return constant(1.0 - hypergeometric(0, seen.words(), marked_of(random.density, seen.all()), seen.all()));
    }
    Table operator()(const Pattern& pattern) const {
        const double lines = lines_of(seen, pattern);
        return along_pattern(seen, pattern, [&](const std::map<std::int64_t, std::int64_t>& groups) {
            double empty = 1.0;
            for (const auto& [group, places] : groups) empty *= hypergeometric(0, places, pattern.kept, pattern.of);
            return 1.0 - std::pow(empty, lines);
        });
    }
    Table operator()(const Banded& band) const { return where_marked(seen, marks_of(seen, band)); }
    Table operator()(const Measured& measured) const { return where_marked(seen, marks_of(seen, measured)); }
};

struct Most {
    Seen seen;

    std::int64_t operator()(const FixedStructured& fixed) const { return marked_of(fixed.density, seen.words()); }
    std::int64_t operator()(const UniformRandom& random) const {
        return std::min(seen.words(), marked_of(random.density, seen.all()));
    }
    std::int64_t operator()(const Pattern& pattern) const {
        const double lines = lines_of(seen, pattern);
        return largest(along_pattern(seen, pattern, [&](const std::map<std::int64_t, std::int64_t>& groups) {
            std::int64_t most = 0;
            for (const auto& [group, places] : groups) most += std::min(places, pattern.kept);
            return static_cast<double>(most) * lines;
        }));
    }
    std::int64_t operator()(const Banded& band) const { return largest(counted(seen, marks_of(seen, band))); }
    std::int64_t operator()(const Measured& measured) const { return largest(counted(seen, marks_of(seen, measured))); }

    static std::int64_t largest(const Table& table) {
        return static_cast<std::int64_t>(*std::max_element(table.values.begin(), table.values.end()));
    }
};

}  // namespace

Chances::Chances(const Nest& nest, const std::vector<Density>& densities) : nest_(nest), densities_(densities) {}

const Table& Chances::not_empty(int tensor, LoopSet set) {
    const std::pair key{tensor, set & loops_moving(nest_, tensor)};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, computed(tensor, key.second)).first->second;
}

Table Chances::computed(int tensor, LoopSet set) const {
    return std::visit(NotEmpty{{nest_, tensor, set}}, densities_[tensor]);
}

std::int64_t Chances::most(int tensor, LoopSet set) {
    return std::visit(Most{{nest_, tensor, set & loops_moving(nest_, tensor)}}, densities_[tensor]);
}

}  // namespace tilewright::sparse
