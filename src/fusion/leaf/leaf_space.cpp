#include "fusion/leaf/leaf_space.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

TensorSet movers(const Einsum& einsum, int dimension) {
    TensorSet set;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_relevant(einsum.tensors[at(t)], dimension)) set.add(t);
    return set;
}

// The dimension stands alone on its axis, with coefficient 1, or moves the operand not.
bool is_alone(const Tensor& tensor, int dimension) {
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == dimension && (rank.terms.size() > 1 || term.coefficient != 1)) return false;
    return true;
}

bool may_be_cut(const Einsum& einsum, int dimension) {
    return std::ranges::all_of(einsum.tensors, [&](const Tensor& tensor) { return is_alone(tensor, dimension); });
}

// What costs least so far, of points that take no more words than any to come.
class Staircase {
   public:
    explicit Staircase(Ranking ranking) : ranking_(ranking) {}

    bool beats(double energy_pj, double cycles) const {
        return std::ranges::any_of(steps_, [&](const LeafPoint& step) {
            switch (ranking_) {
                case Ranking::energy_first:
                    return std::pair(step.energy_pj, step.cycles) <= std::pair(energy_pj, cycles);
                case Ranking::cycles_first:
                    return std::pair(step.cycles, step.energy_pj) <= std::pair(cycles, energy_pj);
                case Ranking::both: break;
            }
            return step.energy_pj <= energy_pj && step.cycles <= cycles;
        });
    }
    /// Whatever costs no less than this.
    bool beats_all_from(const LeafPoint& floor) const {
        constexpr double kRounding = 1.0 - 1e-12;
        return beats(floor.energy_pj * kRounding, floor.cycles);
    }
    /// Of a point that none beats.
    void add(const LeafPoint& point) {
        if (ranking_ != Ranking::both) steps_.clear();
        std::erase_if(steps_, [&](const LeafPoint& step) {
            return point.energy_pj <= step.energy_pj && point.cycles <= step.cycles;
        });
        steps_.push_back(point);
    }

   private:
    Ranking ranking_;
    std::vector<LeafPoint> steps_;
};

}  // namespace

Words words_once(const Einsum& einsum, const LeafQuestion& question) {
    Words dram;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (question.held.has(t)) continue;
        const Tensor& tensor = einsum.tensors[at(t)];
        (tensor.written ? dram.updates : dram.reads) += words_of(tensor, question.extents);
    }
    return dram;
}

LeafFront front_of(std::vector<LeafPoint> points, Ranking ranking) {
    std::ranges::sort(points, {}, [&](const LeafPoint& p) {
        return ranking == Ranking::cycles_first ? std::tuple(p.words, p.cycles, p.energy_pj)
                                                : std::tuple(p.words, p.energy_pj, p.cycles);
    });
    LeafFront front;
    Staircase best(ranking);
    for (const LeafPoint& point : points) {
        if (best.beats(point.energy_pj, point.cycles)) continue;
        best.add(point);
        front.push_back(point);
    }
    return front;
}

LeafSpace::LeafSpace(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, Neighbours& neighbours)
    : einsum_(einsum),
      machine_(machine),
      question_(question),
      array_(einsum, machine, question.extents, words_once(einsum, question).reads, neighbours) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        whole_.push_back(static_cast<std::uint16_t>(array_.divisors(d).size() - 1));
        operations_ *= static_cast<double>(question.extents[at(d)]);
    }
    tile_ = whole_;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        all_words_.push_back(words(t));
        if (einsum.tensors[at(t)].written) first_arrivals_ += all_words_.back();
    }
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (question.extents[at(d)] == 1 || !may_be_cut(einsum, d)) continue;
        const TensorSet moved = movers(einsum, d);
        if ((moved.bits() & ~question.held.bits()) == 0) continue;  // cutting would bring nothing
        auto group = std::ranges::find(groups_, moved, &LoopGroup::moves);
        if (group == groups_.end()) group = groups_.insert(groups_.end(), {moved, {}});
        group->dimensions.push_back(d);
    }
}

// Of the dimensions of a group one after the other: earlier ones at one, later ones whole.
void LeafSpace::each_tile(std::size_t group, const std::function<bool()>& visit) {
    if (!go_on_) return;
    if (group == groups_.size()) {
        own_ = own_words();
        if (own_ <= machine_.capacity_words) go_on_ = visit();
        return;
    }
    const std::vector<int>& dimensions = groups_[group].dimensions;
    each_tile(group + 1, visit);  // all of them whole
    for (const int d : dimensions) {
        for (std::uint16_t part = 0; part < whole_[at(d)]; ++part) {
            tile_[at(d)] = part;
            each_tile(group + 1, visit);
        }
        tile_[at(d)] = 0;
    }
    for (const int d : dimensions) tile_[at(d)] = whole_[at(d)];
}

