#include "llm/attention.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "workload/cascade/layers.hpp"

namespace tilewright::llm {
namespace {

/// From the statistics of one softmax to the contractions on either side.
class Spread {
   public:
    explicit Spread(const Cascade& cascade) : cascade_(cascade) {}

    std::set<int> from(int statistics) {
        found_ = {statistics};
        back(statistics);
        on(statistics);
        return found_;
    }

   private:
    const CascadeEinsum& einsum(int index) const { return cascade_.einsums[index]; }

    const CascadeTensor& tensor_of(const CascadeEinsum& one, std::size_t operand) const {
        return cascade_.tensors[one.accesses[operand].tensor];
    }

    bool is_new_inner(int index) {
        return found_.insert(index).second && einsum(index).kind != EinsumKind::contraction;
    }

    void back(int index) {
        const CascadeEinsum& one = einsum(index);
        for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
            if (one.einsum.tensors[operand].written) continue;
            for (const TensorUse& writer : tensor_of(one, operand).writers)
                if (writer.einsum < index && is_new_inner(writer.einsum)) back(writer.einsum);
        }
    }

    void on(int index) {
        const CascadeEinsum& one = einsum(index);
        for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
            if (!one.einsum.tensors[operand].written) continue;
            for (const TensorUse& reader : tensor_of(one, operand).readers)
                if (reader.einsum > index && is_new_inner(reader.einsum)) on(reader.einsum);
        }
    }

    const Cascade& cascade_;
    std::set<int> found_;
};

std::int64_t extent_of(const Einsum& layer, const char* name) {
    const int dimension = find_dimension(layer, name);
    return dimension < 0 ? 1 : layer.dimensions[dimension].extent;
}

bool reads_cache(const Cascade& cascade, const CascadeEinsum& one) {
    for (std::size_t operand = 0; operand < one.accesses.size(); ++operand)
        if (!one.einsum.tensors[operand].written &&
            cascade.tensors[one.accesses[operand].tensor].role == TensorRole::cache)
            return true;
    return false;
}

std::optional<Attention> as_plain(const Cascade& cascade, int statistics, const std::set<int>& einsums) {
    Attention found{{einsums.begin(), einsums.end()}};
    std::vector<int> contractions;
    for (const int one : einsums)
        if (cascade.einsums[one].kind == EinsumKind::contraction) contractions.push_back(one);
    if (contractions.size() != 2 || contractions.front() > statistics || contractions.back() < statistics)
        return std::nullopt;
    found.scores = contractions.front();
    found.mix = contractions.back();
    const CascadeEinsum& scoring = cascade.einsums[found.scores];
    const std::vector<Einsum> scores = layers_of(scoring);
    const std::vector<Einsum> mix = layers_of(cascade.einsums[found.mix]);
    if (scores.size() != 1 || mix.size() != 1) return std::nullopt;
    found.groups = extent_of(scores.front(), "G");
    found.rows = extent_of(scores.front(), "N");
    found.keys = extent_of(scores.front(), "K");
    found.width = extent_of(scores.front(), "C");
    found.has_cache = reads_cache(cascade, scoring);
    const bool fits = extent_of(mix.front(), "G") == found.groups && extent_of(mix.front(), "N") == found.rows &&
                      extent_of(mix.front(), "C") == found.keys && extent_of(mix.front(), "K") == found.width;
    return fits ? std::optional(found) : std::nullopt;
}

bool is_softmax(const CascadeEinsum& one) { return one.kind == EinsumKind::statistics && one.online; }

}  // namespace

std::vector<bool> attention_einsums(const Cascade& cascade) {
    std::vector<bool> marked(cascade.einsums.size(), false);
    Spread spread(cascade);
    for (int i = 0; i < cascade.einsum_count(); ++i)
        if (is_softmax(cascade.einsums[i]))
            for (const int one : spread.from(i)) marked[one] = true;
    return marked;
}

std::vector<Attention> plain_attentions(const Cascade& cascade) {
    std::vector<Attention> all;
    Spread spread(cascade);
    for (int i = 0; i < cascade.einsum_count(); ++i)
        if (is_softmax(cascade.einsums[i]))
            if (const std::optional<Attention> one = as_plain(cascade, i, spread.from(i))) all.push_back(*one);
    return all;
}

}  // namespace tilewright::llm
