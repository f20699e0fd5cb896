#include "accelforge/values/workload.hpp"

#include <algorithm>

namespace tilewright::accelforge {
namespace {

template <class Items, class Proj>
int index_in(const Items& items, std::string_view name, Proj projection) {
    const auto found = std::ranges::find(items, name, projection);
    return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

int uses_of(const Workload& workload, std::string_view tensor) {
    return static_cast<int>(
        std::ranges::count_if(workload.einsums, [&](const EinsumSpec& one) { return one.access_of(tensor) >= 0; }));
}

}  // namespace

int EinsumSpec::access_of(std::string_view tensor) const { return index_in(accesses, tensor, &TensorAccess::tensor); }
int EinsumSpec::variable_of(std::string_view variable) const { return index_in(variables, variable, std::identity{}); }

bool EinsumSpec::is_simple(int variable) const {
    for (const TensorAccess& access : accesses)
        for (const Projection& rank : access.ranks) {
            const bool alone = rank.terms.size() == 1 && rank.terms[0].coefficient == 1 && rank.offset == 0;
            const auto here = [&](const Term& term) { return term.dimension == variable; };
            if (!alone && std::ranges::any_of(rank.terms, here)) return false;
        }
    return true;
}

int Workload::einsum_of(std::string_view name) const { return index_in(einsums, name, &EinsumSpec::name); }
bool Workload::is_shared(std::string_view tensor) const { return uses_of(*this, tensor) > 1; }

bool Workload::is_intermediate(std::string_view tensor) const {
    bool written = false;
    bool read = false;
    for (const EinsumSpec& einsum : einsums)
        if (const int t = einsum.access_of(tensor); t >= 0) (einsum.accesses[t].output ? written : read) = true;
    return written && read;
}

std::vector<std::string> Workload::tensors() const {
    std::vector<std::string> all;
    for (const EinsumSpec& einsum : einsums)
        for (const TensorAccess& access : einsum.accesses)
            if (std::ranges::find(all, access.tensor) == all.end()) all.push_back(access.tensor);
    return all;
}

Relevancy relevancy(const TensorAccess& access, int variable) {
    for (const Projection& rank : access.ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == variable) return rank.terms.size() == 1 ? Relevancy::full : Relevancy::partial;
    return Relevancy::none;
}

double volume(const TensorAccess& access, const std::vector<double>& extents) {
    double words = 1.0;
    for (const Projection& rank : access.ranks) {
        double length = static_cast<double>(rank.offset) + 1.0;
        for (const Term& term : rank.terms)
            length += static_cast<double>(term.coefficient) * (extents[term.dimension] - 1.0);
        words *= length;
    }
    return words;
}

}  // namespace tilewright::accelforge
