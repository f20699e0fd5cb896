#include "workload/cascade/layers.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

// Operands relevant to a dimension.
TensorSet moved_by(const Einsum& einsum, int dimension) {
    TensorSet moved;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_relevant(einsum.tensors[t], dimension)) moved.add(t);
    return moved;
}

// Every dimension alone in a rank, and in at most one of each operand: it can be merged with others.
bool has_plain_ranks(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors) {
        std::vector<bool> seen(einsum.dimensions.size(), false);
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms) {
                if (rank.terms.size() > 1 || term.coefficient != 1 || seen[term.dimension]) return false;
                seen[term.dimension] = true;
            }
    }
    return true;
}

bool has_names_of_shapes(const Einsum& einsum) {
    return find_tensor(einsum, "Inputs") >= 0 && find_tensor(einsum, "Outputs") >= 0;
}

// Of an einsum of at most two operands and one result.
void name_operands(Einsum& einsum) {
    int read = 0;
    for (Tensor& tensor : einsum.tensors) tensor.name = tensor.written ? "Outputs" : read++ == 0 ? "Inputs" : "Weights";
}

// The letter of workload/shapes.hpp for dimensions relevant to these operands, or "".
std::string letter(const Einsum& einsum, TensorSet moved) {
    TensorSet written;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[t].written) written.add(t);
    const TensorSet all = TensorSet::all(einsum.tensor_count());
    const auto without = [&](int tensor) {
        TensorSet rest = all;
        rest.remove(tensor);
        return rest;
    };
    const bool has_second = einsum.tensor_count() > 2 && !written.has(1);
    if (moved == all) return "G";
    if (has_second && moved == without(1)) return "N";
    if (has_second && moved == without(0)) return "K";
    if ((moved.bits() & written.bits()) == 0) return moved.bits() == (all.bits() & ~written.bits()) ? "C" : "";
    return "";
}

// Dimensions by relevant operands, in order of first appearance; those of extent 1 have none.
std::vector<std::pair<TensorSet, std::int64_t>> merged_dimensions(const Einsum& einsum) {
    std::vector<std::pair<TensorSet, std::int64_t>> merged;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const TensorSet moved = moved_by(einsum, d);
        const std::int64_t extent = einsum.dimensions[d].extent;
        if (extent == 1) continue;
        const auto same =
            std::find_if(merged.begin(), merged.end(), [&](const auto& one) { return one.first == moved; });
        if (same == merged.end())
            merged.emplace_back(moved, extent);
        else
            same->second = checked_mul(same->second, extent);
    }
    return merged;
}

// Sums of products of two operands are matrix products, in the form of other networks.
std::optional<Einsum> as_matrix_product(const Einsum& einsum) {
    if (einsum.tensor_count() != 3 || !einsum.tensors[2].written) return std::nullopt;
    std::map<std::string, std::int64_t> extents;
    for (const auto& [moved, extent] : merged_dimensions(einsum)) {
        const std::string name = letter(einsum, moved);
        if (name.empty()) return std::nullopt;
        extents[name] = extent;
    }
    const auto extent_of = [&](const std::string& name) { return extents.contains(name) ? extents[name] : 1; };
    return batched_matmul(extent_of("G"), extent_of("N"), extent_of("C"), extent_of("K"));
}

Einsum merged(const Einsum& einsum) {
    Einsum layer;
    for (const Tensor& tensor : einsum.tensors) layer.tensors.push_back({tensor.name, {}, tensor.written, tensor.bits});
    for (const auto& [moved, extent] : merged_dimensions(einsum)) {
        std::string name = letter(einsum, moved);
        if (name.empty()) name = "D" + std::to_string(layer.dimension_count() + 1);
        const int dimension = layer.dimension_count();
        layer.dimensions.push_back({std::move(name), extent});
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (moved.has(t)) layer.tensors[t].ranks.push_back({{{dimension, 1}}});
    }
    if (layer.dimensions.empty()) layer.dimensions.push_back({"one", 1});
    return layer;
}

void set_bits(const Einsum& from, Einsum& layer) {
    for (const Tensor& tensor : from.tensors) layer.tensors[find_tensor(layer, tensor.name)].bits = tensor.bits;
}

