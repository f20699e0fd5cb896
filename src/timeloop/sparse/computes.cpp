// Operations at the compute units (Timeloop, sparse-analysis/compute-gs-analyzer.cpp: two operands, no other number).
#include <algorithm>
#include <cmath>

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

/// An arriving element: not zero, zero, or absent (left out by its format).
enum Operand { kNotZero, kZero, kAbsent };
using Chances = std::array<double, 3>;

double to_six_digits(double value) { return std::round(value * 1e6) / 1e6; }

double chance(double value) {
    if (!(value >= -0.00001 && value <= 1.00001))
        throw SparseRefusal({ViolationKind::nest, "",
                             "the chance of an operand would be " + std::to_string(value) + "; Timeloop exits on it"});
    return std::clamp(value, 0.0, 1.0);
}

std::vector<int> operands(const SparseState& state) {
    std::vector<int> operands;
    for (int t = 0; t < state.tensor_count(); ++t)
        if (!state.einsum.tensors[t].written) operands.push_back(t);
    if (operands.size() != 2)
        state.refuse(-1, "Timeloop counts sparse computes of two operands only, and exits on " +
                             std::to_string(operands.size()));
    return operands;
}

bool innermost_has_metadata(const SparseState& state, int tensor) {
    for (const SparseTensor& level : state.tensors[tensor])
        if (level.kept()) return level.has_metadata();
    return false;
}

/// `other_share`: computes avoided by the other operand's reads, given this one.
Chances chances_of(const SparseState& state, int tensor, std::optional<double> other_share) {
    double not_zero = to_six_digits(to_six_digits(state.occupancy[tensor]->expected(state.tile(tensor, state.one()))));
    if (other_share) not_zero = quotient(not_zero, 1.0 - *other_share);
    Chances chances{};
    chances[kNotZero] = chance(not_zero);
    chances[innermost_has_metadata(state, tensor) ? kAbsent : kZero] = chance(1.0 - not_zero);
    return chances;
}

}  // namespace

void count_computes(SparseState& state) {
    const std::vector<int> two = operands(state);
    const Chances a = chances_of(state, two[0], state.inherited[two[1]]);
    const Chances b = chances_of(state, two[1], state.inherited[two[0]]);
    const auto either = [&](Operand one, Operand other) { return a[one] * b[other] + a[other] * b[one]; };
    const auto total = static_cast<double>(counted(state.computes));
    double gated = 0.0;
    double skipped = 0.0;
    const auto settle = [&](double share, bool may_be_skipped) {
        if (may_be_skipped && state.design.skips_computes)
            skipped += total * share;
        else if (state.design.gates_computes)
            gated += total * share;
    };
    settle(either(kNotZero, kZero), false);
    settle(either(kNotZero, kAbsent), true);
    settle(a[kZero] * b[kZero], false);
    settle(either(kZero, kAbsent), true);
    sparse::Counts& counts = state.compute.counts;
    counts.skipped = counted(std::floor(skipped));
    counts.gated = counted(std::floor(gated));
    counts.actual =
        counted(total - std::floor(skipped) - std::floor(gated) - std::floor(total * (a[kAbsent] * b[kAbsent])));
}

}  // namespace tilewright::account
