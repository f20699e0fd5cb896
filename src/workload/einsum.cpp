#include "workload/einsum.hpp"

#include <algorithm>
#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::string term_text(const Einsum& einsum, const Term& term, bool first) {
    std::string text;
    if (term.coefficient < 0) text = "-";
    if (term.coefficient > 0 && !first) text = "+";
    const std::uint64_t size = term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                    : static_cast<std::uint64_t>(term.coefficient);
    if (size != 1) text += std::to_string(size) + "*";
    return text + einsum.dimensions[term.dimension].name;
}

std::string tensor_text(const Einsum& einsum, const Tensor& tensor) {
    std::string text = tensor.name + "[";
    for (std::size_t k = 0; k < tensor.ranks.size(); ++k) {
        if (k > 0) text += ", ";
        const std::vector<Term>& terms = tensor.ranks[k].terms;
        if (terms.empty()) text += "0";
        for (std::size_t i = 0; i < terms.size(); ++i) text += term_text(einsum, terms[i], i == 0);
    }
    return text + "]";
}

std::string problem_with(const Einsum& einsum, const Tensor& tensor) {
    if (tensor.ranks.size() > kMaxRanks)
        return "tensor '" + tensor.name + "' has more than " + std::to_string(kMaxRanks) + " ranks";
    if (tensor.bits < 0 || tensor.bits > kMaxWordBits)
        return "words of tensor '" + tensor.name + "' have " + std::to_string(tensor.bits) + " bits; expected 1 to " +
               std::to_string(kMaxWordBits);
    for (const Rank& rank : tensor.ranks) {
        std::set<int> seen;
        for (const Term& term : rank.terms) {
            if (term.dimension < 0 || term.dimension >= einsum.dimension_count())
                return "tensor '" + tensor.name + "' uses a dimension that does not exist";
            if (term.coefficient == 0) return "tensor '" + tensor.name + "' has a zero coefficient";
            if (!seen.insert(term.dimension).second)
                return "tensor '" + tensor.name + "' names dimension '" + einsum.dimensions[term.dimension].name +
                       "' twice in one rank";
        }
    }
    return "";
}

}  // namespace

bool is_relevant(const Tensor& tensor, int dimension) {
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == dimension) return true;
    return false;
}

int find_dimension(const Einsum& einsum, std::string_view name) {
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (einsum.dimensions[d].name == name) return d;
    return -1;
}

int find_tensor(const Einsum& einsum, std::string_view name) {
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[t].name == name) return t;
    return -1;
}

std::int64_t operation_count(const Einsum& einsum) {
    std::int64_t count = 1;
    for (const Dimension& dimension : einsum.dimensions) count = checked_mul(count, dimension.extent);
    return count;
}

std::int64_t tensor_words(const Einsum& einsum, int tensor) {
    std::int64_t words = 1;
    for (const Rank& rank : einsum.tensors[tensor].ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) {
            const std::int64_t reach = checked_mul(term.coefficient, einsum.dimensions[term.dimension].extent - 1);
            width = checked_add(width, reach < 0 ? checked_mul(reach, -1) : reach);
        }
        words = checked_mul(words, width);
    }
    return words;
}

std::string problem_with(const Einsum& einsum) {
    if (einsum.dimensions.empty()) return "an einsum needs at least one dimension";
    if (einsum.tensors.empty()) return "an einsum needs at least one tensor";
    if (einsum.dimension_count() > kMaxDimensions)
        return "more than " + std::to_string(kMaxDimensions) + " dimensions are not supported";
    if (einsum.tensor_count() > kMaxTensors)
        return "more than " + std::to_string(kMaxTensors) + " tensors are not supported";
    std::set<std::string> names;
    for (const Dimension& dimension : einsum.dimensions) {
        if (dimension.extent < 1)
            return "dimension '" + dimension.name + "' has extent " + std::to_string(dimension.extent) +
                   "; extents start at 1";
        if (!names.insert(dimension.name).second) return "two dimensions are called '" + dimension.name + "'";
    }
    names.clear();
    for (const Tensor& tensor : einsum.tensors) {
        if (!names.insert(tensor.name).second) return "two tensors are called '" + tensor.name + "'";
        if (std::string problem = problem_with(einsum, tensor); !problem.empty()) return problem;
    }
    const auto written = [](const Tensor& tensor) { return tensor.written; };
    if (std::none_of(einsum.tensors.begin(), einsum.tensors.end(), written)) return "no tensor is written";
    return "";
}

std::string to_text(const Einsum& einsum) {
    std::string left;
    std::string right;
    for (const Tensor& tensor : einsum.tensors) {
        std::string& side = tensor.written ? left : right;
        if (!side.empty()) side += tensor.written ? ", " : " * ";
        side += tensor_text(einsum, tensor);
    }
    return left + " += " + right;
}

}  // namespace tilewright
