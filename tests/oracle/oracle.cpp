// The walk of one nest, in the order in which it would run.
//
// visit() is one stay at one instance of one memory: it steps through the memory's temporal loops; each step starts the
// block of spatial loops below, and each element of the block is a visit to an instance of the next memory (or one
// multiply-accumulate). What an instance that keeps a tensor lacks when it is visited is its Delta, which it asks for
// at that moment; one that does not passes on what is asked of it, moment by moment. The block groups equal requests of
// one moment into multicasts. Nothing here extrapolates.
#include "oracle/oracle.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace tilewright::oracle {
namespace {

/// Half-open interval [low, high).
struct Interval {
    std::int64_t low = 0;
    std::int64_t high = 1;

    std::int64_t size() const { return high - low; }
    auto operator<=>(const Interval&) const = default;
};

/// What part of the iteration space is being worked on: one interval per dimension.
using Region = std::array<Interval, kMaxDimensions>;

/// A box of tensor elements; unused ranks stay [0, 1).
struct Box {
    std::array<Interval, kMaxRanks> ranks;

    auto operator<=>(const Box&) const = default;
    std::int64_t words() const {
        std::int64_t product = 1;
        for (const Interval& rank : ranks) product *= rank.size();
        return product;
    }
};

/// The bounding box of what `region` touches: interval arithmetic per rank, gaps of strided projections included.
Box project(const Tensor& tensor, const Region& region) {
    Box box;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        Interval& interval = box.ranks[r];
        for (const Term& term : tensor.ranks[r].terms) {
            const std::int64_t first = term.coefficient * region[term.dimension].low;
            const std::int64_t last = term.coefficient * (region[term.dimension].high - 1);
            interval.low += std::min(first, last);
            interval.high += std::max(first, last);
        }
    }
    return box;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
    Box common;
    for (int r = 0; r < kMaxRanks; ++r) {
        common.ranks[r] = {std::max(a.ranks[r].low, b.ranks[r].low), std::min(a.ranks[r].high, b.ranks[r].high)};
        if (common.ranks[r].size() <= 0) return std::nullopt;
    }
    return common;
}

/// A set of elements: a box without a box-shaped hole. Equal sets have equal members (see minus()).
struct Delta {
    std::optional<Box> box;  ///< none: the empty set
    std::optional<Box> hole;

    auto operator<=>(const Delta&) const = default;
    std::int64_t words() const { return box ? box->words() - (hole ? hole->words() : 0) : 0; }
};

/// The elements of `tile` that are not in `old`. The difference of two boxes is empty, a smaller box, or `tile` with a
/// hole that is seen from outside (its bounding box is still `tile`); in each form the members are determined by the
/// set.
Delta minus(const Box& tile, const Box& old) {
    const std::optional<Box> common = intersection(tile, old);
    if (!common) return {tile, std::nullopt};
    int narrowed = 0;  // ranks in which the common part does not span the tile
    int rank = 0;
    for (int r = 0; r < kMaxRanks; ++r) {
        if (common->ranks[r] == tile.ranks[r]) continue;
        ++narrowed;
        rank = r;
    }
    if (narrowed == 0) return {};
    if (narrowed > 1) return {tile, common};
    const Interval& whole = tile.ranks[rank];
    const Interval& known = common->ranks[rank];
    if (known.low > whole.low && known.high < whole.high) return {tile, common};
    Box rest = tile;
    rest.ranks[rank] = known.low > whole.low ? Interval{whole.low, known.low} : Interval{known.high, whole.high};
    return {rest, std::nullopt};
}

using Translation = std::array<std::int64_t, kMaxRanks>;

/// How far the centroid moved, rounded half away from zero.
Translation translation(const Box& from, const Box& to) {
    Translation moved{};
    for (int r = 0; r < kMaxRanks; ++r) {
        const std::int64_t twice = (to.ranks[r].low + to.ranks[r].high) - (from.ranks[r].low + from.ranks[r].high);
        moved[r] = (twice + (twice >= 0 ? 1 : -1)) / 2;
    }
    return moved;
}