// Intermediate result of the operands so far: a word per point of their relevant dimensions.
Tensor made_of(const Einsum& einsum, const std::vector<Tensor>& operands) {
    Tensor made{"made", {}, true};
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (std::any_of(operands.begin(), operands.end(),
                        [d](const Tensor& operand) { return is_relevant(operand, d); }))
            made.ranks.push_back({{{d, 1}}});
    return made;
}

// Without irrelevant dimensions.
Einsum pass_of(const Einsum& einsum, std::vector<Tensor> tensors) {
    Einsum pass{einsum.name, {}, std::move(tensors)};
    std::vector<int> index(einsum.dimensions.size(), -1);
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const bool used = std::any_of(pass.tensors.begin(), pass.tensors.end(),
                                      [d](const Tensor& tensor) { return is_relevant(tensor, d); });
        if (!used) continue;
        index[d] = pass.dimension_count();
        pass.dimensions.push_back(einsum.dimensions[d]);
    }
    for (Tensor& tensor : pass.tensors)
        for (Rank& rank : tensor.ranks)
            for (Term& term : rank.terms) term.dimension = index[term.dimension];
    if (pass.dimensions.empty()) pass.dimensions.push_back({"one", 1});
    return pass;
}

// In sequence, each of at most two operands and one result; weights stand behind inputs.
std::vector<Einsum> passes_of(const Einsum& einsum, TensorSet weights) {
    std::vector<Tensor> operands;
    std::vector<Tensor> results;
    for (const Tensor& tensor : einsum.tensors) (tensor.written ? results : operands).push_back(tensor);
    if (weights_come_first(einsum, weights)) std::swap(operands[0], operands[1]);
    std::vector<Einsum> passes;
    std::vector<Tensor> now{operands.begin(), operands.begin() + std::min<std::ptrdiff_t>(2, std::ssize(operands))};
    for (std::size_t next = 2; next < operands.size(); ++next) {
        const Tensor made = made_of(einsum, {operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(next)});
        std::vector<Tensor> pass = now;
        pass.push_back(made);
        passes.push_back(pass_of(einsum, std::move(pass)));
        now = {made, operands[next]};
        now.front().written = false;
    }
    for (const Tensor& result : results) {
        std::vector<Tensor> last = now;
        last.push_back(result);
        passes.push_back(pass_of(einsum, std::move(last)));
    }
    return passes;
}

Einsum shaped(Einsum pass, bool product) {
    name_operands(pass);
    if (!has_plain_ranks(pass)) return pass;
    std::optional<Einsum> matrices = product ? as_matrix_product(pass) : std::nullopt;
    if (!matrices) return merged(pass);
    set_bits(pass, *matrices);
    return *std::move(matrices);
}

// Layers by their written tensors: producer links.
class Feeders {
   public:
    explicit Feeders(const Cascade& cascade) : from_(cascade.tensors.size()) {}

    std::vector<int> of(const CascadeEinsum& einsum) const {
        std::vector<int> all;
        for (std::size_t operand = 0; operand < einsum.accesses.size(); ++operand)
            if (!einsum.einsum.tensors[operand].written)
                for (const int layer : from_[einsum.accesses[operand].tensor]) all.push_back(layer);
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    void wrote(const CascadeEinsum& einsum, const std::vector<int>& layers) {
        for (std::size_t operand = 0; operand < einsum.accesses.size(); ++operand) {
            if (!einsum.einsum.tensors[operand].written) continue;
            std::vector<int>& from = from_[einsum.accesses[operand].tensor];
            from.insert(from.end(), layers.begin(), layers.end());
        }
    }

   private:
    std::vector<std::vector<int>> from_;
};

}  // namespace

TensorSet weights_of(const Cascade& cascade, int einsum) {
    TensorSet weights;
    const std::vector<Access>& accesses = cascade.einsums[einsum].accesses;
    for (std::size_t operand = 0; operand < accesses.size(); ++operand)
        if (cascade.tensors[accesses[operand].tensor].role == TensorRole::weight)
            weights.add(static_cast<int>(operand));
    return weights;
}

