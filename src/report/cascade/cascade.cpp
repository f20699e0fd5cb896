#include "report/cascade/cascade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string shape_text(const CascadeTensor& tensor) { return fmt::format("[{}]", fmt::join(tensor.shape, ", ")); }

// "3 exponential, 1 add"
std::string operations_text(const CascadeEinsum& one) {
    std::string text;
    for (const auto& [operation, per_point] : one.operations)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", per_point, to_text(operation));
    return text.empty() ? "-" : text;
}

std::string names_text(const Cascade& cascade, const std::vector<TensorUse>& uses) {
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < uses.size() && i < kMost; ++i)
        text += (text.empty() ? "" : ", ") + cascade.einsums[uses[i].einsum].name;
    if (uses.size() > kMost) text += fmt::format(" and {} more", uses.size() - kMost);
    return text;
}

std::string origin_text(const Cascade& cascade, const CascadeTensor& tensor) {
    const auto name = [&](int index) { return cascade.tensors[index].name; };
    std::string text = names_text(cascade, tensor.writers);
    if (tensor.view_of >= 0) text = "rows of " + name(tensor.view_of);
    if (tensor.carried_from >= 0) text += (text.empty() ? "then " : ", then ") + name(tensor.carried_from);
    return text.empty() ? "-" : text;
}

std::string kind_text(const CascadeEinsum& one) {
    return std::string(to_text(one.kind)) + (one.online ? ", online" : "");
}

std::string einsums_text(const Cascade& cascade) {
    Table table({"einsum", "operator", "kind", "repeats", "points", "operations of each", "extents"}, "lllrrll");
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        std::string extents;
        for (const Dimension& dimension : one.einsum.dimensions)
            extents += fmt::format("{}{}={}", extents.empty() ? "" : " ", dimension.name, dimension.extent);
        table.add({one.name, one.op, kind_text(one), count_text(repeats_of(cascade, i)),
                   count_text(operation_count(one.einsum)), operations_text(one), extents});
    }
    return table.text();
}

std::string tensors_text(const Cascade& cascade) {
    Table table({"tensor", "role", "shape", "bytes", "written by", "read by"}, "lllrll");
    for (const CascadeTensor& tensor : cascade.tensors)
        table.add({tensor.name, std::string(to_text(tensor.role)), shape_text(tensor), count_text(bytes_of(tensor)),
                   origin_text(cascade, tensor), names_text(cascade, tensor.readers)});
    return table.text();
}

std::string sums_text(const Cascade& cascade) {
    Table table({"role", "tensors", "words", "bytes"}, "lrrr");
    for (const RoleSum& sum : sums_by_role(cascade))
        table.add(
            {std::string(to_text(sum.role)), count_text(sum.tensors), count_text(sum.words), count_text(sum.bytes)});
    return table.text();
}

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

std::int64_t bytes_of(const CascadeTensor& tensor) {
    const std::int64_t bits = checked_mul(words_of(tensor), tensor.bits > 0 ? tensor.bits : kShownWordBits);
    return ceil_div(bits, 8);
}

std::string not_covered_text(const Cascade& cascade) {
    Table table({"operator", "name", "bytes", "operations", "why"}, "llrrl");
    for (const NotCovered& rest : cascade.not_covered)
        table.add({rest.op, rest.name, count_text(rest.bytes), count_text(rest.operations), rest.reason});
    if (table.empty()) return "";
    return fmt::format("\nNot covered ({} operators)\n", cascade.not_covered.size()) + table.text();
}

std::string cascade_text(const Cascade& cascade) {
    std::string text = fmt::format(
        "{}: {} einsums and {} tensors; {} multiply-accumulates and {} other operations with repeats; bytes with {} "
        "bits a word where the network does not say\n\n",
        cascade.name, cascade.einsum_count(), cascade.tensor_count(), count_text(operations_in(cascade, true)),
        count_text(operations_in(cascade, false)), kShownWordBits);
    return text + einsums_text(cascade) + "\n" + tensors_text(cascade) + "\n" + sums_text(cascade) +
           not_covered_text(cascade);
}

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