void LeafSpace::list(const Visit& visit, std::optional<std::int64_t> words) {
    go_on_ = true;
    each_tile(0, [&] { return (words && own_ != *words) || look_at_tile(visit); });
}

bool LeafSpace::look_at_tile(const Visit& visit) {
    const std::vector<Inside>& insides = array_.ways(tile_);
    for (const Outside& outside : outsides())
        for (const Inside& inside : insides)
            if (!visit({extents(), outside.groups, inside.x, inside.y, inside.in_register}, meet(outside, inside)))
                return false;
    return true;
}

LeafFront LeafSpace::front(Ranking ranking) {
    struct Candidate {
        LeafPoint floor;
        std::size_t tile = 0;  // where its places begin in `tiles`
    };
    constexpr std::size_t kMany = 1U << 18U;  // tiles at a time: their memory is bounded
    std::vector<LeafPoint> points;
    std::vector<Candidate> candidates;
    std::vector<Tile::value_type> tiles;  // of all candidates
    const auto look = [&] {
        std::ranges::sort(candidates, {},
                          [](const Candidate& c) { return std::tuple(c.floor.words, c.floor.energy_pj, c.tile); });
        Staircase best(ranking);
        for (const Candidate& one : candidates) {
            if (best.beats_all_from(one.floor)) continue;
            std::ranges::copy_n(tiles.begin() + static_cast<std::ptrdiff_t>(one.tile), std::ssize(tile_),
                                tile_.begin());
            own_ = one.floor.words;
            const std::span<Outside> all = outsides();
            const auto is_beaten = [&](const Outside& outside) {
                return best.beats_all_from(floor_of(outside.dram, outside.fills));
            };
            if (std::ranges::all_of(all, is_beaten)) continue;
            const std::vector<Inside>& insides = array_.ways(tile_, ranking);
            for (const Outside& outside : all)
                for (const Inside& inside : insides) {
                    const LeafPoint point = meet(outside, inside);
                    if (best.beats(point.energy_pj, point.cycles)) continue;
                    best.add(point);
                    points.push_back(point);
                }
        }
        candidates.clear();
        tiles.clear();
        points = front_of(std::move(points), ranking);
    };
    go_on_ = true;
    each_tile(0, [&] {
        candidates.push_back({floor_of_tile(), tiles.size()});
        tiles.insert(tiles.end(), tile_.begin(), tile_.end());
        if (candidates.size() < kMany) return true;
        const Tile here = tile_;
        look();
        tile_ = here;
        return true;
    });
    look();
    return points;
}

std::int64_t LeafSpace::own_words() const {
    double own = 0.0;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if (!question_.held.has(t)) own += words(t);
    constexpr double kMost = 1e18;
    return static_cast<std::int64_t>(std::min(own, kMost));
}

double LeafSpace::words(int operand) const {
    double product = 1.0;
    for (const Rank& rank : einsum_.tensors[at(operand)].ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) width += term.coefficient * (extent(term.dimension) - 1);
        product *= static_cast<double>(width);
    }
    return product;
}

std::vector<std::int64_t> LeafSpace::extents() const {
    std::vector<std::int64_t> all;
    for (int d = 0; d < einsum_.dimension_count(); ++d) all.push_back(extent(d));
    return all;
}

// Every operand comes as often as if its own loops were the outermost ones.
LeafPoint LeafSpace::floor_of_tile() const {
    Words dram;
    double fills = 0.0;
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        if (question_.held.has(t)) continue;
        double moved = words(t);
        for (const LoopGroup& group : groups_)
            for (const int d : group.dimensions)
                if (group.moves.has(t)) moved *= static_cast<double>(tiles(d));
        const bool written = einsum_.tensors[at(t)].written;
        const double in = written ? moved - all_words_[at(t)] : moved;
        dram.reads += in;
        fills += in;
        if (written) dram.updates += moved;
    }
    return floor_of(dram, fills);
}

// Whatever the array does.
LeafPoint LeafSpace::floor_of(const Words& dram, double fills) const {
    const LeastOfArray& array = array_.least();
    const auto resumed = static_cast<double>(question_.resumed);
    const double call_pj = operations_ * machine_.operation_pj + energy_pj(machine_.dram, dram) +
                           energy_pj(machine_.buffer, {0.0, fills, 0.0}) + array.buffer_pj;
    const double moving = std::max(cycles(machine_.dram, dram), cycles(machine_.buffer, {0.0, fills, 0.0}));
    return {own_, (1.0 + resumed) * call_pj,
            std::max(array.cycles, moving) + resumed * std::max(array.resumed_cycles, moving)};
}

