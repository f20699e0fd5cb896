#include "accelforge/values/workload.hpp"

#include <algorithm>
#include <functional>

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

std::uint64_t members_where(const EinsumSpec& einsum, const std::function<bool(const TensorAccess&)>& holds) {
    std::uint64_t members = 0;
    for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
        if (holds(einsum.accesses[t])) members |= 1ULL << t;
    return members;
}

std::uint64_t variables_in(const TensorAccess& access) {
    std::uint64_t members = 0;
    for (const Projection& rank : access.ranks)
        for (const Term& term : rank.terms) members |= 1ULL << static_cast<unsigned>(term.dimension);
    return members;
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

std::shared_ptr<Universe> name_sets(const Workload& workload, EinsumSpec& einsum) {
    auto variables = std::make_shared<Universe>();
    variables->names = einsum.variables;
    auto tensors = std::make_shared<Universe>();
    for (const TensorAccess& access : einsum.accesses) {
        tensors->names.push_back(access.tensor);
        tensors->variables_of.push_back(variables_in(access));
    }
    tensors->variables = variables;
    const auto put = [&](const char* name, const std::function<bool(const TensorAccess&)>& holds) {
        einsum.names.own[name] = Value{SetValue{tensors, members_where(einsum, holds)}};
    };
    const auto always = [](const TensorAccess&) { return true; };
    put("All", always);
    put("Tensors", always);
    put("Nothing", [](const TensorAccess&) { return false; });
    put("Inputs", [](const TensorAccess& one) { return !one.output; });
    put("Outputs", [](const TensorAccess& one) { return one.output; });
    put("Intermediates", [&](const TensorAccess& one) { return workload.is_intermediate(one.tensor); });
    put("Shared", [&](const TensorAccess& one) { return workload.is_shared(one.tensor); });
    put("Persistent", [](const TensorAccess& one) { return one.persistent; });
    for (const std::string& tensor : workload.tensors())
        put(tensor.c_str(), [&](const TensorAccess& one) { return one.tensor == tensor; });
    for (const EinsumSpec& other : workload.einsums)
        for (const std::string& variable : other.variables) {
            const int index = einsum.variable_of(variable);
            einsum.names.own[variable] =
                Value{SetValue{variables, index < 0 ? 0 : 1ULL << static_cast<unsigned>(index)}};
        }
    for (const TensorAccess& access : einsum.accesses)  // a rank is its variables
        for (const Projection& rank : access.ranks) {
            std::uint64_t members = 0;
            for (const Term& term : rank.terms) members |= 1ULL << static_cast<unsigned>(term.dimension);
            einsum.names.own.try_emplace(rank.rank, Value{SetValue{variables, members}});
        }
    return tensors;
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
