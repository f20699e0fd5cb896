// From requested accesses to actual, gated and skipped ones (Timeloop,
// sparse-analysis/storage-optimization-combiner.cpp).

#include <algorithm>
#include <cmath>

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

/// Remaining accesses of one tensor at one level after the outer levels' savings.
struct Left {
    std::array<double, 3> data{};         ///< by operation
    std::array<RankUnits, 3> metadata{};  ///< by operation
};

void lower(double& count, double share) { count -= std::floor(count * share); }

/// A tensor with metadata does not store zeros.
void leave_out_zeros(SparseTensor& level, bool written) {
    for (const Operation operation : kOperations) {
        const double dense = static_cast<double>(level.dense_words(operation));
        level.data[kActual][operation] = level.dense_words(operation);
        if (!level.kept() || !level.has_metadata() || (operation == kUpdate && !written)) continue;
        level.data[kActual][operation] = counted(dense - std::floor(dense * (1.0 - level.density)));
    }
}

class Combiner {
   public:
    Combiner(SparseState& state, int tensor)
        : state_(state), tensor_(tensor), written_(state.einsum.tensors[tensor].written) {}

    /// Share of computes avoided by reads of this tensor avoided as a whole.
    std::optional<double> run() {
        for (SparseTensor& level : levels()) {
            leave_out_zeros(level, written_);
            Left left;
            for (const Operation operation : kOperations)
                left.data[operation] = static_cast<double>(level.data[kActual][operation]);
            left.metadata = level.metadata_before;
            left_.push_back(std::move(left));
        }
        settled_.assign(levels().size(), 0);
        std::optional<double> inherited;
        for (int s = state_.storages() - 1; s >= 0; --s)
            if (avoided(s).any()) propagate(s, inherited);
        for (int s = 0; s < state_.storages(); ++s)
            if (!avoided(s).gates && !avoided(s).skips) settle_plainly(s);
        return inherited;
    }

   private:
    std::vector<SparseTensor>& levels() { return state_.tensors[tensor_]; }
    const Avoided& avoided(int storage) const { return state_.avoided[tensor_][storage]; }

    double share_of(int storage) const {
        const Avoided& one = avoided(storage);
        if (!one.spatially) return one.share;
        if ((one.gates || one.skips) && one.share != 0.0)
            state_.refuse(storage, "one tensor is skipped both in time and in space; Timeloop exits on it");
        return one.spatial_share;
    }

    void propagate(int storage, std::optional<double>& inherited) {
        const double share = share_of(storage);
        int inner = storage - 1;
        for (; inner >= 0; --inner) {
            pass_on(storage, inner, share);
            if (avoided(inner).any()) {
                settle_below(inner, share);
                break;
            }
        }
        if (settled_[storage] == 0) {
            settled_[storage] = 1;
            take(storage, left_[storage].metadata[kRead]);
            if (!avoided(storage).spatially) avoid(storage, share);
        }
        if (inner >= 0 || written_) return;
        lower(state_.computes, share);
        inherited = std::round(share * 1e6) / 1e6;
    }

    /// Rank 0 alone is lowered, and only if the outer level has exactly one: the bounds of Timeloop's loop over ranks
    /// are swapped.
    void pass_on(int outer, int inner, double share) {
        Left& left = left_[inner];
        for (double& count : left.data) lower(count, share);
        if (!levels()[inner].has_metadata() || left_[outer].metadata[kRead].size() != 1) return;
        for (const Operation operation : {kFill, kRead}) {
            if (left.metadata[operation].empty()) continue;
            lower(left.metadata[operation].front().metadata, share);
            lower(left.metadata[operation].front().payload, share);
        }
    }

    /// An optimised level below another: its metadata reads get the figures of its updates.
    void settle_below(int storage, double outer_share) {
        const double own = avoided(storage).spatially ? avoided(storage).spatial_share : avoided(storage).share;
        const double share = 1.0 - quotient(1.0 - own, 1.0 - outer_share);
        take(storage, left_[storage].metadata[kUpdate]);
        if (!avoided(storage).spatially) avoid(storage, share);
        settled_[storage] = 1;
    }

