#include "workload/cascade/widths.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/layer_roles.hpp"
#include "workload/network.hpp"

namespace tilewright {
namespace {

using Bits = std::optional<std::int64_t>;  // nothing: none is given

std::string bits_text(const Bits& bits) {
    return bits.value_or(0) > 0 ? std::to_string(*bits) + " bits" : "as many bits as the words of memories";
}

class Widths {
   public:
    explicit Widths(Cascade& cascade) : cascade_(cascade), named_(cascade.tensors.size()) {
        for (int e = 0; e < cascade.einsum_count(); ++e) {
            const Einsum& einsum = cascade.einsums[e].einsum;
            names_.push_back(cascade.einsums[e].name);
            roles_.push_back(layer_roles(einsum, weights_of(cascade, e)));
            by_role_.emplace_back(einsum.tensors.size());
        }
    }

    void give(const TensorWidth& width) {
        const std::vector<bool> matching = matching_layers(names_, {width.layers}, cascade_.name);
        if (!give_by_name(width, matching) && !give_by_role(width, matching)) refuse(width);
    }

    std::vector<std::string> settle() {
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            const CascadeTensor& tensor = cascade_.tensors[t];
            const Bits bits =
                named_[t] ? named_[t] : common(t, tensor.writers.empty() ? tensor.readers : tensor.writers);
            if (bits) cascade_.tensors[t].bits = *bits;
        }
        for (CascadeTensor& tensor : cascade_.tensors) follow(tensor);
        for (CascadeEinsum& one : cascade_.einsums)
            for (std::size_t t = 0; t < one.accesses.size(); ++t)
                one.einsum.tensors[t].bits = cascade_.tensors[one.accesses[t].tensor].bits;
        return notes();
    }

   private:
    const Bits& by_role(const TensorUse& use) const { return by_role_[use.einsum][use.operand]; }

    bool give_by_name(const TensorWidth& width, const std::vector<bool>& matching) {
        const int tensor = find_tensor(cascade_, width.tensor);
        if (tensor < 0) return false;
        bool used = false;
        for (const auto* uses : {&cascade_.tensors[tensor].writers, &cascade_.tensors[tensor].readers})
            for (const TensorUse& use : *uses) used = used || matching[use.einsum];
        if (used) named_[tensor] = width.bits;
        return used;
    }

    bool give_by_role(const TensorWidth& width, const std::vector<bool>& matching) {
        const auto name = std::ranges::find(kOperandNames, width.tensor);
        if (name == kOperandNames.end()) return false;
        const auto role = static_cast<OperandRole>(name - kOperandNames.begin());
        bool found = false;
        for (std::size_t e = 0; e < matching.size(); ++e)
            for (std::size_t t = 0; matching[e] && t < by_role_[e].size(); ++t) {
                if (roles_[e].operands[t] != role) continue;
                by_role_[e][t] = width.bits;
                found = true;
            }
        return found;
    }

    [[noreturn]] void refuse(const TensorWidth& width) const {
        std::vector<std::string> known(kOperandNames.begin(), kOperandNames.end());
        for (const CascadeTensor& tensor : cascade_.tensors) known.push_back(tensor.name);
        throw InputError(ErrorCode::unknown_name, {},
                         "no einsum '" + width.layers + "' of " + cascade_.name + " has a tensor '" + width.tensor +
                             "', nor one that plays such a part" + did_you_mean(width.tensor, known));
    }

    // Common width of these einsums. For outside tensors, readers without a role do not count.
    Bits common(int t, const std::vector<TensorUse>& uses) const {
        const CascadeTensor& tensor = cascade_.tensors[t];
        const TensorUse* first = nullptr;
        for (const TensorUse& use : uses) {
            if (tensor.writers.empty() && !by_role(use)) continue;
            if (first == nullptr) first = &use;
            if (by_role(use) == by_role(*first)) continue;
            throw InputError(ErrorCode::bad_value, {},
                             "'" + tensor.name + "' is stored once and would have " + bits_text(by_role(*first)) +
                                 " by '" + names_[first->einsum] + "' and " + bits_text(by_role(use)) + " by '" +
                                 names_[use.einsum] + "': " + tensor.name + "=BITS decides");
        }
        return first == nullptr ? std::nullopt : by_role(*first);
    }

