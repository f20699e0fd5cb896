#include "certificate/fused/floors.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::certificate::fused_proof {
namespace {

using Marks = std::vector<bool>;  // by place of an axis, or value of a dimension

double number_of(const Marks& marks) { return static_cast<double>(std::ranges::count(marks, true)); }

// From the last einsum to the first, what is needed of every tensor.
class NeededWords {
   public:
    explicit NeededWords(const Space& space) : space_(space) {
        for (int t = 0; t < space.cascade().tensor_count(); ++t) {
            const bool is_wanted = !space.may_stay(t, space.count());
            needed_.emplace_back();
            for (const std::int64_t extent : space.tensor(t).shape)
                needed_.back().emplace_back(place(extent), is_wanted);
        }
    }

    std::vector<NeededOf> all() {
        std::vector<NeededOf> all(place(space_.count()));
        for (int e = space_.count() - 1; e >= 0; --e) all[place(e)] = needed(e);
        return all;
    }

   private:
    NeededOf needed(int e) {
        const CascadeEinsum& one = space_.cascade().einsums[place(e)];
        std::vector<Marks> values;
        for (const Dimension& dimension : one.einsum.dimensions) values.emplace_back(place(dimension.extent), true);
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            if (one.einsum.tensors[place(t)].written) leave_out(e, t, values);
        NeededOf needed{1.0};
        for (const Marks& marks : values) needed.points *= number_of(marks);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const Access& access = one.accesses[place(t)];
            needed.words.push_back(one.einsum.tensors[place(t)].written ? words_of(access, values)
                                                                        : need(access, values));
        }
        return needed;
    }

    double words_of(const Access& access, const std::vector<Marks>& values) const {
        double words = access.anywhere ? 0.0 : 1.0;
        const std::vector<Marks>& axes = needed_[place(access.tensor)];
        for (std::size_t a = 0; !access.anywhere && a < axes.size(); ++a)
            words *= number_of(reached(access.coordinates[a], values, axes[a].size()));
        return words;
    }

    // Values of dimensions that alone say where on an axis a result is that is not needed.
    void leave_out(int e, int t, std::vector<Marks>& values) const {
        const Access& access = space_.cascade().einsums[place(e)].accesses[place(t)];
        for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
            const int d = space_.dimension_on(e, t, static_cast<int>(a));
            if (d < 0) continue;
            Marks& marks = values[place(d)];
            const Marks& needed = needed_[place(access.tensor)][a];
            for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = marks[i] && i < needed.size() && needed[i];
        }
    }

    // Marks what is read; words of it.
    double need(const Access& access, const std::vector<Marks>& values) {
        std::vector<Marks>& axes = needed_[place(access.tensor)];
        if (access.anywhere) {
            for (Marks& marks : axes) marks.assign(marks.size(), true);
            return 0.0;
        }
        double words = 1.0;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const Marks read = reached(access.coordinates[a], values, axes[a].size());
            words *= number_of(read);
            for (std::size_t i = 0; i < read.size(); ++i)
                if (read[i]) axes[a][i] = true;
        }
        return words;
    }

    static Marks reached(const Coordinate& coordinate, const std::vector<Marks>& values, std::size_t extent) {
        std::vector<std::int64_t> places{coordinate.offset};
        for (const Term& term : coordinate.terms) {
            std::vector<std::int64_t> more;
            const Marks& marks = values[place(term.dimension)];
            for (std::size_t v = 0; v < marks.size(); ++v)
                if (marks[v])
                    for (const std::int64_t one : places)
                        more.push_back(one + term.coefficient * static_cast<std::int64_t>(v));
            std::ranges::sort(more);
            more.erase(std::ranges::unique(more).begin(), more.end());
            places = std::move(more);
        }
        Marks marks(extent, false);
        for (const std::int64_t one : places)
            if (one >= 0 && one < static_cast<std::int64_t>(extent)) marks[place(one)] = true;
        return marks;
    }

    const Space& space_;
    std::vector<std::vector<Marks>> needed_;  // by tensor and axis
};

constexpr std::size_t kMost = 64;  // ways that are told apart
constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<NeededOf> needed_of_all(const Space& space) { return NeededWords(space).all(); }

Nests::Paid NeededOf::paid() const {
    Nests::Paid paid;
    for (const double all : words) paid.push_back(all / std::max(1.0, points));
    return paid;
}