/// What one instance of a memory remembers of one tensor.
class Holding {
   public:
    /// Takes the next tile in and returns what has to be sent. While tiles move by one and the same translation (or
    /// stand still), only what the last tile lacked; after a change of direction the whole tile.
    Delta receive(const Box& tile) {
        if (!tile_) {
            tile_ = tile;
            return {tile, std::nullopt};
        }
        const Box old = *tile_;
        tile_ = tile;
        const Translation moved = translation(old, tile);
        if (moved == Translation{}) return minus(tile, old);
        if (moved_ && moved != *moved_) {
            moved_.reset();
            return {tile, std::nullopt};
        }
        moved_ = moved;
        return minus(tile, old);
    }

   private:
    std::optional<Box> tile_;
    std::optional<Translation> moved_;
};

/// The elements of one tensor that one instance ever held.
class Seen {
   public:
    /// `whole` is the bounding box of the tensor.
    std::int64_t add(const Box& whole, const Box& tile) {
        if (marks_.empty()) marks_.resize(static_cast<std::size_t>(whole.words()), false);
        return mark(whole, tile, 0, 0);
    }

   private:
    /// Marks the elements of `tile` whose first ranks make up `offset`; returns how many are new.
    std::int64_t mark(const Box& whole, const Box& tile, int rank, std::int64_t offset) {
        if (rank == kMaxRanks) {
            if (marks_[offset]) return 0;
            marks_[offset] = true;
            return 1;
        }
        std::int64_t added = 0;
        for (std::int64_t at = tile.ranks[rank].low; at < tile.ranks[rank].high; ++at)
            added += mark(whole, tile, rank + 1, offset * whole.ranks[rank].size() + at - whole.ranks[rank].low);
        return added;
    }

    std::vector<bool> marks_;
};

struct Instance {
    std::vector<Holding> holdings;  ///< by tensor; empty: never visited
    std::vector<Seen> seen;         ///< by tensor, used for results: what it held
    std::vector<Seen> arrived;      ///< by tensor, used for results: what came in from inside
};

/// Sums over all visits of all instances of one memory, for one tensor.
struct Tally {
    std::int64_t largest_tile = 0;
    std::int64_t distinct = 0;   ///< elements ever held, summed over instances
    std::int64_t arrived = 0;    ///< elements that ever came in from inside, summed over instances
    std::int64_t received = 0;   ///< elements that were sent here, if the memory keeps the tensor
    std::int64_t accesses = 0;   ///< towards the inside, a multicast once
    std::int64_t delivered = 0;  ///< copies that arrive inside
    std::int64_t half_hops = 0;  ///< halves of wires that its words pass on their way inside
};

/// Halves of the wires that a word passes on its way to these neighbours, each once however many lie behind it. It
/// comes in at the first column, half way between the first and the last row, goes along to the furthest column, and
/// from there up and down the columns.
std::int64_t half_wires_to(const std::vector<std::int64_t>& neighbours, const Mesh& mesh) {
    std::set<std::int64_t> along;                            // wires between two columns
    std::set<std::pair<std::int64_t, std::int64_t>> across;  // by column: halves of wires between two rows
    const std::int64_t middle = mesh.y - 1;                  // in halves, as all rows from here on
    for (const std::int64_t neighbour : neighbours) {
        const std::int64_t column = neighbour % mesh.x;
        const std::int64_t row = 2 * (neighbour / mesh.x);
        for (std::int64_t at = 0; at < column; ++at) along.insert(at);
        for (std::int64_t at = std::min(row, middle); at < std::max(row, middle); ++at) across.insert({column, at});
    }
    return 2 * std::ssize(along) + std::ssize(across);
}

/// What an instance asks for of one tensor at one moment: several deltas where others ask through it. Sorted.
using Request = std::vector<Delta>;

std::int64_t words_of(const Request& request) {
    std::int64_t words = 0;
    for (const Delta& delta : request) words += delta.words();
    return words;
}