    // Its source from the second repeat on, and the table of a view.
    void follow(CascadeTensor& tensor) {
        if (tensor.view_of >= 0) cascade_.tensors[tensor.view_of].bits = tensor.bits;
        if (tensor.carried_from < 0) return;
        const CascadeTensor& last = cascade_.tensors[tensor.carried_from];
        if (tensor.writers.empty() && !named_[find_tensor(cascade_, tensor.name)]) tensor.bits = last.bits;
        if (tensor.bits != last.bits)
            throw InputError(ErrorCode::bad_value, {},
                             "'" + tensor.name + "' is what '" + last.name +
                                 "' was in the repeat before, and would have " + bits_text(tensor.bits) +
                                 " where that has " + bits_text(last.bits));
    }

    // One sentence per role and width.
    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        std::set<std::pair<OperandRole, std::int64_t>> told;
        for (const CascadeTensor& tensor : cascade_.tensors)
            for (const TensorUse& use : tensor.readers) {
                const Bits& given = by_role(use);
                const OperandRole role = roles_[use.einsum].operands[use.operand];
                if (!given || *given == tensor.bits || !told.insert({role, *given}).second) continue;
                notes.push_back("words of what einsums write are as wide as Outputs of these: '" + tensor.name +
                                "' has " + bits_text(tensor.bits) + " where '" + names_[use.einsum] + "' reads it as " +
                                kOperandNames.at(static_cast<std::size_t>(role)) + ", not " + bits_text(given));
            }
        return notes;
    }

    Cascade& cascade_;
    std::vector<std::string> names_;          // of einsums
    std::vector<LayerRoles> roles_;           // by einsum
    std::vector<std::vector<Bits>> by_role_;  // by einsum and operand
    std::vector<Bits> named_;                 // by tensor
};

Cascade without_widths(Cascade cascade) {
    for (CascadeTensor& tensor : cascade.tensors) tensor.bits = 0;
    for (CascadeEinsum& one : cascade.einsums)
        for (Tensor& tensor : one.einsum.tensors) tensor.bits = 0;
    return cascade;
}

// Bits of its partial sums, where they are others than those of final ones.
std::int64_t sums_of(const CascadeTensor& tensor, std::int64_t given) {
    if (given == 0 || given == tensor.bits) return 0;
    if (tensor.writers.empty() && tensor.carried_from < 0)
        throw InputError(ErrorCode::bad_value, {}, "'" + tensor.name + "' is an operand and has no partial sums");
    if (given < tensor.bits)
        throw InputError(ErrorCode::bad_value, {},
                         "'" + tensor.name + "' would have " + bits_text(tensor.bits) + " and partial sums of " +
                             bits_text(given) + ": they are no narrower");
    return tensor.writers.empty() ? 0 : given;
}

}  // namespace

std::vector<std::string> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths) {
    if (widths.empty()) return {};
    Widths all(cascade);
    for (const TensorWidth& width : widths) all.give(width);
    return all.settle();
}

PartialBits partial_bits(const Cascade& cascade, std::vector<TensorWidth> widths) {
    if (!have_partial_sums(widths)) return {};
    for (TensorWidth& one : widths) one.bits = one.partial_bits;
    Cascade given = without_widths(cascade);
    set_widths(given, widths);
    PartialBits bits;
    for (std::size_t t = 0; t < given.tensors.size(); ++t)
        bits.push_back(sums_of(cascade.tensors[t], given.tensors[t].bits));
    return bits;
}

}  // namespace tilewright