GroupFloors::GroupFloors(const Space& space, const Prices& prices, const Weights& weights, Members& members)
    : space_(space), prices_(prices), weights_(weights), members_(members), needed_(needed_of_all(space)) {
    for (int e = 0; e < space.count(); ++e) {
        const Einsum& einsum = space.einsum(e);
        std::vector<std::int64_t> extents;
        points_.push_back(1.0);
        for (const Dimension& dimension : einsum.dimensions) {
            extents.push_back(dimension.extent);
            points_.back() *= static_cast<double>(dimension.extent);
        }
        results_.emplace_back();
        for (const Tensor& tensor : einsum.tensors)
            if (tensor.written)
                results_.back().add(&Moved::updates, words_reached(tensor, extents),
                                    share_of(prices.dram, tensor.bits));
        entering_.emplace_back();
        for (int first = 0; first <= e; ++first) entering_.back().push_back(entering(e, first));
    }
}

// What is there before the group begins comes from the DRAM, by way of a store or for one leaf. Of several that read it
// the first one counts: no store brings less than what it reads, and if leaves read it, it pays for its own.
Both GroupFloors::entering(int e, int first) const {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    Both moved;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (one.einsum.tensors[place(t)].written) continue;
        const CascadeTensor& tensor = space_.tensor(one.accesses[place(t)].tensor);
        const bool is_there =
            std::ranges::all_of(tensor.writers, [&](const TensorUse& use) { return use.einsum < first; });
        const bool was_read = std::ranges::any_of(tensor.readers, [&](const TensorUse& use) {
            return use.einsum >= first && (use.einsum < e || (use.einsum == e && use.operand < t));
        });
        if (is_there && !was_read)
            moved.add(&Moved::reads, needed_[place(e)].words[place(t)], share_of(prices_.dram, tensor.bits));
    }
    return moved;
}

// Array and DRAM work at once, so that the slower one of them counts. What the group makes lies in the buffer.
double GroupFloors::value(int e, int first, bool is_last, const Both& dram, double array_value) {
    const double repeats = space_.repeats(e);
    const double points = is_last ? points_[place(e)] : needed_[place(e)].points;
    Nests::Paid paid = needed_[place(e)].paid();
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const bool is_made =
            std::ranges::any_of(space_.tensor(one.accesses[place(t)].tensor).writers,
                                [&](const TensorUse& use) { return use.einsum >= first && use.einsum < e; });
        if (one.einsum.tensors[place(t)].written ? !is_last : is_made) paid[place(t)] = -1.0;
    }
    const Nests::PerPoint& array = members_.least_per_point(e, paid);
    const double energy_of_dram = repeats * energy_pj(prices_.dram, dram.accesses);
    const Moved& taken = dram.bandwidth;
    const double cycles_of_dram =
        repeats * std::max({taken.reads / prices_.dram.reads_per_cycle, taken.updates / prices_.dram.writes_per_cycle,
                            (taken.reads + taken.updates) / prices_.dram.words_per_cycle});
    const double by_array = std::max(array_value, repeats * points * array.value);
    return std::max(by_array + weights_.value(energy_of_dram, 0.0),
                    weights_.value(repeats * points * array.energy_pj + energy_of_dram, cycles_of_dram));
}

double GroupFloors::of(int e, int first, double array_value) {
    return value(e, first, false, entering_[place(e)][place(first)], array_value);
}

double GroupFloors::of_last(int last, int first, double array_value) {
    Both moved = entering_[place(last)][place(first)];
    moved.accesses.updates += results_[place(last)].accesses.updates;
    moved.bandwidth.updates += results_[place(last)].bandwidth.updates;
    return value(last, first, true, moved, array_value);
}

std::vector<double> LoopFloors::array_values(int earliest, const Making& last) {
    ways_.assign(place(last.einsum) + 1, {});
    ways_.back().all.insert({last.driven, last.made});
    std::vector<double> values(place(last.einsum - earliest) + 1, kNone);
    values.back() = least(last.einsum, ways_.back());
    for (int e = last.einsum - 1; e >= earliest; --e) {
        Ways& ways = ways_[place(e)];
        ways = ways_of(e, last.einsum);
        if (!ways.any && ways.all.empty()) break;  // nor is any before it
        values[place(e - earliest)] = least(e, ways);
    }
    return values;
}

