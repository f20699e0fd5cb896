#include "fused_enumeration.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/numbers/factors.hpp"
#include "fusion/leaf/leaf_space.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/lifetimes.hpp"
#include "model/fused/walk.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::property {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

using Front = std::vector<FusedCost>;

Front front_of(Front all) {
    std::ranges::sort(all, {}, [](const FusedCost& c) { return std::pair(c.energy_pj, c.cycles); });
    Front front;
    for (const FusedCost& cost : all)
        if (front.empty() || cost.cycles < front.back().cycles) front.push_back(cost);
    return front;
}

Front sum(const Front& a, const Front& b) {
    Front all;
    for (const FusedCost& one : a)
        for (const FusedCost& two : b) all.push_back({one.energy_pj + two.energy_pj, one.cycles + two.cycles});
    return front_of(std::move(all));
}

// Where a tensor of the group stands.
enum class Place { leaf, outside, between, inside, slice };

struct Segment {
    int first = 0;
    int last = 0;
    int dimension = -1;  // of the last einsum, that slices cut
    std::int64_t slices = 1;
};

struct Group {
    int first = 0;
    int last = 0;
    std::vector<std::pair<int, std::int64_t>> loops;  // dimension of the last einsum, step
    std::vector<Segment> segments;
    std::map<int, Place> places;  // by tensor
};

class Enumerator {
   public:
    Enumerator(const Cascade& cascade, const Architecture& architecture, int longest, std::uint64_t most,
               const ListLeaf& list_leaf)
        : cascade_(cascade),
          architecture_(architecture),
          machine_(fusion::machine_of(architecture)),
          longest_(longest),
          most_(most),
          list_leaf_(list_leaf) {}

    Enumeration run() {
        Enumeration result;
        result.front = partitions(longest_);
        result.unfused = partitions(1);
        result.mappings = mappings_;
        result.complete = trees_ <= most_;
        return result;
    }

   private:
    Front partitions(int longest) {
        std::vector<Front> before(at(cascade_.einsum_count()) + 1);
        before[0] = {{}};
        for (int last = 0; last < cascade_.einsum_count(); ++last)
            for (int first = std::max(0, last + 1 - longest); first <= last; ++first) {
                if (before[at(first)].empty()) continue;
                const Front more = sum(before[at(first)], group_front(first, last));
                Front& here = before[at(last) + 1];
                here.insert(here.end(), more.begin(), more.end());
                here = front_of(std::move(here));
            }
        return before.back();
    }

    const Front& group_front(int first, int last) {
        const auto [entry, is_new] = fronts_.try_emplace({first, last});
        if (!is_new) return entry->second;
        Front all;
        Group group{first, last, {}, {}, {}};
        if (is_one_group(first, last))
            each_loops(group,
                       [&] { each_segments(group, first, [&] { each_place(group, [&] { count(group, all); }); }); });
        return entry->second = front_of(std::move(all));
    }

    const CascadeTensor& tensor(int t) const { return cascade_.tensors[at(t)]; }
    const Einsum& einsum(int e) const { return cascade_.einsums[at(e)].einsum; }

