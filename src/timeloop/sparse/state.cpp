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

// Expected occupancy of tiles, their metadata, and its accesses (Timeloop, workload/format-models,
// CalculateExpectedOccupancy, CalculateExpectedMetaDataAccesses).

namespace {

/// One rank: `fibres` side by side, each in a tile `current`; one of their places is a tile `below`.
struct RankView {
    double fibres;
    double places;
    double not_empty;        ///< chance of a fibre
    double place_not_empty;  ///< chance of a place
};

Units units_in(sparse::RankFormat format, const RankView& rank) {
    if (format == sparse::RankFormat::ub) return {rank.fibres * rank.places, rank.fibres * rank.places};
    const double fibres = rank.fibres * rank.not_empty;
    if (format == sparse::RankFormat::uop) return {0.0, fibres * (rank.places + 1)};
    const double held = rank.places * rank.place_not_empty;
    if (format == sparse::RankFormat::rle) return {held * fibres, held * fibres};
    const double whole = std::ceil(held);
    if (format == sparse::RankFormat::b) return {fibres * rank.places, fibres * whole};
    return {whole * fibres, whole * fibres};
}

void add(const RankUnits& units, double weight, RankUnits& sum) {
    if (sum.empty()) sum.resize(units.size());
    for (std::size_t r = 0; r < units.size(); ++r) {
        sum[r].metadata += units[r].metadata * weight;
        sum[r].payload += units[r].payload * weight;
    }
}

/// A memory with metadata never sends empty tiles: the remaining ones and their number of receivers.
void leave_out_empty(const SparseState& state, int tensor, SparseTensor& level) {
    if (level.parent < 0 || !state.tensors[tensor][level.parent].has_metadata()) return;
    const auto words = static_cast<double>(level.dense.tile_words);
    if (std::floor(state.occupancy[tensor]->least_share(level.tile) * words) != 0.0) return;
    if (level.outcomes.empty()) return;
    const double left_out = level.outcomes.front().probability;  // of the first outcome, whichever it is
    level.instances *= 1.0 - left_out;
    level.outcomes.front().probability = 0.0;
    for (std::size_t i = 1; i < level.outcomes.size(); ++i)
        level.outcomes[i].probability = quotient(level.outcomes[i].probability, 1.0 - left_out);
}

void expect(const SparseState& state, int tensor, SparseTensor& level) {
    level.outcomes = state.occupancy[tensor]->outcomes(level.tile);
    leave_out_empty(state, tensor, level);
    level.expected_words = 0.0;
    for (const sparse::Outcome& outcome : level.outcomes) {
        level.expected_words += outcome.probability * static_cast<double>(outcome.occupied);
        if (level.has_metadata())
            add(units_of(state, tensor, level, outcome.occupied), outcome.probability, level.expected_units);
    }
    level.density = level.expected_words / static_cast<double>(level.dense.tile_words);
}

/// All ranks are charged on every access.
void expect_accesses(SparseTensor& level) {
    for (const Operation operation : kOperations) {
        const double tiles =
            static_cast<double>(level.dense_words(operation)) / static_cast<double>(level.dense.tile_words);
        for (const Units& units : level.expected_units)
            level.metadata_before[operation].push_back(
                {std::ceil(units.metadata * tiles), std::ceil(units.payload * tiles)});
        for (const Fate fate : kFates) level.metadata[fate][operation].resize(level.expected_units.size());
    }
}

}  // namespace

RankUnits units_of(const SparseState& state, int tensor, const SparseTensor& level, std::int64_t occupied) {
    const sparse::Occupancy& occupancy = *state.occupancy[tensor];
    const sparse::Outer outer{level.tile, level.dense.tile_words, occupied};
    RankUnits units(level.ranks.size());
    double fibres = 1.0;
    const sparse::Tile* current = &level.tile;
    for (std::size_t r = level.ranks.size(); r-- > 0;) {
        const FibreRank& rank = level.ranks[r];
        if (!rank.trivial)
            units[r] =
                units_in(level.format->ranks[r].format, {fibres, static_cast<double>(rank.fibre),
                                                         1.0 - occupancy.probability_within(*current, 0, outer),
                                                         1.0 - occupancy.probability_within(rank.below, 0, outer)});
        fibres *= static_cast<double>(rank.fibre);
        current = &rank.below;
    }
    for (Units& one : units) {
        if (one.metadata == 0.0 && one.payload == 0.0) continue;
        one.payload = 0.0;  // it points at the data themselves
        break;
    }
    return units;
}

void expect_occupancy(SparseState& state) {
    for (int t = 0; t < state.tensor_count(); ++t)
        for (SparseTensor& level : state.tensors[t]) {
            if (!level.kept()) {
                level.density = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            expect(state, t, level);
            if (level.has_metadata()) expect_accesses(level);
        }
}

}  // namespace tilewright::account
