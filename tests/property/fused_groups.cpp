#include "fused_groups.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/numbers/factors.hpp"

namespace tilewright::property {
namespace {

const Tensor& result_of(const Einsum& einsum) {
    return *std::ranges::find_if(einsum.tensors, [](const Tensor& tensor) { return tensor.written; });
}

// Along an image a loop of one step counts, too.
std::vector<std::int64_t> steps(const Einsum& einsum, int dimension, bool image) {
    std::vector<std::int64_t> all = divisors(einsum.dimensions[dimension].extent);
    if (!image) all.pop_back();
    return all;
}

// Places of a window along an axis: not where each word of the axis lies in one window, at one place.
bool slides(const Einsum& einsum, const Coordinate& coordinate, std::int64_t axis) {
    if (coordinate.terms.size() == 1) return coordinate.terms[0].coefficient > 1;
    if (coordinate.terms.size() != 2) return false;
    const auto extent = [&](int term) { return einsum.dimensions[coordinate.terms[term].dimension].extent; };
    const int window = einsum.dimensions[coordinate.terms[0].dimension].name == "r" ||
                               einsum.dimensions[coordinate.terms[0].dimension].name == "s"
                           ? 0
                           : 1;
    const std::int64_t stride = coordinate.terms[1 - window].coefficient;
    const bool apart = stride == extent(window) || (stride == 1 && extent(1 - window) == 1);
    return !apart || coordinate.offset != 0 || extent(0) * extent(1) != axis;
}

int store(FusedMapping& tree, int parent, const Group& group, std::initializer_list<Place> where,
          const std::function<bool(int)>& wanted = {}) {
    SharedStore one{1, {}};
    for (const auto& [t, place] : group.places)
        if (std::ranges::find(where, place) != where.end() && (!wanted || wanted(t))) one.tensors.push_back(t);
    return one.tensors.empty() ? parent : append(tree, parent, one);
}

bool place(const std::vector<Choice>& choices, std::size_t next, Group& group, const std::function<bool()>& then) {
    if (next == choices.size()) return then();
    return std::ranges::all_of(choices[next].places, [&](Place one) {
        group.places[choices[next].tensor] = one;
        return place(choices, next + 1, group, then);
    });
}

}  // namespace

bool each_place(const std::vector<Choice>& choices, Group& group, const std::function<bool()>& then) {
    return place(choices, 0, group, then);
}

FusedGroups::FusedGroups(const Cascade& cascade) : cascade_(cascade) {
    for (const CascadeEinsum& one : cascade.einsums)
        for (const Access& access : one.accesses)
            for (std::size_t a = 0; a < access.coordinates.size(); ++a)
                if (slides(one.einsum, access.coordinates[a], tensor(access.tensor).shape[a]))
                    for (const Term& term : access.coordinates[a].terms)
                        images_.insert(one.einsum.dimensions[term.dimension].name);
    images_.erase("r");
    images_.erase("s");
}

bool FusedGroups::is_one(int first, int last) const {
    for (int t = 0; t < cascade_.tensor_count(); ++t)
        for (const TensorUse& writer : tensor(t).writers) {
            if (writer.einsum < first || writer.einsum >= last) continue;
            if (tensor(t).role != TensorRole::intermediate || tensor(t).readers.back().einsum > last) return false;
            if (tensor(t).writers.size() > 1) return false;  // it goes through the DRAM
        }
    return true;
}

void FusedGroups::each(int first, int last, const std::function<bool(const Group&)>& then) const {
    Group group{first, last, {}, {}, {}};
    each_loops(group, [&](Group& one) { return each_segments(one, first, [&](Group& whole) { return then(whole); }); });
}

bool FusedGroups::each_loops(Group& group, const Then& then) const {
    const Einsum& last = einsum(group.last);
    std::vector<int> rows;
    std::vector<int> images;
    for (int d = 0; d < last.dimension_count(); ++d) {
        if (!is_relevant(result_of(last), d)) continue;
        if (images_.contains(last.dimensions[d].name)) images.push_back(d);
        if (is_read_from_outside_weights(group.last, d)) rows.push_back(d);
    }
    const bool image = !images.empty();
    const std::vector<int>& dimensions = image ? images : rows;
    group.loops.clear();
    if (!image && !then(group)) return false;
    for (const int outer : dimensions)
        for (const std::int64_t step : steps(last, outer, image)) {
            group.loops = {{outer, step}};
            if ((!image || images.size() == 1) && !then(group)) return false;
            for (const int inner : dimensions) {
                if (inner == outer || (image && inner < outer)) continue;
                for (const std::int64_t inner_step : steps(last, inner, image)) {
                    group.loops = {{outer, step}, {inner, inner_step}};
                    if (!then(group)) return false;
                }
            }
        }
    return true;
}

bool FusedGroups::is_read_from_outside_weights(int e, int d) const {
    const CascadeEinsum& one = cascade_.einsums[e];
    for (std::size_t t = 0; t < one.accesses.size(); ++t)
        if (!one.einsum.tensors[t].written && tensor(one.accesses[t].tensor).role != TensorRole::weight &&
            is_relevant(one.einsum.tensors[t], d))
            return true;
    return false;
}

bool FusedGroups::each_segments(Group& group, int first, const Then& then) const {
    if (first > group.last) return then(group);
    const auto with = [&](const Segment& segment) {
        group.segments.push_back(segment);
        const bool go_on = each_segments(group, segment.last + 1, then);
        group.segments.pop_back();
        return go_on;
    };
    if (!with({first, first})) return false;
    for (int last = first + 1; last <= group.last; ++last) {
        const Einsum& one = einsum(last);
        for (int d = 0; d < one.dimension_count(); ++d) {
            const std::string& name = one.dimensions[d].name;
            if (is_relevant(result_of(one), d) || name == "r" || name == "s") continue;  // windows are not sliced
            for (const std::int64_t slices : divisors(one.dimensions[d].extent))
                if (slices > 1 && !with({first, last, d, slices})) return false;
        }
    }
    return true;
}

// ------------------------------------------------------------ tensors

bool FusedGroups::is_used(const Group& group, int t) const {
    for (const auto* uses : {&tensor(t).writers, &tensor(t).readers})
        for (const TensorUse& use : *uses)
            if (group.first <= use.einsum && use.einsum <= group.last) return true;
    return false;
}

bool FusedGroups::is_made(const Group& group, int t) const {
    return std::ranges::any_of(tensor(t).writers, [&](const TensorUse& writer) {
        return group.first <= writer.einsum && writer.einsum <= group.last;
    });
}

bool FusedGroups::is_made_inside(const Group& group, int t) const {
    return is_made(group, t) && tensor(t).writers.size() == 1 && tensor(t).writers.front().einsum < group.last;
}

std::vector<Choice> FusedGroups::choices(const Group& group, bool made_inside) const {
    std::vector<Choice> all;
    for (int t = 0; t < cascade_.tensor_count(); ++t)
        if (is_used(group, t) && is_made_inside(group, t) == made_inside) all.push_back({t, places(group, t)});
    return all;
}

std::vector<Place> FusedGroups::places(const Group& group, int t) const {
    const bool loops = !group.loops.empty();
    const bool two = group.loops.size() == 2;
    if (is_made(group, t) && !is_made_inside(group, t)) return {Place::leaf, Place::inside};
    if (is_made(group, t) && !moves_with_all_loops(group, t)) return {};
    if (!is_made(group, t) && moves_with_the_inner_loop_only(group, t)) return {Place::leaf};
    std::vector<Place> all;
    if (tensor(t).role == TensorRole::weight) {
        all = {Place::leaf};
        const bool outer_moves = loops && moves_with(group, 0, t);
        const bool inner_moves = two && moves_with(group, 1, t);
        const bool inner_steps = two && has_several_steps(group, 1);
        if (inner_moves || !loops) return all;
        if (!outer_moves && (inner_steps || has_several_steps(group, 0))) all.push_back(Place::outside);
        if (inner_steps) all.push_back(Place::between);
        return all;
    }
    if (!is_made(group, t)) all.push_back(Place::leaf);
    all.push_back(Place::inside);
    if (loops && !moves_with(group, 0, t)) all.push_back(Place::outside);
    if (two) all.push_back(Place::between);
    if (is_made(group, t) && is_of_slices(group, t)) all.push_back(Place::slice);
    return all;
}

// Made and read inside one segment of slices.
bool FusedGroups::is_of_slices(const Group& group, int t) const {
    const int writer = tensor(t).writers.front().einsum;
    const int reader = tensor(t).readers.back().einsum;
    return std::ranges::any_of(group.segments, [&](const Segment& segment) {
        return segment.slices > 1 && segment.first <= writer && reader <= segment.last;
    });
}

bool FusedGroups::has_several_steps(const Group& group, std::size_t loop) const {
    const auto& [dimension, step] = group.loops[loop];
    return step < einsum(group.last).dimensions[dimension].extent;
}

bool FusedGroups::moves_with(const Group& group, std::size_t loop, int t) const {
    return driven(group.first, group.last, group.loops[loop].first).moves(t);
}

bool FusedGroups::moves_with_all_loops(const Group& group, int t) const {
    for (std::size_t loop = 0; loop < group.loops.size(); ++loop)
        if (!moves_with(group, loop, t)) return false;
    return true;
}

bool FusedGroups::moves_with_the_inner_loop_only(const Group& group, int t) const {
    return group.loops.size() == 2 && moves_with(group, 1, t) && !moves_with(group, 0, t);
}

bool Driven::moves(int tensor) const {
    return std::ranges::any_of(axes, [&](const std::pair<int, int>& axis) { return axis.first == tensor; });
}

Driven FusedGroups::driven(int first, int last, int dimension) const {
    Driven driven;
    driven.dimensions[last].insert(dimension);
    for (int e = last; e >= first; --e) {
        std::set<int>& dimensions = driven.dimensions[e];
        const auto each_term = [&](bool written, const std::function<void(std::pair<int, int>, int)>& look) {
            for (int operand = 0; operand < einsum(e).tensor_count(); ++operand) {
                const Access& access = cascade_.einsums[e].accesses[operand];
                if (einsum(e).tensors[operand].written != written) continue;
                for (int a = 0; a < static_cast<int>(access.coordinates.size()); ++a)
                    for (const Term& term : access.coordinates[a].terms) look({access.tensor, a}, term.dimension);
            }
        };
        each_term(true, [&](std::pair<int, int> axis, int d) {
            if (driven.axes.contains(axis)) dimensions.insert(d);
        });
        each_term(false, [&](std::pair<int, int> axis, int d) {
            if (dimensions.contains(d)) driven.axes.insert(axis);
        });
    }
    return driven;
}

// ------------------------------------------------------------ trees

FusedMapping FusedGroups::tree_of(const Group& group) const {
    FusedMapping tree;
    SharedStore outermost{0, {}};
    for (int t = 0; t < cascade_.tensor_count(); ++t)
        if (!is_used(group, t) || !is_made_inside(group, t)) outermost.tensors.push_back(t);
    const int split = append(tree, append(tree, -1, outermost), SequentialSplit{});
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
        if (e == group.first) add(tree, split, group);
        if (e < group.first || e > group.last) append(tree, split, FusedLeaf{e, {LeafNest{}}});
    }
    return tree;
}

void FusedGroups::add(FusedMapping& tree, int parent, const Group& group) const {
    parent = store(tree, parent, group, {Place::outside});
    if (!group.loops.empty()) parent = append(tree, parent, SharedLoop{group.loops[0].first, group.loops[0].second});
    parent = store(tree, parent, group, {Place::between});
    if (group.loops.size() == 2) parent = append(tree, parent, SharedLoop{group.loops[1].first, group.loops[1].second});
    parent = append(tree, store(tree, parent, group, {Place::inside}), SequentialSplit{});
    for (const Segment& segment : group.segments) {
        int inside = parent;
        if (segment.slices > 1) {
            const std::int64_t extent = einsum(segment.last).dimensions[segment.dimension].extent;
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

}  // namespace tilewright::property