std::span<LeafSpace::Outside> LeafSpace::outsides() {
    order_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (std::ranges::any_of(groups_[g].dimensions, [&](int d) { return tile_[at(d)] < whole_[at(d)]; }))
            order_.push_back(static_cast<int>(g));
    std::size_t count = 0;
    do {
        if (count == outsides_.size()) outsides_.emplace_back();
        Outside& one = outsides_[count];
        put_outside(order_, one);
        const std::span known(outsides_.data(), count);
        if (std::ranges::none_of(known, [&](const Outside& other) { return other.trips == one.trips; })) ++count;
    } while (std::ranges::next_permutation(order_).found);
    return {outsides_.data(), count};
}

void LeafSpace::put_outside(const std::vector<int>& order, Outside& one) const {
    one.groups = order;
    one.trips.fill(1.0);
    one.dram = {};
    one.fills = 0.0;
    double loops = 1.0;  // of all loops down to the group
    for (const int g : order) {
        const LoopGroup& group = groups_[at(g)];
        for (const int d : group.dimensions) loops *= static_cast<double>(tiles(d));
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (group.moves.has(t)) one.trips[at(t)] = loops;
    }
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        if (question_.held.has(t)) continue;
        const double moved = words(t) * one.trips[at(t)];
        const bool written = einsum_.tensors[at(t)].written;
        const double in = written ? moved - all_words_[at(t)] : moved;
        one.dram.reads += in;
        one.fills += in;
        if (written) one.dram.updates += moved;
    }
}

LeafPoint LeafSpace::meet(const Outside& outside, const Inside& inside) const {
    Words buffer{inside.reads, outside.fills, inside.updates};
    if (inside.by_order) {
        const double moved = inside.register_words * outside.trips[at(inside.in_register)];
        const bool written = einsum_.tensors[at(inside.in_register)].written;
        buffer.reads += moved;
        if (written) buffer.updates += moved;
    }
    LeafPoint point{own_, 0.0, 0.0};
    add_calls(1, inside.units, outside.dram, buffer, point);
    if (question_.resumed > 0) {
        buffer.reads += first_arrivals_;
        add_calls(question_.resumed, inside.units, outside.dram, buffer, point);
    }
    return point;
}

void LeafSpace::add_calls(std::int64_t calls, double units, const Words& dram, const Words& buffer,
                          LeafPoint& point) const {
    const auto times = static_cast<double>(calls);
    point.energy_pj += times * (operations_ * machine_.operation_pj + energy_pj(machine_.dram, dram) +
                                energy_pj(machine_.buffer, buffer));
    point.cycles +=
        times * std::max({operations_ / units, cycles(machine_.dram, dram), cycles(machine_.buffer, buffer)});
}

LeafNest LeafSpace::nest(const LeafChoice& choice) const {
    LeafNest nest;
    for (const int g : choice.order)
        for (const int d : groups_[at(g)].dimensions)
            if (choice.tile[at(d)] < question_.extents[at(d)])
                nest.nodes.emplace_back(LeafLoop{d, choice.tile[at(d)], LoopKind::temporal});
    const TensorSet all = TensorSet::all(einsum_.tensor_count());
    nest.nodes.emplace_back(Store{kBuffer, TensorSet::from_bits(all.bits() & ~question_.held.bits())});
    const auto add = [&](bool moving) {
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            const bool moved = choice.in_register >= 0 && is_relevant(einsum_.tensors[at(choice.in_register)], d);
            if (moved != moving) continue;
            const std::int64_t step = d == choice.across_x   ? largest_factor(choice.tile[at(d)], machine_.array.x)
                                      : d == choice.across_y ? largest_factor(choice.tile[at(d)], machine_.array.y)
                                                             : 1;
            if (step < choice.tile[at(d)]) nest.nodes.emplace_back(LeafLoop{d, step, LoopKind::temporal});
        }
    };
    add(true);
    add(false);
    if (choice.across_x >= 0) nest.nodes.emplace_back(LeafLoop{choice.across_x, 1, LoopKind::spatial_x});
    if (choice.across_y >= 0) nest.nodes.emplace_back(LeafLoop{choice.across_y, 1, LoopKind::spatial_y});
    nest.nodes.emplace_back(
        Store{kRegister, choice.in_register >= 0 ? TensorSet::of(choice.in_register) : TensorSet{}});
    return nest;
}

}  // namespace tilewright::fusion
