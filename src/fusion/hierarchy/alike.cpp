#include "fusion/hierarchy/alike.hpp"

#include "fusion/leaf/sums.hpp"

namespace tilewright::fusion {
namespace {

Einsum nameless(Einsum einsum) {
    einsum.name.clear();
    for (Dimension& dimension : einsum.dimensions) dimension = {};
    for (Tensor& tensor : einsum.tensors) tensor.name.clear();
    return einsum;
}

}  // namespace

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
