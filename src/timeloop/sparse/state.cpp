#include "timeloop/sparse/state.hpp"

#include <cmath>

namespace tilewright::account {

Extents SparseState::box_inside(int storage, int index) const {
    if (index > 0) return loops[storage][index - 1].box;
    return storage == 0 ? one() : loops[storage - 1].back().box;
}

void SparseState::refuse(int storage, const std::string& message) const {
    const std::string level = storage < 0 ? "" : memory(storage).name;
    throw SparseRefusal({ViolationKind::nest, level, (level.empty() ? "" : level + ": ") + message});
}

double quotient(double value, double divisor) {
    if (divisor != 0.0) return value / divisor;
    if (value == 0.0 || std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    return std::copysign(std::numeric_limits<double>::infinity(), value);
}

std::int64_t counted(double value) {
    if (!(std::abs(value) < 9.2e18) || value <= -1.0)
        throw SparseRefusal({ViolationKind::nest, "",
                             "a count of Timeloop's would be " + std::to_string(value) +
                                 ", which it stores as an unsigned whole number: its result is undefined"});
    return static_cast<std::int64_t>(value);
}

namespace {

/// The next outer level's requests for a tensor.
struct Outside {
    bool compressed = false;
    int ranks = -1;  ///< -1: not compressed
    int storage = 0;
};

std::optional<Violation> misfit(const SparseState& state, int tensor, int storage, const Outside& outside) {
    const SparseTensor& level = state.tensors[tensor][storage];
    const sparse::MemoryDesign& built = state.built(storage);
    const std::string& tensor_name = state.einsum.tensors[tensor].name;
    const std::string& name = state.memory(storage).name;
    const auto lacks = [&](int at, const std::string& what) {
        return Violation{ViolationKind::nest, state.memory(at).name, state.memory(at).name + what};
    };
    if (!outside.compressed) return std::nullopt;
    if (!level.compressed && !built.decompresses)
        return lacks(storage, " gets '" + tensor_name +
                                  "' compressed, which it keeps uncompressed; it needs decompression_supported");
    if (!level.compressed && state.einsum.tensors[tensor].written && !built.compresses)
        return lacks(storage, " sends '" + tensor_name +
                                  "', which it keeps uncompressed, to a memory that compresses it; it needs "
                                  "compression_supported");
    const int ranks = level.compressed ? static_cast<int>(level.format->ranks.size()) : -1;
    if (level.compressed && outside.ranks < ranks)
        return lacks(outside.storage, " holds '" + tensor_name + "' in fewer ranks than " + name +
                                          " inside does; parting tiles at run time is not supported");
    return std::nullopt;
}

}  // namespace

std::optional<Violation> format_refusal(const SparseState& state) {
    for (int t = 0; t < state.tensor_count() && state.design.has_formats(); ++t) {
        std::optional<Outside> outside;
        for (int s = state.storages() - 1; s >= 0; --s) {
            const SparseTensor& level = state.tensors[t][s];
            if (!level.kept()) continue;
            if (outside)
                if (auto refusal = misfit(state, t, s, *outside)) return refusal;
            outside = {level.compressed, level.compressed ? static_cast<int>(level.format->ranks.size()) : -1, s};
        }
    }
    return std::nullopt;
}

}  // namespace tilewright::account