std::vector<Einsum> layers_of(const CascadeEinsum& one, TensorSet weights) {
    if (has_names_of_shapes(one.einsum)) return {one.einsum};
    std::vector<Einsum> layers;
    for (Einsum& pass : passes_of(one.einsum, weights))
        layers.push_back(shaped(std::move(pass), one.kind == EinsumKind::contraction));
    return layers;
}

Network network_of(const Cascade& cascade, const std::vector<bool>& wanted) {
    Network network{cascade.name, {}, {}, {}};
    Feeders feeders(cascade);
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        std::vector<int> from = feeders.of(one);
        int part = 1;
        if (wanted[i]) {
            std::string name = one.name;
            for (Einsum& layer : layers_of(one, weights_of(cascade, i))) {
                const auto index = static_cast<int>(network.layers.size());
                network.layers.push_back({name, one.op, std::move(layer), repeats_of(cascade, i), from});
                from = {index};
                name = one.name + "/" + std::to_string(++part);
            }
        } else if (one.kind == EinsumKind::copy) {
            network.unmapped.push_back({one.name, one.op, kOnlyMovesData});
        }
        feeders.wrote(one, from);
    }
    for (const NotCovered& rest : cascade.not_covered) network.unmapped.push_back({rest.name, rest.op, rest.reason});
    return network;
}

Network network_of(const Cascade& cascade) {
    std::vector<bool> wanted;
    for (const CascadeEinsum& one : cascade.einsums) wanted.push_back(one.kind != EinsumKind::copy);
    return network_of(cascade, wanted);
}

namespace {

class Part {
   public:
    Part(const Cascade& cascade, int first, int end) : cascade_(cascade), first_(first), end_(end) {}

    Cascade take() {
        part_.name = cascade_.name;
        for (int i = first_; i < end_; ++i) {
            CascadeEinsum one = cascade_.einsums[i];
            for (Access& access : one.accesses) access.tensor = tensor_of(access.tensor);
            part_.einsums.push_back(std::move(one));
        }
        return std::move(part_);
    }

   private:
    std::vector<TensorUse> inside(const std::vector<TensorUse>& uses) const {
        std::vector<TensorUse> all;
        for (const TensorUse& use : uses)
            if (first_ <= use.einsum && use.einsum < end_) all.push_back({use.einsum - first_, use.operand});
        return all;
    }

    bool is_read_elsewhere(int index, const CascadeTensor& part) const {
        return part.readers.size() < cascade_.tensors[index].readers.size() ||
               std::ranges::any_of(
                   cascade_.tensors,
                   [&](const CascadeTensor& other) { return other.carried_from == index || other.view_of == index; });
    }

    int tensor_of(int index) {
        const auto [known, is_new] = numbers_.try_emplace(index, part_.tensor_count());
        if (!is_new) return known->second;
        CascadeTensor tensor = cascade_.tensors[index];
        tensor.writers = inside(tensor.writers);
        tensor.readers = inside(tensor.readers);
        tensor.carried_from = tensor.view_of = -1;
        const bool made = tensor.role == TensorRole::intermediate || tensor.role == TensorRole::output;
        if (made && tensor.writers.empty())
            tensor.role = TensorRole::input;
        else if (tensor.role == TensorRole::intermediate && is_read_elsewhere(index, tensor))
            tensor.role = TensorRole::output;
        part_.tensors.push_back(std::move(tensor));
        return known->second;
    }

    const Cascade& cascade_;
    int first_;
    int end_;
    std::map<int, int> numbers_;  // in the part, by those in the cascade
    Cascade part_;
};

Cascade without_names(Cascade cascade) {
    cascade.name.clear();
    for (CascadeTensor& tensor : cascade.tensors) tensor.name.clear();
    for (CascadeEinsum& one : cascade.einsums) {
        one.name.clear();
        one.einsum.name.clear();
        for (Tensor& tensor : one.einsum.tensors) tensor.name.clear();
    }
    return cascade;
}

}  // namespace

Cascade part_of(const Cascade& cascade, int first, int end) { return Part(cascade, first, end).take(); }

bool is_same_but_for_names(const Cascade& one, const Cascade& other) {
    return one.einsums.size() == other.einsums.size() && without_names(one) == without_names(other);
}

}  // namespace tilewright
