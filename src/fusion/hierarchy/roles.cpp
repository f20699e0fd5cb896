#include "fusion/hierarchy/roles.hpp"

#include <algorithm>

#include "fusion/hierarchy/shared_buffer.hpp"
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

}  // namespace tilewright::fusion
