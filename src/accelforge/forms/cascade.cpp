#include <algorithm>
#include <map>

#include "accelforge/forms/as_ours.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::accelforge {
namespace {

std::int64_t reach_of(const EinsumSpec& einsum, const Projection& rank) {
    std::int64_t last = rank.offset;
    for (const Term& term : rank.terms) last += term.coefficient * (einsum.extents[term.dimension] - 1);
    return last + 1;
}

std::vector<Rank> ranks_of(const TensorAccess& access) {
    std::vector<Rank> ranks;
    for (const Projection& one : access.ranks) ranks.push_back({one.terms});
    return ranks;
}

bool reduces(const EinsumSpec& einsum) {
    for (int v = 0; v < static_cast<int>(einsum.variables.size()); ++v) {
        const auto moves = [&](const TensorAccess& access) {
            return access.output && relevancy(access, v) != Relevancy::none;
        };
        if (std::ranges::none_of(einsum.accesses, moves)) return true;
    }
    return false;
}

class CascadeMaker {
   public:
    CascadeMaker(const Workload& workload, const std::string& name) : workload_(workload), builder_(name) {}

    Cascade make() {
        for (std::size_t i = 0; i < workload_.einsums.size();) i = add_run(i);
        return builder_.take();
    }

   private:
    // Consecutive einsums with equal repeats.
    std::size_t add_run(std::size_t begin) {
        const double count = workload_.einsums[begin].instances;
        std::size_t end = begin;
        while (end < workload_.einsums.size() && workload_.einsums[end].instances == count) ++end;
        if (count != 1.0)
            builder_.begin_block("from " + workload_.einsums[begin].name, static_cast<std::int64_t>(count));
        for (std::size_t i = begin; i < end; ++i) add_einsum(workload_.einsums[i]);
        if (count != 1.0) builder_.end_block();
        return end;
    }

    void add_einsum(const EinsumSpec& spec);
    int tensor_of(const EinsumSpec& spec, std::size_t access);
    TensorRole role_of(const EinsumSpec& spec, std::size_t access) const;
    std::vector<std::int64_t> shape_of(const std::string& tensor) const;

    const Workload& workload_;
    CascadeBuilder builder_;
    std::map<std::string, int> tensors_;
    std::map<std::string, std::vector<std::string>> axes_;  // names of the ranks of each tensor, in its order
};

TensorRole CascadeMaker::role_of(const EinsumSpec& spec, std::size_t access) const {
    const std::string& tensor = spec.accesses[access].tensor;
    if (workload_.is_intermediate(tensor)) return TensorRole::intermediate;
    if (spec.accesses[access].output) return TensorRole::output;
    const Value* weight = spec.names.find("weight");
    const bool is_weight =
        weight != nullptr && weight->set() != nullptr && weight->set()->has(static_cast<int>(access));
    return is_weight ? TensorRole::weight : TensorRole::input;
}

// Words written by its producer; for an outside tensor all words reached.
std::vector<std::int64_t> CascadeMaker::shape_of(const std::string& tensor) const {
    const bool made = std::ranges::any_of(workload_.einsums, [&](const EinsumSpec& one) {
        const int t = one.access_of(tensor);
        return t >= 0 && one.accesses[t].output;
    });
    const std::vector<std::string>& axes = axes_.at(tensor);
    std::vector<std::int64_t> shape(axes.size(), 1);
    for (const EinsumSpec& one : workload_.einsums) {
        const int t = one.access_of(tensor);
        if (t < 0 || (made && !one.accesses[t].output)) continue;
        for (const Projection& rank : one.accesses[t].ranks) {
            const auto axis = static_cast<std::size_t>(std::ranges::find(axes, rank.rank) - axes.begin());
            shape[axis] = std::max(shape[axis], reach_of(one, rank));
        }
    }
    return shape;
}

int CascadeMaker::tensor_of(const EinsumSpec& spec, std::size_t access) {
    const TensorAccess& use = spec.accesses[access];
    if (const auto known = tensors_.find(use.tensor); known != tensors_.end()) return known->second;
    std::vector<std::string>& axes = axes_[use.tensor];
    for (const Projection& rank : use.ranks) axes.push_back(rank.rank);
    const int made = builder_.tensor(use.tensor, role_of(spec, access), shape_of(use.tensor),
                                     static_cast<std::int64_t>(spec.bits[access]));
    tensors_[use.tensor] = made;
    return made;
}

void CascadeMaker::add_einsum(const EinsumSpec& spec) {
    CascadeEinsum one{spec.name, "Einsum", {spec.name, {}, {}}};
    for (std::size_t v = 0; v < spec.variables.size(); ++v)
        one.einsum.dimensions.push_back({spec.variables[v], spec.extents[v]});
    for (std::size_t t = 0; t < spec.accesses.size(); ++t) {
        const TensorAccess& use = spec.accesses[t];
        one.einsum.tensors.push_back({use.tensor, ranks_of(use), use.output, static_cast<std::int64_t>(spec.bits[t])});
        Access access{tensor_of(spec, t)};
        for (const std::string& axis : axes_.at(use.tensor)) {
            const auto rank = std::ranges::find(use.ranks, axis, &Projection::rank);
            access.coordinates.push_back({rank->terms, rank->offset});
        }
        one.accesses.push_back(std::move(access));
    }
    if (const std::string wrong = problem_with(one.einsum); !wrong.empty())
        throw InputError(ErrorCode::unsupported, spec.where, "einsum '" + spec.name + "': " + wrong);
    one.kind = spec.is_copy ? EinsumKind::copy : reduces(spec) ? EinsumKind::contraction : EinsumKind::elementwise;
    if (spec.is_copy) one.operations.clear();
    builder_.einsum(std::move(one));
}

void refuse_fractions(const EinsumSpec& einsum) {
    const auto is_whole = [](double value) { return value == static_cast<double>(static_cast<std::int64_t>(value)); };
    constexpr double kMostRepeats = 1e9;
    if (!(einsum.instances <= kMostRepeats) || !is_whole(einsum.instances))
        throw InputError(ErrorCode::unsupported, einsum.where,
                         "n_instances of '" + einsum.name + "' has to be a whole number");
    for (const double bits : einsum.bits)
        if (!(bits <= static_cast<double>(kMaxWordBits)) || !is_whole(bits))
            throw InputError(ErrorCode::unsupported, einsum.where,
                             "a tensor of '" + einsum.name + "' has words of more than " +
                                 std::to_string(kMaxWordBits) + " bits, or of a fraction of one");
}

}  // namespace

Cascade cascade_of(const Workload& workload, const std::string& name, Notes& notes) {
    for (const EinsumSpec& einsum : workload.einsums) refuse_fractions(einsum);
    if (!workload.persistent.empty()) {
        const Location& first = workload.persistent.front();
        notes.add("persistent tensors are a rule of AccelForge's own search: tensors stay where a mapping keeps them",
                  "persistent_tensors", first.file.empty() ? "" : first.file + ":" + std::to_string(first.line));
    }
    return CascadeMaker(workload, name).make();
}

}  // namespace tilewright::accelforge