/// Which iteration of each temporal loop it is, of those from some point of the nest inwards.
using Moment = std::vector<std::int64_t>;
/// What an instance asks for during one visit.
using Requests = std::map<Moment, Request>;

/// A memory's loops, as one tensor sees them.
struct Level {
    TensorSet keep;
    std::vector<Loop> temporal;
    std::vector<Loop> spatial;
    std::vector<Loop> late;  ///< temporal loops inside the fan-out and outside the next store: uneven mappings only
};

std::vector<Level> even_levels(const Mapping& mapping, int memories) {
    std::vector<Level> levels;
    for (const MappingLevel& level : levels_of(mapping, memories))
        levels.push_back({level.keep, level.temporal, level.spatial, {}});
    return levels;
}

/// The innermost store of `memory`, of those that keep `tensor` where one is asked for; -1 when there is none.
int innermost_store(const Mapping& mapping, int memory, std::optional<int> tensor) {
    for (int i = static_cast<int>(mapping.nodes.size()); i-- > 0;)
        if (const Store* store = std::get_if<Store>(&mapping.nodes[i]))
            if (store->memory == memory && (!tensor || store->tensors.has(*tensor))) return i;
    return -1;
}

/// Rule 8 of docs/model.md, word by word: where a memory stands for a tensor. (src/mapping/uneven.cpp goes through all
/// memories at once, twice; this shares nothing with it.)
int place_of(const Mapping& mapping, int memories, int memory, int tensor) {
    if (const int own = innermost_store(mapping, memory, tensor); own >= 0) return own;
    int place = innermost_store(mapping, memory, std::nullopt);
    int keeper = -1;
    for (int inside = memory + 1; inside < memories && keeper < 0; ++inside) {
        keeper = innermost_store(mapping, inside, tensor);
        place = std::min(place, keeper >= 0 ? keeper : innermost_store(mapping, inside, std::nullopt));
    }
    for (int outside = memory; outside-- > 0;)
        if (const int kept = innermost_store(mapping, outside, tensor); kept >= 0) return std::max(place, kept);
    return place;
}

/// Of an uneven mapping, as `tensor` sees it.
std::vector<Level> levels_for(const Mapping& mapping, int memories, int tensor) {
    std::vector<int> positions;
    for (int m = 0; m < memories; ++m) positions.push_back(place_of(mapping, memories, m, tensor));
    std::vector<Level> levels(positions.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i) {
        while (at + 1 < positions.size() && static_cast<std::size_t>(positions[at + 1]) <= i) ++at;
        if (const Store* store = std::get_if<Store>(&mapping.nodes[i])) {
            if (store->tensors.has(tensor)) levels[store->memory].keep.add(tensor);
            continue;
        }
        const Loop& loop = std::get<Loop>(mapping.nodes[i]);
        Level& level = levels[at];
        (loop.is_spatial() ? level.spatial : level.spatial.empty() ? level.temporal : level.late).push_back(loop);
    }
    return levels;
}

class Walk {
   public:
    Walk(const Einsum& einsum, const Architecture& architecture, std::vector<Level> levels, TensorSet resumed)
        : einsum_(einsum), memories_(static_cast<int>(levels.size())), levels_(std::move(levels)), resumed_(resumed) {
        instances_.resize(levels_.size());
        path_.resize(levels_.size());
        tallies_.assign(levels_.size(), std::vector<Tally>(einsum.tensors.size()));
        for (int d = 0; d < einsum.dimension_count(); ++d) everything_[d] = {0, einsum.dimensions[d].extent};
        for (const Tensor& tensor : einsum.tensors) whole_.push_back(project(tensor, everything_));
        find_block_sizes();
        for (int m = 0; m < memories_; ++m) meshes_.push_back(mesh_below(architecture, m));
    }

