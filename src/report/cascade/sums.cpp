#include "report/cascade/sums.hpp"

#include <algorithm>
#include <array>

#include "base/numbers/checked.hpp"
#include "report/cascade/cascade.hpp"

namespace tilewright::report {
namespace {

// A tensor belongs to the block of the einsums using it; an unused tensor is there once.
std::int64_t copies_of(const Cascade& cascade, const CascadeTensor& tensor) {
    std::int64_t copies = 1;
    bool outside = tensor.view_of >= 0;
    for (const auto* uses : {&tensor.writers, &tensor.readers})
        for (const TensorUse& use : *uses) {
            const std::int64_t repeats = repeats_of(cascade, use.einsum);
            outside = outside || repeats == 1;
            copies = std::max(copies, repeats);
        }
    return outside ? 1 : copies;
}

}  // namespace

std::vector<RoleSum> sums_by_role(const Cascade& cascade) {
    std::array<RoleSum, 5> sums;
    for (std::size_t role = 0; role < sums.size(); ++role) sums[role].role = static_cast<TensorRole>(role);
    for (const CascadeTensor& tensor : cascade.tensors) {
        RoleSum& sum = sums.at(static_cast<std::size_t>(tensor.role));
        const std::int64_t copies = copies_of(cascade, tensor);
        sum.tensors = checked_add(sum.tensors, copies);
        sum.words = checked_add(sum.words, checked_mul(copies, words_of(tensor)));
        sum.bytes = checked_add(sum.bytes, checked_mul(copies, bytes_of(tensor)));
    }
    std::vector<RoleSum> found;
    std::ranges::copy_if(sums, std::back_inserter(found), [](const RoleSum& sum) { return sum.tensors > 0; });
    return found;
}

std::int64_t operations_in(const Cascade& cascade, bool multiply_adds) {
    std::int64_t count = 0;
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        const std::int64_t points = checked_mul(operation_count(one.einsum), repeats_of(cascade, i));
        for (const auto& [operation, per_point] : one.operations)
            if ((operation == OperationClass::multiply_add) == multiply_adds)
                count = checked_add(count, checked_mul(points, per_point));
    }
    return count;
}

}  // namespace tilewright::report