    void take(int storage, const RankUnits& reads_of_metadata) {
        SparseTensor& level = levels()[storage];
        const Left& left = left_[storage];
        for (const Operation operation : kOperations) level.data[kActual][operation] = counted(left.data[operation]);
        level.metadata[kActual] = left.metadata;
        level.metadata[kActual][kRead] = reads_of_metadata;
    }

    void avoid(int storage, double share) {
        SparseTensor& level = levels()[storage];
        const Fate fate = avoided(storage).gates ? kGated : kSkipped;
        const double reads = static_cast<double>(level.data[kActual][kRead]) * share;
        move(level, fate, kRead, written_ ? std::ceil(reads) : std::floor(reads));
        move(level, fate, kUpdate, std::floor(static_cast<double>(level.data[kActual][kUpdate]) * share));
        const SparseTensor& receiver = level.child >= 0 ? levels()[level.child] : level;
        const std::size_t ranks = receiver.has_metadata() ? receiver.format->ranks.size() : 0;
        for (std::size_t r = 0; r < ranks; ++r)
            for (const Operation operation : {kRead, kUpdate}) move_metadata(storage, fate, operation, r, share);
        if (level.kept() && written_) lower_reductions(level);
    }

    static void move(SparseTensor& level, Fate fate, Operation operation, double count) {
        level.data[fate][operation] += counted(count);
        level.data[kActual][operation] -= counted(count);
    }

    void move_metadata(int storage, Fate fate, Operation operation, std::size_t rank, double share) {
        SparseTensor& level = levels()[storage];
        if (rank >= level.metadata[kActual][operation].size())
            state_.refuse(storage, "the memory inside has more ranks of '" + state_.einsum.tensors[tensor_].name +
                                       "', and Timeloop reads past those that are here: its result is undefined");
        Units& from = level.metadata[kActual][operation][rank];
        Units& to = level.metadata[fate][operation][rank];
        for (double Units::* const kind : {&Units::metadata, &Units::payload}) {
            const double count = std::floor(from.*kind * share);
            from.*kind -= count;
            to.*kind += count;
        }
    }

    static void lower_reductions(SparseTensor& level) {
        const auto updates = static_cast<double>(level.dense.updates);
        level.reductions = updates == 0.0
                               ? 0
                               : counted(std::ceil(static_cast<double>(level.reductions) *
                                                   static_cast<double>(level.data[kActual][kUpdate]) / updates));
    }

    void settle_plainly(int storage) {
        take(storage, left_[storage].metadata[kRead]);
        lower_reductions(levels()[storage]);
    }

    SparseState& state_;
    int tensor_;
    bool written_;
    std::vector<Left> left_;
    std::vector<char> settled_;
};

/// Words compressed or decompressed on their way.
void count_compressions(SparseState& state, int tensor) {
    std::vector<SparseTensor>& levels = state.tensors[tensor];
    for (int s = state.storages() - 1; s >= 0; --s) {
        SparseTensor& level = levels[s];
        if (level.compressed) continue;
        if (level.parent >= 0 && levels[level.parent].compressed) {
            if (state.einsum.tensors[tensor].written) level.compressions += levels[level.parent].data[kActual][kUpdate];
            level.decompressions += level.data[kActual][kFill];
        }
        if (level.child >= 0 && levels[level.child].compressed)
            state.refuse(s, "it holds '" + state.einsum.tensors[tensor].name +
                                "' uncompressed and the memory inside holds it compressed; Timeloop exits on it");
    }
}

}  // namespace

void combine(SparseState& state) {
    state.inherited.resize(static_cast<std::size_t>(state.tensor_count()));
    for (int t = 0; t < state.tensor_count(); ++t) state.inherited[t] = Combiner(state, t).run();
    for (int t = 0; t < state.tensor_count(); ++t) count_compressions(state, t);
}

// Operations at the compute units (Timeloop, sparse-analysis/compute-gs-analyzer.cpp: two operands, no other number).

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
