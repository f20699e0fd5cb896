#include "codegen/cuda/plan.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/numbers/checked.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kBytesPerWord = 4;

std::string suffix_of(Role role) {
    switch (role) {
        case Role::tile: return "_tile";
        case Role::block: return "_block";
        case Role::step: return "_step";
        case Role::thread: return "_thread";
        case Role::point: return "";
    }
    return "";
}

std::vector<std::string> loop_names_of(const Tiling& tiling, const Names& names) {
    std::map<std::string, int> used;
    std::vector<std::string> loop_names;
    for (const KernelLoop& loop : tiling.loops) {
        const std::string name = names.dimensions[loop.dimension] + suffix_of(loop.role);
        const int count = ++used[name];
        loop_names.push_back(count == 1 ? name : name + "_" + std::to_string(count));
    }
    return loop_names;
}

// The written tensor's rank of a dimension; neighbours along the last one are adjacent.
int rank_of(const Tensor& written, int dimension) {
    for (std::size_t rank = 0; rank < written.ranks.size(); ++rank)
        for (const Term& term : written.ranks[rank].terms)
            if (term.dimension == dimension) return static_cast<int>(rank);
    return -1;
}

// Loops of one role, those writing to adjacent words first.
std::vector<int> by_nearness(const Plan& plan, Role role) {
    std::vector<int> found;
    for (int i = static_cast<int>(plan.tiling.loops.size()) - 1; i >= 0; --i)
        if (plan.tiling.loops[i].role == role) found.push_back(i);
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) {
        return rank_of(plan.written(), plan.tiling.loops[a].dimension) >
               rank_of(plan.written(), plan.tiling.loops[b].dimension);
    });
    return found;
}

Dim3 assign(const Plan& plan, Role role, const Dim3& limits, std::array<std::vector<int>, 3>& axes) {
    const std::vector<int> loops = by_nearness(plan, role);
    std::vector<std::int64_t> extents;
    extents.reserve(loops.size());
    for (const int loop : loops) extents.push_back(plan.tiling.loops[loop].extent);
    const Axes assigned = assign_axes(extents, limits);
    const std::array<const std::vector<int>*, 3> parts{&assigned.x, &assigned.y, &assigned.z};
    std::array<std::int64_t, 3> sizes{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const int part : *parts[axis]) {
            axes[axis].push_back(loops[part]);
            sizes[axis] = checked_mul(sizes[axis], extents[part]);
        }
    return {sizes[0], sizes[1], sizes[2]};
}

void set_launch(Plan& plan) {
    const LaunchLimits limits;
    plan.launch.grid = assign(plan, Role::block, limits.grid, plan.grid_axes);
    plan.launch.block = assign(plan, Role::thread, limits.block, plan.block_axes);
    for (int t = 0; t < plan.einsum.tensor_count(); ++t) {
        const Tensor& tensor = plan.einsum.tensors[t];
        const std::int64_t words = plan.tiling.staged.has(t) ? box_words(tensor, plan.tiling.block_box) : 0;
        plan.tile_words.push_back(words);
        plan.launch.shared_bytes = checked_add(plan.launch.shared_bytes, checked_mul(words, kBytesPerWord));
        plan.launch.words_per_thread =
            checked_add(plan.launch.words_per_thread, box_words(tensor, plan.tiling.thread_box));
    }
}

// Indices may exceed a tensor before a comparison, by less than the dimension's loops cover.
bool needs_long_indices(const Plan& plan) {
    Extents covered = whole_extents(plan.einsum);
    for (const KernelLoop& loop : plan.tiling.loops) {
        std::int64_t& extent = covered[loop.dimension];
        extent = std::max(extent, checked_mul(loop.extent, loop.stride));
        extent = checked_add(extent, loop.stride);
    }
    for (const Tensor& tensor : plan.einsum.tensors)
        if (box_words(tensor, covered) > std::numeric_limits<std::int32_t>::max()) return true;
    return *std::max_element(covered.begin(), covered.end()) > std::numeric_limits<std::int32_t>::max();
}

bool is_one_of(Role role, std::initializer_list<Role> roles) {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

bool Plan::has_loop(int dimension, Role role) const {
    return std::any_of(tiling.loops.begin(), tiling.loops.end(),
                       [&](const KernelLoop& loop) { return loop.dimension == dimension && loop.role == role; });
}

Sum Plan::along(int dimension, std::initializer_list<Role> roles, int last) const {
    Sum sum;
    for (int i = 0; i <= last; ++i) {
        const KernelLoop& loop = tiling.loops[i];
        if (loop.dimension == dimension && is_one_of(loop.role, roles)) sum.add(loop_names[i], loop.stride);
    }
    return sum;
}

Sum Plan::along(int dimension, std::initializer_list<Role> roles) const {
    return along(dimension, roles, static_cast<int>(tiling.loops.size()) - 1);
}

Sum Plan::base(int dimension) const {
    Sum sum;
    if (has_loop(dimension, Role::tile) || has_loop(dimension, Role::block))
        sum.add(names.dimensions[dimension] + "_base");
    return sum;
}

Sum Plan::at(int dimension) const {
    Sum sum;
    if (has_loop(dimension, Role::step) || has_loop(dimension, Role::thread))
        sum.add(names.dimensions[dimension] + "_at");
    return sum;
}

Plan plan_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    Plan plan;
    plan.einsum = einsum;
    plan.tiling = tiling_of(einsum, architecture, mapping);
    plan.names = names_for(einsum);
    plan.loop_names = loop_names_of(plan.tiling, plan.names);
    set_launch(plan);
    plan.index_type = needs_long_indices(plan) ? "long long" : "int";
    return plan;
}

std::int64_t rank_extent(const Rank& rank, const Extents& box) {
    std::int64_t extent = 1;
    for (const Term& term : rank.terms)
        extent = checked_add(extent, checked_mul(term.coefficient, box[term.dimension] - 1));
    return extent;
}

std::vector<std::int64_t> rank_strides(const Tensor& tensor, const Extents& box) {
    std::vector<std::int64_t> strides(tensor.ranks.size(), 1);
    for (std::size_t i = tensor.ranks.size(); i-- > 1;)
        strides[i - 1] = checked_mul(strides[i], rank_extent(tensor.ranks[i], box));
    return strides;
}

}  // namespace tilewright::cuda
