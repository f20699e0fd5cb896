#include "fusion/hierarchy/alike.hpp"

namespace tilewright::fusion {
namespace {

Einsum nameless(Einsum einsum) {
    einsum.name.clear();
    for (Dimension& dimension : einsum.dimensions) dimension = {};
    for (Tensor& tensor : einsum.tensors) tensor.name.clear();
    return einsum;
}

}  // namespace

std::vector<int> first_alike(const Cascade& cascade, const std::vector<Constraints>& demands) {
    std::vector<Einsum> shapes;
    std::vector<int> firsts;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        shapes.push_back(nameless(cascade.einsums[e].einsum));
        int first = 0;
        while (!(shapes[first] == shapes.back() && demands[first] == demands[e])) ++first;
        firsts.push_back(first);
    }
    return firsts;
}

}  // namespace tilewright::fusion
