#include "workload/cascade/part.hpp"

#include <algorithm>
#include <map>

namespace tilewright {
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