    Counts run() {
        Counts counts;
        counts.compute_cycles = visit(0, 0, everything_).steps;
        counts.computes = computes_;
        counts.compute_units = std::ranges::count(units_, true);
        counts.memories.assign(levels_.size(), std::vector<Traffic>(einsum_.tensors.size()));
        for (int tensor = 0; tensor < einsum_.tensor_count(); ++tensor) settle(tensor, counts);
        for (const std::vector<Instance>& instances : instances_)
            counts.instances.push_back(
                std::ranges::count_if(instances, [](const Instance& i) { return !i.holdings.empty(); }));
        return counts;
    }

   private:
    struct Visit {
        std::int64_t steps = 0;
        std::vector<Requests> requests;  ///< by tensor: what the visited instance asks for, from its first moment on
    };

    /// The elements of a block in row-major order of its loops; of each, its visits one after the other (one, unless
    /// there are late loops).
    using Block = std::vector<std::vector<Visit>>;
    enum class Part { temporal, spatial, late };

    void find_block_sizes() {
        std::int64_t instances = 1;
        for (std::size_t m = 0; m < levels_.size(); ++m) {
            instances_[m].resize(static_cast<std::size_t>(instances));
            std::int64_t block = 1;
            for (const Loop& loop : levels_[m].spatial) block *= loop.extent;
            block_size_.push_back(block);
            instances *= block;
        }
        units_.resize(static_cast<std::size_t>(instances));
    }

    /// That there is, or that the loops take where there is none.
    Mesh mesh_below(const Architecture& architecture, int memory) const {
        Mesh mapped;
        for (const Loop& loop : levels_[memory].spatial)
            (loop.kind == LoopKind::spatial_x ? mapped.x : mapped.y) *= loop.extent;
        const Mesh built = architecture.fanout(memory);
        return {std::max(built.x, mapped.x), std::max(built.y, mapped.y)};
    }

    const std::vector<Loop>& loops_of(int memory, Part part) const {
        const Level& level = levels_[memory];
        return part == Part::temporal ? level.temporal : part == Part::spatial ? level.spatial : level.late;
    }

    /// Points that one step of a loop covers: the product of the extents of the loops of its dimension inside it.
    std::int64_t step_size(int memory, Part part, std::size_t position) const {
        const int dimension = loops_of(memory, part)[position].dimension;
        std::int64_t points = 1;
        for (int m = memory; m < memories_; ++m)
            for (const Part inner : {Part::temporal, Part::spatial, Part::late}) {
                if (m == memory && inner < part) continue;
                const std::vector<Loop>& loops = loops_of(m, inner);
                for (std::size_t i = m == memory && inner == part ? position + 1 : 0; i < loops.size(); ++i)
                    if (loops[i].dimension == dimension) points *= loops[i].extent;
            }
        return points;
    }

    /// Cuts the loop's dimension of `region` into steps, the last one possibly shorter.
    std::vector<Region> steps_of(const Loop& loop, std::int64_t points, const Region& region) const {
        std::vector<Region> steps;
        const Interval& whole = region[loop.dimension];
        for (std::int64_t low = whole.low; low < whole.high; low += points) {
            steps.push_back(region);
            steps.back()[loop.dimension] = {low, std::min(low + points, whole.high)};
        }
        const auto trips = static_cast<std::int64_t>(steps.size());
        if (trips != loop.extent && trips != loop.remainder)
            throw std::invalid_argument("the factors of a dimension do not cover its extent exactly");
        return steps;
    }