// All results are made alike.
LoopFloors::Ways LoopFloors::ways_of(int e, int last) {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    std::optional<Ways> all;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[place(t)].written) continue;
        Ways ways = ways_by(e, t, last);
        if (!all || all->any)
            all = std::move(ways);
        else if (!ways.any)
            std::erase_if(all->all, [&](const Way& way) { return !ways.all.contains(way); });
    }
    return all.value_or(Ways{});
}

// Every reader of the tensor is in the group, and what they ask for together is made.
LoopFloors::Ways LoopFloors::ways_by(int e, int operand, int last) {
    const int tensor = space_.cascade().einsums[place(e)].accesses[place(operand)].tensor;
    if (!space_.may_stay(tensor, last)) return {};
    std::optional<std::set<Asked>> asked;
    for (const TensorUse& use : space_.tensor(tensor).readers) {
        if (use.einsum <= e || ways_[place(use.einsum)].any) return {{}, true};
        std::set<Asked> more = asked_by(use);
        asked = asked ? together(*asked, more) : std::move(more);
        if (!asked || asked->size() > kMost) return {{}, true};
    }
    Ways ways;
    for (const Asked& one : *asked) add_ways(e, operand, one, ways);
    if (ways.all.size() > kMost) return {{}, true};
    return ways;
}

// A store of the group, or of slices, has all of the tensor but along the loops, and moves with all of them.
std::set<LoopFloors::Asked> LoopFloors::asked_by(const TensorUse& use) {
    std::set<Asked> all;
    Walks& walks = members_.walks();
    for (const Way& way : ways_[place(use.einsum)].all) {
        const Operand& operand = members_.operands(use.einsum, way.driven)[place(use.operand)];
        if (operand.moves != Moves::with_all || !operand.whole) continue;
        Asked asked{operand.axes, way.made};
        for (std::size_t k = 0; k < 2; ++k)
            if (way.driven[k] >= 0)
                asked.steps[k] = walks.reached(way.made[k], use.einsum, use.operand, operand.axes[k], way.driven[k]);
        all.insert(asked);
    }
    return all;
}

// Nothing: two go back somewhere, which need not be so with what others ask for.
std::optional<std::set<LoopFloors::Asked>> LoopFloors::together(const std::set<Asked>& a, const std::set<Asked>& b) {
    std::set<Asked> all;
    Walks& walks = members_.walks();
    for (const Asked& one : a)
        for (const Asked& other : b) {
            if (one.axes != other.axes) continue;
            const std::optional<int> outer = walks.around(one.steps[0], other.steps[0]);
            const std::optional<int> inner = walks.around(one.steps[1], other.steps[1]);
            if (!outer || !inner) return std::nullopt;
            all.insert({one.axes, {*outer, *inner}});
        }
    return all;
}

// Whole tiles or slices of them, kept in any way.
void LoopFloors::add_ways(int e, int operand, const Asked& asked, Ways& ways) {
    Way way{.made = asked.steps};
    for (std::size_t k = 0; k < 2; ++k) {
        if (asked.axes[k] >= 0) way.driven[k] = space_.dimension_on(e, operand, asked.axes[k]);
        if (asked.axes[k] >= 0 && way.driven[k] < 0) return;
    }
    Need need{.axes = asked.axes, .steps = asked.steps};
    need.tensor = space_.cascade().einsums[place(e)].accesses[place(operand)].tensor;
    if (members_.may_be_sliced(need.tensor)) ways.all.insert(way);
    for (const Stay stay : {Stay::while_used, Stay::throughout}) {
        need.stay = stay;
        for (const Kept& kept : ways_to_keep(members_.walks(), need)) {
            way.made = kept.made;
            ways.all.insert(way);
        }
    }
}

// Without slices, which only add to what a box costs.
double LoopFloors::least(int e, const Ways& ways) {
    if (ways.any) return 0.0;
    double least = kNone;
    for (const Way& way : ways.all) {
        const Making making{.einsum = e, .driven = way.driven, .made = way.made};
        least = std::min(least, members_.floor_inside(making, paid_[place(e)]));
    }
    return least;
}

}  // namespace tilewright::certificate::fused_proof
