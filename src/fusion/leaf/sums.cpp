#include "fusion/leaf/sums.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// Points that are added up in a word of the operand.
double summed(const Einsum& einsum, int operand) {
    double points = 1.0;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (!is_relevant(einsum.tensors[at(operand)], d))
            points *= static_cast<double>(einsum.dimensions[at(d)].extent);
    return points;
}

std::int64_t bits_of(const PartialBits& partial, int tensor) {
    return at(tensor) < partial.size() ? partial[at(tensor)] : 0;
}

}  // namespace

PartialBits sums_of(const Cascade& cascade, int einsum, const PartialBits& partial) {
    const CascadeEinsum& one = cascade.einsums[at(einsum)];
    PartialBits bits(one.accesses.size(), 0);
    for (int t = 0; t < one.einsum.tensor_count(); ++t)
        if (one.einsum.tensors[at(t)].written && summed(one.einsum, t) > 1.0)
            bits[at(t)] = bits_of(partial, one.accesses[at(t)].tensor);
    return bits;
}

Machine in_units(const Machine& machine, const Cascade& cascade, const PartialBits& partial) {
    Machine units = machine;
    for (const std::int64_t bits : partial) units.unit_bits = std::gcd(units.unit_bits, bits);
    return in_units(units, cascade);
}

std::vector<std::int64_t> bits_of_sums(const Cascade& cascade, const Architecture& architecture,
                                       const PartialBits& partial) {
    std::vector<std::int64_t> bits(cascade.tensors.size(), 0);
    if (partial.empty() || !problem_with_machine(architecture).empty()) return bits;
    const auto units = static_cast<double>(architecture.fanout(kBuffer).size());
    const std::int64_t room = architecture.memories[kRegister].word_bits;
    for (int t = 0; t < cascade.tensor_count(); ++t) {
        double fewest = std::numeric_limits<double>::infinity();
        for (const TensorUse& use : cascade.tensors[at(t)].writers)
            fewest = std::min(fewest, summed(cascade.einsums[at(use.einsum)].einsum, use.operand));
        const bool is_made = !cascade.tensors[at(t)].writers.empty();
        if (is_made && fewest > units && bits_of(partial, t) > room) bits[at(t)] = bits_of(partial, t);
    }
    return bits;
}

}  // namespace tilewright::fusion