    Visit visit(int memory, std::int64_t number, const Region& region) {
        Visit result;
        path_[memory] = number;
        result.requests.resize(einsum_.tensors.size());
        Moment moment;
        result.steps = run_temporal(memory, number, 0, region, moment, result.requests);
        Instance& instance = instances_[memory][number];
        if (instance.holdings.empty()) {
            instance.holdings.resize(einsum_.tensors.size());
            instance.seen.resize(einsum_.tensors.size());
        }
        for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
            if (!levels_[memory].keep.has(static_cast<int>(t))) continue;
            const Box tile = project(einsum_.tensors[t], region);
            const Delta delta = instance.holdings[t].receive(tile);
            Tally& tally = tallies_[memory][t];
            tally.largest_tile = std::max(tally.largest_tile, tile.words());
            tally.received += delta.words();
            result.requests[t].clear();
            if (!delta.box) continue;
            result.requests[t] = {{Moment{}, Request{delta}}};
            if (!einsum_.tensors[t].written) continue;
            tally.distinct += instance.seen[t].add(whole_[t], tile);
            arrive(memory, t, tile);
        }
        return result;
    }

    /// What is held inside memory `inside` (or by a compute unit) goes out, in the end, to the next memory that keeps
    /// the tensor.
    void arrive(int inside, std::size_t t, const Box& tile) {
        int memory = inside - 1;
        while (memory >= 0 && !levels_[memory].keep.has(static_cast<int>(t))) --memory;
        if (memory < 0) return;
        Instance& instance = instances_[memory][path_[memory]];
        instance.arrived.resize(einsum_.tensors.size());
        tallies_[memory][t].arrived += instance.arrived[t].add(whole_[t], tile);
    }

    /// `requests`: by tensor, what is asked of the instance; `moment` says when.
    std::int64_t run_temporal(int memory, std::int64_t number, std::size_t position, const Region& region,
                              Moment& moment, std::vector<Requests>& requests) {
        const std::vector<Loop>& loops = levels_[memory].temporal;
        if (position == loops.size()) return run_block(memory, number, region, moment, requests);
        std::int64_t time = 0;
        moment.push_back(0);
        for (const Region& step : steps_of(loops[position], step_size(memory, Part::temporal, position), region)) {
            time += run_temporal(memory, number, position + 1, step, moment, requests);
            ++moment.back();
        }
        moment.pop_back();
        return time;
    }

    /// One step of the block below `memory`: it lasts as long as its longest element.
    std::int64_t run_block(int memory, std::int64_t number, const Region& region, const Moment& moment,
                           std::vector<Requests>& requests) {
        Block block;
        run_spatial(memory, number, 0, region, block);
        for (std::size_t t = 0; t < einsum_.tensors.size(); ++t)
            multicast(block, t, moment, meshes_[memory], tallies_[memory][t], requests[t]);
        std::int64_t longest = 0;
        for (const std::vector<Visit>& element : block) {
            std::int64_t time = 0;
            for (const Visit& visit : element) time += visit.steps;
            longest = std::max(longest, time);
        }
        return longest;
    }

    /// The elements that exist at this very step are numbered one after the other; so in a step with fewer of them,
    /// work may move to another instance than in a full step.
    void run_spatial(int memory, std::int64_t number, std::size_t position, const Region& region, Block& block) {
        const std::vector<Loop>& loops = levels_[memory].spatial;
        if (position == loops.size()) {
            const auto inner = number * block_size_[memory] + static_cast<std::int64_t>(block.size());
            run_late(memory, inner, 0, region, block.emplace_back());
            return;
        }
        for (const Region& step : steps_of(loops[position], step_size(memory, Part::spatial, position), region))
            run_spatial(memory, number, position + 1, step, block);
    }

    void run_late(int memory, std::int64_t inner, std::size_t position, const Region& region,
                  std::vector<Visit>& visits) {
        const std::vector<Loop>& loops = levels_[memory].late;
        if (position == loops.size()) {
            visits.push_back(memory + 1 == memories_ ? compute(inner, region) : visit(memory + 1, inner, region));
            return;
        }
        for (const Region& step : steps_of(loops[position], step_size(memory, Part::late, position), region))
            run_late(memory, inner, position + 1, step, visits);
    }

    /// One multiply-accumulate; units hold nothing, so each operand has to be sent.
    Visit compute(std::int64_t unit, const Region& point) {
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (point[d].size() != 1)
                throw std::invalid_argument("the factors of a dimension do not cover its extent exactly");
        ++computes_;
        units_[unit] = true;
        Visit result;
        result.steps = 1;
        for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
            const Box word = project(einsum_.tensors[t], point);
            result.requests.push_back({{Moment{}, Request{Delta{word, std::nullopt}}}});
            if (einsum_.tensors[t].written) arrive(memories_, t, word);
        }
        return result;
    }

    /// Elements that ask for the same at the same moment are served by one access, which goes to all of them; so much
    /// is asked of the memory.
    static void multicast(const Block& block, std::size_t tensor, const Moment& moment, const Mesh& mesh, Tally& tally,
                          Requests& requests) {
        std::map<Moment, std::map<Request, std::vector<std::int64_t>>> asked;  // and by whom
        for (std::size_t element = 0; element < block.size(); ++element)
            for (std::size_t late = 0; late < block[element].size(); ++late)
                for (const auto& [inside, request] : block[element][late].requests[tensor]) {
                    Moment when = moment;
                    when.push_back(static_cast<std::int64_t>(late));
                    when.insert(when.end(), inside.begin(), inside.end());
                    asked[std::move(when)][request].push_back(static_cast<std::int64_t>(element));
                }
        for (const auto& [when, different] : asked) {
            Request& together = requests[when];
            for (const auto& [request, elements] : different) {
                const std::int64_t words = words_of(request);
                tally.accesses += words;
                tally.delivered += words * std::ssize(elements);
                tally.half_hops += words * half_wires_to(elements, mesh);
                together.insert(together.end(), request.begin(), request.end());
            }
            std::ranges::sort(together);
        }
    }

    /// From accesses to reads, fills and updates of one tensor.
    void settle(int tensor, Counts& counts) const {
        bool outermost = true;
        for (int m = 0; m < memories_; ++m) {
            const Tally& tally = tallies_[m][tensor];
            const bool keeps = levels_[m].keep.has(tensor);
            if (outermost && !keeps) continue;
            Traffic& traffic = counts.memories[m][tensor];
            traffic.link_hops = static_cast<double>(tally.half_hops) / 2.0;
            if (!keeps) continue;
            const bool written = einsum_.tensors[tensor].written;
            const bool begins = written && !resumed_.has(tensor);
            traffic.kept = true;
            traffic.tile_words = tally.largest_tile;
            traffic.reads = static_cast<double>(tally.accesses - (begins ? tally.arrived : 0));
            traffic.fills = outermost ? 0.0 : static_cast<double>(tally.received - (begins ? tally.distinct : 0));
            traffic.updates = written ? static_cast<double>(tally.accesses) : 0.0;
            traffic.link_words = static_cast<double>(tally.accesses);
            traffic.link_delivered = static_cast<double>(tally.delivered);
            outermost = false;
        }
    }

    const Einsum& einsum_;
    int memories_;
    std::vector<Level> levels_;
    TensorSet resumed_;
    std::vector<std::int64_t> block_size_;  ///< by memory: elements of the block below it
    std::vector<Mesh> meshes_;              ///< by memory: below it
    std::vector<Box> whole_;                ///< by tensor
    Region everything_{};
    std::vector<std::vector<Instance>> instances_;  ///< [memory][number]
    std::vector<std::int64_t> path_;                ///< by memory: the instance at work
    std::vector<std::vector<Tally>> tallies_;       ///< [memory][tensor]
    std::int64_t computes_ = 0;
    std::vector<bool> units_;  ///< those that computed
};

}  // namespace

Counts walk(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, TensorSet resumed) {
    const int memories = architecture.memory_count();
    if (is_even(mapping, memories)) return Walk(einsum, architecture, even_levels(mapping, memories), resumed).run();
    if (!is_perfect(mapping)) throw std::invalid_argument("the oracle walks uneven mappings only without remainders");
    Counts counts;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        Counts one = Walk(einsum, architecture, levels_for(mapping, memories, t), resumed).run();
        if (t == 0) counts = one;
        for (std::size_t m = 0; m < counts.memories.size(); ++m) counts.memories[m][t] = one.memories[m][t];
    }
    return counts;
}

}  // namespace tilewright::oracle
