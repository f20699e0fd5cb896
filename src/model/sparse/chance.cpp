#include "model/sparse/chance.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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

namespace {

constexpr std::int64_t kMostPlaces = std::int64_t{1} << 26;

// Where a walk over more loops is in a table: its strides, by loop of the walk.
std::vector<std::int64_t> strides_in(const Nest& nest, const Table& table, const std::vector<int>& walked) {
    std::map<int, std::int64_t> stride_of;
    std::int64_t stride = 1;
    for (auto loop = table.loops.rbegin(); loop != table.loops.rend(); ++loop) {
        stride_of[*loop] = stride;
        stride *= nest.loops[*loop].extent;
    }
    std::vector<std::int64_t> strides;
    for (const int loop : walked) strides.push_back(stride_of.contains(loop) ? stride_of[loop] : 0);
    return strides;
}

std::int64_t place_in(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& at) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += strides[i] * at[i];
    return place;
}

// The table by its loops of `kept` only: the mean over the others, but for pinned ones.
Table reduced(const Nest& nest, const Table& table, LoopSet kept, Pinned pinned) {
    Table result;
    for (const int loop : table.loops)
        if ((kept & ~pinned.loops & loop_bit(loop)) != 0) result.loops.push_back(loop);
    const std::vector<std::int64_t> strides = strides_in(nest, result, table.loops);
    result.values.assign(static_cast<std::size_t>(Walk(nest, result.loops).size()), 0.0);
    double counted = 0.0;
    Walk walk(nest, table.loops);
    for (std::int64_t i = 0; i < walk.size(); ++i, walk.advance()) {
        bool counts = true;
        for (std::size_t k = 0; k < table.loops.size(); ++k) {
            const std::int64_t at = pinned.at_last ? nest.loops[table.loops[k]].extent - 1 : 0;
            counts = counts && (walk.at()[k] == at || (pinned.loops & loop_bit(table.loops[k])) == 0);
        }
        if (!counts) continue;
        counted += 1.0;
        result.values[place_in(strides, walk.at())] += table.values[i];
    }
    for (double& value : result.values) value *= static_cast<double>(result.values.size()) / counted;
    return result;
}

// Loops of more than one table.
LoopSet shared_loops(const std::vector<Table>& tables) {
    LoopSet seen = 0;
    LoopSet shared = 0;
    for (const Table& table : tables)
        for (const int loop : table.loops) {
            shared |= seen & loop_bit(loop);
            seen |= loop_bit(loop);
        }
    return shared;
}

}  // namespace

Walk::Walk(const Nest& nest, std::vector<int> loops) : loops_(std::move(loops)), at_(loops_.size(), 0) {
    for (const int loop : loops_) {
        extents_.push_back(nest.loops[loop].extent);
        size_ = checked_mul(size_, nest.loops[loop].extent);
    }
    if (size_ > kMostPlaces) throw Uncounted("tensors whose zeros are known by their places are too large");
}

void Walk::advance() {
    for (std::size_t i = at_.size(); i-- > 0;) {
        if (++at_[i] < extents_[i]) return;
        at_[i] = 0;
    }
}

std::vector<int> loops_in(LoopSet set) {
    std::vector<int> loops;
    for (int k = 0; set != 0; ++k, set >>= 1)
        if ((set & 1) != 0) loops.push_back(k);
    return loops;
}

double mean_of_product(const Nest& nest, const std::vector<Table>& tables, Pinned pinned) {
    const LoopSet shared = shared_loops(tables);
    double constant = 1.0;
    std::vector<Table> joined;
    for (const Table& table : tables) {
        Table rest = reduced(nest, table, shared, pinned);
        if (rest.loops.empty())
            constant *= rest.values.front();
        else
            joined.push_back(std::move(rest));
    }
    if (joined.empty()) return constant;
    LoopSet all = 0;
    for (const Table& table : joined)
        for (const int loop : table.loops) all |= loop_bit(loop);
    std::vector<std::vector<std::int64_t>> strides;
    for (const Table& table : joined) strides.push_back(strides_in(nest, table, loops_in(all)));
    double sum = 0.0;
    Walk walk(nest, loops_in(all));
    for (std::int64_t i = 0; i < walk.size(); ++i, walk.advance()) {
        double product = 1.0;
        for (std::size_t t = 0; t < joined.size(); ++t) product *= joined[t].values[place_in(strides[t], walk.at())];
        sum += product;
    }
    return constant * sum / static_cast<double>(walk.size());
}

}  // namespace tilewright::sparse
