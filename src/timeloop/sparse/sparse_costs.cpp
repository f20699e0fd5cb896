// Figures of one tensor at one memory: capacity, accesses, metadata rows.
#include <algorithm>
#include <cmath>

#include "timeloop/sparse/sparse_memory.hpp"

namespace tilewright::account {
namespace {

std::int64_t& part_of(sparse::Counts& counts, Fate fate) {
    return fate == kActual ? counts.actual : fate == kGated ? counts.gated : counts.skipped;
}

/// Word width of a rank; 0 without metadata.
struct Widths {
    double metadata = 0.0;
    double payload = 0.0;
};

Widths widths_of(const SparseTensor& level, std::size_t rank) {
    if (level.ranks[rank].trivial) return {};
    const sparse::FormatRank& format = level.format->ranks[rank];
    return {static_cast<double>(format.metadata_bits), static_cast<double>(format.payload_bits)};
}

double bits_in(const SparseTensor& level, const RankUnits& units) {
    double bits = 0.0;
    for (std::size_t r = 0; r < units.size() && r < level.ranks.size(); ++r)
        bits += widths_of(level, r).metadata * units[r].metadata + widths_of(level, r).payload * units[r].payload;
    return bits;
}

std::vector<sparse::RankWords> words_of(const RankUnits& units) {
    std::vector<sparse::RankWords> words;
    for (auto one = units.rbegin(); one != units.rend(); ++one) words.push_back({one->metadata, one->payload});
    return words;
}

void add_metadata(const SparseState& state, const SparseTensor& level, int storage, Operation operation,
                  sparse::Accesses& accesses) {
    const std::int64_t width = state.built(storage).metadata_width_bits;
    accesses.metadata.resize(level.ranks.size());
    for (const Fate fate : kFates) {
        const RankUnits& units = level.metadata[fate][operation];
        for (std::size_t r = 0; r < units.size(); ++r) {
            sparse::RankCounts& counts = accesses.metadata[level.ranks.size() - 1 - r];
            part_of(counts.metadata, fate) = counted(units[r].metadata);
            part_of(counts.payload, fate) = counted(units[r].payload);
        }
        const double bits = width == 0 ? 0.0 : bits_in(level, units);
        if (fate != kSkipped) accesses.metadata_bits += counted(bits);
        part_of(accesses.metadata_rows, fate) = width == 0 ? 0 : counted(std::ceil(bits / static_cast<double>(width)));
    }
}

sparse::Accesses accesses_of(const SparseState& state, const SparseTensor& level, int storage, Operation operation) {
    sparse::Accesses accesses;
    accesses.algorithmic = level.dense_words(operation);
    for (const Fate fate : kFates) part_of(accesses.data, fate) = level.data[fate][operation];
    if (level.has_metadata() && !level.expected_units.empty()) add_metadata(state, level, storage, operation, accesses);
    return accesses;
}

void set_room(const SparseState& state, int tensor, const SparseTensor& level, sparse::TensorCosts& costs) {
    costs.most_words = level.dense.tile_words;
    costs.expected_words = level.kept() ? level.expected_words : 0.0;
    if (!level.has_metadata()) return;
    for (auto rank = level.format->ranks.rbegin(); rank != level.format->ranks.rend(); ++rank)
        costs.format.emplace_back(sparse::name_of(rank->format));
    costs.most_words = state.occupancy[tensor]->most(level.tile);
    const RankUnits most = units_of(state, tensor, level, costs.most_words);
    costs.most_metadata = words_of(most);
    costs.expected_metadata = words_of(level.expected_units);
    costs.most_metadata_bits = counted(std::ceil(bits_in(level, most)));
}

/// Metadata's share of the passing words, in data words.
void set_shares(std::int64_t word_bits, sparse::TensorCosts& costs) {
    const auto data = [](const sparse::Accesses& accesses) { return accesses.data.actual + accesses.data.gated; };
    const std::int64_t read_bits = costs.reads.metadata_bits;
    const std::int64_t write_bits = costs.fills.metadata_bits + costs.updates.metadata_bits;
    const std::int64_t reads = data(costs.reads) + read_bits / word_bits;
    const std::int64_t writes = data(costs.fills) + data(costs.updates) + write_bits / word_bits;
    const auto share = [](std::int64_t part, std::int64_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    costs.read_metadata_share = share(read_bits / word_bits, reads);
    costs.write_metadata_share = share(write_bits / word_bits, writes);
    costs.metadata_share = share((read_bits + write_bits) / word_bits, reads + writes);
}

}  // namespace

sparse::TensorCosts sparse_costs(const SparseState& state, int tensor, int storage) {
    const SparseTensor& level = state.tensors[tensor][storage];
    sparse::TensorCosts costs;
    costs.kept = level.kept();
    costs.density = state.occupancy[tensor]->name();
    costs.tile_words = level.dense.tile_words;
    set_room(state, tensor, level, costs);
    costs.most_instances = level.expansion.size();
    costs.instances = level.instances;
    costs.reads = accesses_of(state, level, storage, kRead);
    costs.fills = accesses_of(state, level, storage, kFill);
    costs.updates = accesses_of(state, level, storage, kUpdate);
    costs.decompressions = level.decompressions;
    costs.compressions = level.compressions;
    set_shares(state.memory(storage).word_bits, costs);
    return costs;
}

}  // namespace tilewright::account
