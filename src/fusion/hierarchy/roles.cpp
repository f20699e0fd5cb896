#include "fusion/hierarchy/roles.hpp"

#include <algorithm>

#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"
#include "workload/cascade/layers.hpp"

namespace tilewright::fusion {
namespace {

bool allow_remainders(const Constraints& rules) {
    return std::ranges::any_of(rules.levels, [](const LevelConstraint& level) {
        return level.temporal.remainders || level.spatial.remainders;
    });
}

// What is more than two operands comes from the buffer, word by word.
void add_further(TensorSet further, const Architecture& architecture, Constraints& rules) {
    const int buffer = shared_buffer(architecture);
    for (int m = buffer; m < static_cast<int>(rules.levels.size()); ++m) {
        TensorSet& set = m == buffer ? rules.levels[m].must_keep : rules.levels[m].must_bypass;
        set = TensorSet::from_bits(set.bits() | further.bits());
    }
}

Einsum nameless(Einsum einsum) {
    einsum.name.clear();
    for (Dimension& dimension : einsum.dimensions) dimension = {};
    for (Tensor& tensor : einsum.tensors) tensor.name.clear();
    return einsum;
}

}  // namespace

std::vector<Constraints> demands_of(const Cascade& cascade, const Architecture& architecture, const DemandsOf& demands,
                                    std::string& problem) {
    std::vector<Constraints> all;
    const Einsum two = layer_of_parts(true);
    const Einsum one = layer_of_parts(false);
    const Constraints of_two = demands ? demands(two) : Constraints{};
    const Constraints of_one = demands ? demands(one) : Constraints{};
    if (allow_remainders(of_two) || allow_remainders(of_one)) problem = "it allows loops that leave remainders";
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const Einsum& einsum = cascade.einsums[e].einsum;
        const auto is_read = [](const Tensor& tensor) { return !tensor.written; };
        const bool has_one = std::ranges::count_if(einsum.tensors, is_read) == 1;
        const LayerRoles roles = layer_roles(einsum, weights_of(cascade, e));
        Constraints own = has_one ? rules_by_role(of_one, one, einsum, roles, architecture, problem)
                                  : rules_by_role(of_two, two, einsum, roles, architecture, problem);
        add_further(roles.further(), architecture, own);
        all.push_back(std::move(own));
    }
    return all;
}

Axes axes_of(const LoopConstraint& loops, const Mesh& room, int dimensions) {
    Axes axes{0, 0, room};
    const auto inner = static_cast<int>(loops.inner.size());
    const auto outer = static_cast<int>(loops.outer.size());
    const int free = std::max(0, dimensions - inner - outer);
    for (int d = 0; d < dimensions; ++d) {
        const auto in_inner = static_cast<int>(std::ranges::find(loops.inner, d) - loops.inner.begin());
        const auto in_outer = static_cast<int>(std::ranges::find(loops.outer, d) - loops.outer.begin());
        const bool is_free = in_inner == inner && in_outer == outer;
        const int first = in_inner < inner || is_free ? in_inner : inner + free + in_outer;
        const int last = is_free ? inner + free - 1 : first;
        const int split = loops.split.value_or(0);
        if (room.x > 1 && (!loops.split || first < split)) axes.along_x |= 1U << d;
        if (room.y > 1 && (!loops.split || last >= split)) axes.along_y |= 1U << d;
    }
    return axes;
}

std::vector<int> first_alike(const Cascade& cascade, const std::vector<Constraints>& demands,
                             const PartialBits& partial) {
    std::vector<Einsum> shapes;
    std::vector<PartialBits> sums;
    std::vector<int> firsts;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        shapes.push_back(nameless(cascade.einsums[e].einsum));
        sums.push_back(sums_of(cascade, e, partial));
        int first = 0;
        while (!(shapes[first] == shapes.back() && demands[first] == demands[e] && sums[first] == sums.back())) ++first;
        firsts.push_back(first);
    }
    return firsts;
}

}  // namespace tilewright::fusion