    // All that is made but the last result is read inside and nowhere else.
    bool is_one_group(int first, int last) const {
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            if (tensor(t).writers.empty()) continue;
            const int writer = tensor(t).writers.front().einsum;
            if (writer < first || writer >= last) continue;
            if (tensor(t).role != TensorRole::intermediate || tensor(t).readers.back().einsum > last) return false;
        }
        return true;
    }

    // ------------------------------------------------------------ choices

    void each_loops(Group& group, const std::function<void()>& then) {
        const Einsum& last = einsum(group.last);
        std::vector<int> dimensions;
        const bool image = find_dimension(last, "p") >= 0;
        for (int d = 0; d < last.dimension_count(); ++d) {
            const std::string& name = last.dimensions[at(d)].name;
            if (is_relevant(result_of(last), d) &&
                (image ? name == "p" || name == "q" : is_read_from_outside_weights(group.last, d)))
                dimensions.push_back(d);
        }
        group.loops.clear();
        if (!image) then();
        for (const int outer : dimensions)
            for (const std::int64_t step : steps(last, outer, image)) {
                group.loops = {{outer, step}};
                if (!image) then();
                for (const int inner : dimensions) {
                    if (inner == outer || (image && inner < outer)) continue;
                    for (const std::int64_t inner_step : steps(last, inner, image)) {
                        group.loops = {{outer, step}, {inner, inner_step}};
                        then();
                    }
                }
            }
        group.loops.clear();
    }

    bool is_read_from_outside_weights(int e, int d) const {
        const CascadeEinsum& one = cascade_.einsums[at(e)];
        for (std::size_t t = 0; t < one.accesses.size(); ++t)
            if (!one.einsum.tensors[t].written && tensor(one.accesses[t].tensor).role != TensorRole::weight &&
                is_relevant(one.einsum.tensors[t], d))
                return true;
        return false;
    }

    static const Tensor& result_of(const Einsum& einsum) {
        return *std::ranges::find_if(einsum.tensors, [](const Tensor& tensor) { return tensor.written; });
    }

    // Of an image a loop of one step counts, too.
    static std::vector<std::int64_t> steps(const Einsum& einsum, int dimension, bool image) {
        std::vector<std::int64_t> all = divisors(einsum.dimensions[at(dimension)].extent);
        if (!image) all.pop_back();
        return all;
    }

    void each_segments(Group& group, int first, const std::function<void()>& then) {
        if (first > group.last) return then();
        for (int last = first; last <= group.last; ++last) {
            if (last == first) {
                group.segments.push_back({first, last});
                each_segments(group, last + 1, then);
                group.segments.pop_back();
                continue;
            }
            const Einsum& one = einsum(last);
            for (int d = 0; d < one.dimension_count(); ++d) {
                const std::string& name = one.dimensions[at(d)].name;
                if (is_relevant(result_of(one), d) || name == "r" || name == "s") continue;  // windows are not sliced
                for (const std::int64_t slices : divisors(one.dimensions[at(d)].extent)) {
                    if (slices == 1) continue;
                    group.segments.push_back({first, last, d, slices});
                    each_segments(group, last + 1, then);
                    group.segments.pop_back();
                }
            }
        }
    }

    void each_place(Group& group, const std::function<void()>& then) {
        std::vector<int> tensors;
        for (int t = 0; t < cascade_.tensor_count(); ++t)
            if (is_used(group, t)) tensors.push_back(t);
        place(group, tensors, 0, then);
    }

    bool is_used(const Group& group, int t) const {
        for (const auto* uses : {&tensor(t).writers, &tensor(t).readers})
            for (const TensorUse& use : *uses)
                if (group.first <= use.einsum && use.einsum <= group.last) return true;
        return false;
    }

    bool is_made(const Group& group, int t) const {
        return !tensor(t).writers.empty() && tensor(t).writers.front().einsum >= group.first;
    }

    void place(Group& group, const std::vector<int>& tensors, std::size_t next, const std::function<void()>& then) {
        if (next == tensors.size()) return then();
        for (const Place one : places(group, tensors[next])) {
            group.places[tensors[next]] = one;
            place(group, tensors, next + 1, then);
        }
        group.places.erase(tensors[next]);
    }

    std::vector<Place> places(const Group& group, int t) const {
        const bool loops = !group.loops.empty();
        const bool two = group.loops.size() == 2;
        if (is_made(group, t) && tensor(t).writers.front().einsum == group.last) return {Place::leaf, Place::inside};
        std::vector<Place> all;
        if (tensor(t).role == TensorRole::weight) {
            all = {Place::leaf};
            if (loops) all.push_back(Place::outside);
            if (two) all.push_back(Place::between);
            return all;
        }
        if (!is_made(group, t)) all.push_back(Place::leaf);
        all.push_back(Place::inside);
        if (loops) all.push_back(Place::outside);
        if (two) all.push_back(Place::between);
        if (is_made(group, t) && is_of_slices(group, t)) all.push_back(Place::slice);
        return all;
    }

    // Made and read inside one segment of slices, by one einsum each.
    bool is_of_slices(const Group& group, int t) const {
        const int writer = tensor(t).writers.front().einsum;
        const int reader = tensor(t).readers.back().einsum;
        return std::ranges::any_of(group.segments, [&](const Segment& segment) {
            return segment.slices > 1 && segment.first <= writer && reader <= segment.last;
        });
    }

    // ------------------------------------------------------------ trees

    static int store(FusedMapping& tree, int parent, const Group& group, std::initializer_list<Place> where,
                     const std::function<bool(int)>& wanted = {}) {
        SharedStore one{1, {}};
        for (const auto& [t, place] : group.places)
            if (std::ranges::find(where, place) != where.end() && (!wanted || wanted(t))) one.tensors.push_back(t);
        return one.tensors.empty() ? parent : append(tree, parent, one);
    }

    FusedMapping tree_of(const Group& group) const {
        FusedMapping tree;
        SharedStore outermost{0, {}};
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            const bool inside = is_used(group, t) && is_made(group, t) && tensor(t).writers.front().einsum < group.last;
            if (!inside) outermost.tensors.push_back(t);
        }
        const int split = append(tree, append(tree, -1, outermost), SequentialSplit{});
        for (int e = 0; e < cascade_.einsum_count(); ++e) {
            if (e == group.first) add(tree, split, group);
            if (e < group.first || e > group.last) append(tree, split, FusedLeaf{e, {LeafNest{}}});
        }
        return tree;
    }

    void add(FusedMapping& tree, int parent, const Group& group) const {
        parent = store(tree, parent, group, {Place::outside});
        if (!group.loops.empty())
            parent = append(tree, parent, SharedLoop{group.loops[0].first, group.loops[0].second});
        parent = store(tree, parent, group, {Place::between});
        if (group.loops.size() == 2)
            parent = append(tree, parent, SharedLoop{group.loops[1].first, group.loops[1].second});
        parent = append(tree, store(tree, parent, group, {Place::inside}), SequentialSplit{});
        for (const Segment& segment : group.segments) {
            int inside = parent;
            if (segment.slices > 1) {
                const std::int64_t extent = einsum(segment.last).dimensions[at(segment.dimension)].extent;
                inside = append(tree, inside, SharedLoop{segment.dimension, extent / segment.slices});
                inside = store(tree, inside, group, {Place::slice}, [&](int t) {
                    return segment.first <= tensor(t).writers.front().einsum &&
                           tensor(t).readers.back().einsum <= segment.last;
                });
                inside = append(tree, inside, SequentialSplit{});
            }
            for (int e = segment.first; e <= segment.last; ++e) append(tree, inside, FusedLeaf{e, {LeafNest{}}});
        }
    }

    // ------------------------------------------------------------ counts

    void count(const Group& group, Front& all) {
        if (++trees_ > most_) return;
        const FusedMapping mapping = tree_of(group);
        if (!check_fused(cascade_, architecture_, mapping).empty()) return;
        const FusedTree tree(cascade_, mapping);
        const fused::WalkCounts counts = fused::walk_boxes(cascade_, tree);
        if (!counts.violations.empty() || !is_of_the_space(group, tree, counts)) return;
        ++mappings_;
        Front front{{}};
        for (int s = 0; s < static_cast<int>(counts.stores.size()); ++s) {
            fused::Evaluation evaluation;
            for (int m = 0; m < architecture_.memory_count(); ++m) {
                fused::MemoryCost memory;
                memory.tensors.resize(cascade_.tensors.size());
                evaluation.memories.push_back(std::move(memory));
            }
            const fused::StoreCost cost = fused::store_cost(cascade_, architecture_, tree, counts, s, evaluation);
            front = sum(front, {{cost.energy_pj, static_cast<double>(cost.cycles)}});
        }
        std::map<std::pair<int, std::vector<std::int64_t>>, std::pair<std::int64_t, std::int64_t>> calls;
        for (const auto& [call, times] : counts.calls) {
            auto& both = calls[{call.leaf, call.extents}];
            (call.resumed.empty() ? both.first : both.second) += times;
        }
        for (const auto& [key, times] : calls) {
            const int e = tree.leaf(key.first)->einsum;
            if (e < group.first || e > group.last) continue;
            if (times.first == 0 || times.second % times.first != 0) return;
            const Front leaf = leaf_front(tree, counts, key.first, key.second, times);
            if (leaf.empty()) return;
            front = sum(front, leaf);
        }
        all.insert(all.end(), front.begin(), front.end());
        constexpr std::size_t kMany = 500;
        if (all.size() > kMany) all = front_of(std::move(all));
    }

    // Several readers of a tile of which nothing serves the next step need the same boxes; sums over slices go to the
    // buffer.
    bool is_of_the_space(const Group& group, const FusedTree& tree, const fused::WalkCounts& counts) const {
        for (const Segment& segment : group.segments)
            if (segment.slices > 1 && segment.last == group.last)
                for (const auto& [t, place] : group.places)
                    if (is_made(group, t) && tensor(t).writers.front().einsum == group.last && place == Place::leaf)
                        return false;
        for (const fused::StoreCounts& one : counts.stores) {
            if (tree.store(one.store)->memory != 1 || one.survives || group.places.at(one.tensor) != Place::inside)
                continue;
            std::set<std::set<std::vector<std::int64_t>>> needs;
            for (const TensorUse& use : tensor(one.tensor).readers) {
                if (use.einsum < group.first || use.einsum > group.last) continue;
                std::set<std::vector<std::int64_t>> boxes;
                for (const auto& [call, times] : counts.calls)
                    if (tree.leaf(call.leaf)->einsum == use.einsum) boxes.insert(window(use, call.extents));
                needs.insert(boxes);
            }
            if (needs.size() > 1 && !reach_the_same(tree, counts, one.tensor, group)) return false;
        }
        return true;
    }

    // All readers work once, on all of their iterations, and reach the same words.
    bool reach_the_same(const FusedTree& tree, const fused::WalkCounts& counts, int t, const Group& group) const {
        std::vector<fused::Box> reached;
        for (const TensorUse& use : tensor(t).readers) {
            if (use.einsum < group.first || use.einsum > group.last) continue;
            const fused::Iterations all = fused::all_iterations(einsum(use.einsum));
            for (const auto& [call, times] : counts.calls)
                if (tree.leaf(call.leaf)->einsum == use.einsum && call.extents != fused::extents_of(all)) return false;
            const auto box = fused::touched(cascade_.einsums[at(use.einsum)], use.operand, all, tensor(t));
            if (!box) return false;
            reached.push_back(*box);
        }
        return std::ranges::all_of(reached, [&](const fused::Box& box) { return box == reached.front(); });
    }

    // Extents and offsets of what the reader reaches.
    std::vector<std::int64_t> window(const TensorUse& use, const std::vector<std::int64_t>& extents) const {
        std::vector<std::int64_t> reached;
        for (const Coordinate& coordinate : cascade_.einsums[at(use.einsum)].accesses[at(use.operand)].coordinates) {
            std::int64_t width = 1;
            for (const Term& term : coordinate.terms) width += term.coefficient * (extents[at(term.dimension)] - 1);
            reached.push_back(width);
            reached.push_back(coordinate.offset);
        }
        return reached;
    }

    Front leaf_front(const FusedTree& tree, const fused::WalkCounts& counts, int leaf,
                     const std::vector<std::int64_t>& extents, const std::pair<std::int64_t, std::int64_t>& times) {
        std::int64_t room = machine_.capacity_words;
        for (const fused::StoreCounts& one : counts.stores)
            if (tree.store(one.store)->memory == 1 && fused::is_reserved_at(cascade_, tree, one, leaf))
                room -= one.tile_words;
        const int e = tree.leaf(leaf)->einsum;
        fusion::LeafQuestion question{extents, {}, times.second / times.first};
        const std::vector<int> held = fused::held_in(cascade_, tree, leaf);
        for (int t = 0; t < einsum(e).tensor_count(); ++t)
            if (held[at(t)] == 1) question.held.add(t);
        const auto [entry, is_new] = leaves_.try_emplace({e, question});
        if (is_new)
            entry->second = fusion::front_of(list_leaf_ ? list_leaf_(e, question) : points_of_array(e, question));
        Front front;
        const auto calls = static_cast<double>(times.first);
        for (const fusion::LeafPoint& point : entry->second)
            if (point.words <= room) front.push_back({point.energy_pj * calls, point.cycles * calls});
        return front_of(std::move(front));
    }

    // All of them: no bound of the search's own.
    std::vector<fusion::LeafPoint> points_of_array(int e, const fusion::LeafQuestion& question) const {
        fusion::Neighbours neighbours(einsum(e));
        std::vector<fusion::LeafPoint> points;
        fusion::LeafSpace(einsum(e), machine_, question, neighbours)
            .list([&](const fusion::LeafChoice&, const fusion::LeafPoint& point) {
                points.push_back(point);
                return true;
            });
        return points;
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    fusion::Machine machine_;
    int longest_;
    std::uint64_t most_;
    const ListLeaf& list_leaf_;
    std::uint64_t trees_ = 0;
    std::uint64_t mappings_ = 0;
    std::map<std::pair<int, int>, Front> fronts_;
    std::map<std::pair<int, fusion::LeafQuestion>, fusion::LeafFront> leaves_;
};

}  // namespace

Enumeration enumerate_fused(const Cascade& cascade, const Architecture& architecture, int longest_group,
                            std::uint64_t most, const ListLeaf& list_leaf) {
    return Enumerator(cascade, architecture, longest_group, most, list_leaf).run();
}

}  // namespace tilewright::property
