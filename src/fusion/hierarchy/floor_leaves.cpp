#include "fusion/hierarchy/floor_leaves.hpp"

#include <algorithm>
#include <cstdint>

#include "fusion/hierarchy/roles.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

double points_of(const std::vector<std::int64_t>& extents) {
    double points = 1.0;
    for (const std::int64_t extent : extents) points *= static_cast<double>(extent);
    return points;
}

std::vector<std::int64_t> extents_of(const Einsum& einsum) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    return extents;
}

}  // namespace

FloorLeaves::FloorLeaves(const Cascade& cascade, const Architecture& architecture,
                         const std::vector<Constraints>& demands, const std::vector<std::vector<bool>>& any_extent,
                         Wanted wanted, const PartialBits& partial)
    : cascade_(cascade), wanted_(wanted), alike_(first_alike(cascade, demands, partial)) {
    const int buffer = shared_buffer(architecture);
    if (problem_with_machine(architecture).empty()) machine_ = machine_of(architecture);
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const Einsum& einsum = cascade.einsums[at(e)].einsum;
        floors_.emplace_back(einsum, architecture, buffer, demands[at(e)]);
        sums_.push_back(sums_of(cascade, e, partial));
        if (!machine_) continue;
        ways_.emplace_back(einsum, machine_->array);
        ways_of_points_.push_back(ways_.back().of_any_box(any_extent[at(e)]));
    }
}

std::size_t FloorLeaves::Hash::operator()(const Key& key) const { return hash_of(key.first, key.second); }

// Of `points` points of a box of these extents.
OperandHomes FloorLeaves::homes_of(int e, const std::vector<std::int64_t>& extents, const std::vector<double>& paid,
                                   double points) const {
    const Einsum& einsum = cascade_.einsums[at(e)].einsum;
    OperandHomes homes{};
    const double share = points / points_of(extents);
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        homes[at(t)].once = touched_words(einsum.tensors[at(t)], extents) * share;
        homes[at(t)].sum_bits = sums_[at(e)][at(t)];
        if (paid[at(t)] < 0.0) continue;
        homes[at(t)].home = Home::either;
        homes[at(t)].paid = paid[at(t)] * points;
    }
    return homes;
}

LeafFront FloorLeaves::corners_of(int e, const LeafQuestion& question) {
    if (!machine_ || !floors_[at(e)].may_hold(question.held)) return {floors_[at(e)].of(question)};
    const Einsum& einsum = cascade_.einsums[at(e)].einsum;
    OperandHomes homes{};
    for (int t = 0; t < einsum.tensor_count(); ++t)
        homes[at(t)] = {question.held.has(t) ? Home::buffer : Home::dram,
                        touched_words(einsum.tensors[at(t)], question.extents), 0.0, sums_[at(e)][at(t)]};
    LeafFront corners;
    for (const Cost& cost : array_corners(einsum, *machine_, ways_[at(e)].of_box(question.extents), homes,
                                          {points_of(question.extents), question.resumed, true}, wanted_))
        corners.push_back({0, cost.energy_pj, cost.cycles});
    return corners;
}

FloorLeaves::Known& FloorLeaves::known(int einsum, const LeafQuestion& question) {
    const int first = alike_[at(einsum)];
    const auto [entry, is_new] = points_.try_emplace(Key{first, question});
    Known& one = entry->second;
    if (!is_new) return one;
    one.corners = corners_of(first, question);
    one.floor = {0, one.corners.front().energy_pj, one.corners.back().cycles};
    if (floors_[at(first)].may_hold(question.held)) one.front = one.corners;
    return one;
}

const LeafFront& FloorLeaves::front(int einsum, const LeafQuestion& question) { return known(einsum, question).front; }

const LeafPoint& FloorLeaves::floor(int einsum, const LeafQuestion& question) { return known(einsum, question).floor; }

std::span<const LeafPoint> FloorLeaves::corners(int einsum, const LeafQuestion& question) {
    return known(einsum, question).corners;
}

const std::vector<LeastPerPoint>& FloorLeaves::per_point(int einsum, const std::vector<double>& paid) {
    const auto [entry, is_new] = per_point_.try_emplace({einsum, paid});  // alike ones differ in extents
    if (is_new) entry->second = find_per_point(einsum, paid);
    return entry->second;
}

std::vector<LeastPerPoint> FloorLeaves::find_per_point(int e, const std::vector<double>& paid) const {
    if (!machine_) return {floors_[at(e)].per_point()};
    const Einsum& einsum = cascade_.einsums[at(e)].einsum;
    std::vector<LeastPerPoint> all;
    for (const Cost& cost : array_corners(einsum, *machine_, ways_of_points_[at(e)],
                                          homes_of(e, extents_of(einsum), paid, 1.0), {.points = 1.0}, wanted_))
        all.push_back({cost.energy_pj, cost.cycles});
    return all;
}

Hull FloorLeaves::per_point_of(int einsum, const std::vector<std::int64_t>& extents, const std::vector<double>& paid) {
    if (!machine_) return {};
    const int e = alike_[at(einsum)];
    const Einsum& shape = cascade_.einsums[at(e)].einsum;
    const double points = points_of(extents);
    std::vector<Cost> corners = array_corners(shape, *machine_, ways_[at(e)].of_box(extents),
                                              homes_of(e, extents, paid, points), {.points = points}, wanted_);
    for (Cost& corner : corners) corner = {corner.energy_pj / points, corner.cycles / points};
    return hull_of(std::move(corners));
}

// At each number of units the corners, raised by what is known of so many or more.
LeafFront FloorLeaves::with_lessons(const Known& known) {
    std::vector<std::int64_t> steps{0};
    for (const Lesson& lesson : known.lessons) steps.push_back(lesson.units + 1);
    std::ranges::sort(steps);
    steps.erase(std::ranges::unique(steps).begin(), steps.end());
    LeafFront front;
    for (const std::int64_t step : steps) {
        LeafPoint least{step};
        bool fits = true;
        for (const Lesson& lesson : known.lessons) {
            if (lesson.units < step) continue;
            fits = fits && lesson.least.has_value();
            if (!fits) break;
            least.energy_pj = std::max(least.energy_pj, lesson.least->energy_pj);
            least.cycles = std::max(least.cycles, lesson.least->cycles);
        }
        for (const LeafPoint& corner : known.corners) {
            const LeafPoint point{step, std::max(least.energy_pj, corner.energy_pj),
                                  std::max(least.cycles, corner.cycles)};
            const auto is_no_better = [&](const LeafPoint& other) {
                return other.energy_pj <= point.energy_pj && other.cycles <= point.cycles;
            };
            if (fits && std::ranges::none_of(front, is_no_better)) front.push_back(point);
        }
    }
    return front;
}

void FloorLeaves::learn(int einsum, const LeafQuestion& question, std::int64_t units,
                        const std::optional<LeafPoint>& least) {
    Known& one = known(einsum, question);
    if (one.front.empty()) return;
    one.lessons.push_back({units, least});
    LeafFront front = with_lessons(one);
    has_learnt_ = has_learnt_ || front != one.front;
    one.front = std::move(front);
}

}  // namespace tilewright::fusion
