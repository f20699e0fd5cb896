#include "timeloop/sparse/sparse_account.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

double most_instances(const SparseState& state, int storage) {
    double most = 0.0;
    for (int t = 0; t < state.tensor_count(); ++t) most = std::max(most, state.tensors[t][storage].instances);
    return most;
}

Mesh largest_mesh(const SparseState& state, int storage) {
    Mesh largest{0, 0};
    for (int t = 0; t < state.tensor_count(); ++t) {
        const Mesh& one = state.tensors[t][storage].expansion;
        largest = {std::max(largest.x, one.x), std::max(largest.y, one.y)};
    }
    return largest;
}

/// Maximum tile elements for vector-by-vector treatment of a compressed tensor, by vector words and density in tenths.
const std::array<std::int64_t, 10>* thresholds(std::int64_t block) {
    static const std::map<std::int64_t, std::array<std::int64_t, 10>> kByBlock{
        {2, {251, 125, 84, 63, 51, 42, 36, 32, 28, 1}},
        {4, {375, 188, 125, 94, 75, 63, 54, 47, 42, 1}},
        {8, {438, 219, 146, 110, 88, 73, 63, 55, 49, 1}},
        {16, {469, 235, 157, 118, 94, 79, 67, 59, 52, 1}},
        {32, {485, 243, 162, 122, 97, 81, 70, 61, 52, 1}}};
    const auto found = kByBlock.find(block);
    return found == kByBlock.end() ? nullptr : &found->second;
}

/// Excess of vectors in small compressed tiles over their elements' need.
double vector_ratio(const SparseState& state, int tensor, int storage) {
    const SparseTensor& level = state.tensors[tensor][storage];
    const std::int64_t block = state.memory(storage).block_words;
    if (!level.compressed || !level.kept() || block <= 1 || !(level.density < 1.0)) return 1.0;
    const auto* rows = block % 2 == 0 ? thresholds(block) : nullptr;
    if (rows == nullptr)
        state.refuse(storage,
                     "Timeloop counts vectors of compressed tensors only where they have 2, 4, 8, 16 or 32 "
                     "words, and exits on " +
                         std::to_string(block));
    const double tenths = level.density < 0.1 ? 0.0 : std::floor(level.density / 0.1) - 1.0;
    if ((*rows)[static_cast<std::size_t>(tenths)] <= level.dense.tile_words / block) return 1.0;
    double vectors = 0.0;
    for (const sparse::Outcome& outcome : state.occupancy[tensor]->outcomes(level.tile))
        vectors += std::ceil(static_cast<double>(outcome.occupied) / static_cast<double>(block)) * outcome.probability;
    const auto words = static_cast<double>(level.dense.tile_words);
    return vectors / (words * level.density / static_cast<double>(block));
}

double cluster_energy_pj(const SparseState& state, int tensor, int storage, const sparse::TensorCosts& costs) {
    const Memory& memory = state.memory(storage);
    const sparse::MemoryDesign& built = state.built(storage);
    const double ratio = vector_ratio(state, tensor, storage);
    const auto vectors = [&](std::int64_t words) {
        return words == 0 ? 0.0 : static_cast<double>(ceil_div(words, memory.block_words)) * ratio;
    };
    // Term by term in Timeloop's order: the last digits of the sum depend on it.
    double energy = 0.0;
    const auto add = [&](const sparse::Accesses& accesses, double sparse::AccessEnergies::* kind, double actual_pj) {
        energy += vectors(accesses.data.actual) * actual_pj;
        energy += vectors(accesses.data.gated) * built.gated.*kind;
        energy += vectors(accesses.data.skipped) * built.skipped.*kind;
        energy += static_cast<double>(accesses.metadata_rows.actual) * built.metadata.*kind;
        energy += static_cast<double>(accesses.metadata_rows.gated) * built.gated_metadata.*kind;
        energy += static_cast<double>(accesses.metadata_rows.skipped) * built.skipped_metadata.*kind;
    };
    add(costs.reads, &sparse::AccessEnergies::read_pj, memory.energy.read_pj.value);
    energy += static_cast<double>(costs.decompressions) * built.decompression_pj;
    energy += static_cast<double>(costs.compressions) * built.compression_pj;
    add(costs.fills, &sparse::AccessEnergies::fill_pj, memory.energy.fill_pj.value);
    add(costs.updates, &sparse::AccessEnergies::update_pj, memory.energy.update_pj.value);
    return energy;
}

/// Skipped accesses need no address.
std::int64_t address_generations(const sparse::TensorCosts& costs, bool written) {
    const sparse::Counts& inner = written ? costs.updates.data : costs.reads.data;
    return inner.actual + inner.gated + costs.fills.data.actual + costs.fills.data.gated;
}

void set_energy(const SparseState& state, int tensor, int storage, const sparse::TensorCosts& costs,
                TimeloopTensor& result) {
    const Memory& memory = state.memory(storage);
    const SparseTensor& level = state.tensors[tensor][storage];
    result.address_energy_pj = static_cast<double>(result.address_generations) *
                               std::max(0.0, memory.address_energy_pj.value_or(0.0)) *
                               static_cast<double>(result.clusters);
    if (!(level.instances > 0.0)) return;
    const double per_cluster = static_cast<double>(level.expansion.size()) / static_cast<double>(result.clusters);
    result.energy_pj_per_instance = cluster_energy_pj(state, tensor, storage, costs) / per_cluster;
    result.energy_pj = result.energy_pj_per_instance * level.instances;
}

void set_bandwidth(const SparseState& state, int tensor, int storage, const sparse::TensorCosts& costs,
                   std::int64_t compute_cycles, TimeloopTensor& result) {
    const Memory& memory = state.memory(storage);
    const SparseTensor& level = state.tensors[tensor][storage];
    const double ratio =
        quotient(static_cast<double>(level.expansion.x) * static_cast<double>(level.expansion.y), level.instances);
    if (std::isnan(ratio) || ratio == 0.0) return;
    const double factor = bandwidth_scale(state.einsum.tensors[tensor], memory).value_or(1.0);
    const auto per_cycle = [&](std::int64_t words) {
        return std::ceil(static_cast<double>(words) / ratio) / static_cast<double>(compute_cycles) * factor;
    };
    const auto passing = [](const sparse::Accesses& accesses) { return accesses.data.actual + accesses.data.gated; };
    result.read_words_per_cycle = per_cycle(passing(costs.reads) + costs.reads.metadata_bits / memory.word_bits);
    result.write_words_per_cycle =
        per_cycle(passing(costs.fills) + passing(costs.updates) +
                  (costs.fills.metadata_bits + costs.updates.metadata_bits) / memory.word_bits);
}

TimeloopTensor evaluate_tensor(const SparseState& state, int tensor, int storage, const sparse::TensorCosts& costs,
                               std::int64_t compute_cycles) {
    const SparseTensor& level = state.tensors[tensor][storage];
    const Memory& memory = state.memory(storage);
    TimeloopTensor result;
    result.kept = level.kept();
    result.tile_words = costs.most_words;
    result.partition_words = level.dense.partition_words;
    result.instances = level.instances;
    result.clusters = std::min(level.expansion.size(), memory.instances / memory.cluster_size);
    result.reads = costs.reads.data.actual;
    result.fills = costs.fills.data.actual;
    result.updates = costs.updates.data.actual;
    result.temporal_reductions = level.reductions;
    result.address_generations = address_generations(costs, state.einsum.tensors[tensor].written);
    set_energy(state, tensor, storage, costs, result);
    set_bandwidth(state, tensor, storage, costs, compute_cycles, result);
    return result;
}

std::optional<Violation> room_refusal(const Memory& memory, const sparse::MemoryDesign& built,
                                      const sparse::MemoryCosts& costs) {
    std::int64_t words = 0;
    std::int64_t bits = 0;
    for (const sparse::TensorCosts& tensor : costs.tensors) {
        words = checked_add(words, tensor.most_words);
        bits = checked_add(bits, tensor.most_metadata_bits);
    }
    const auto usable = memory.usable_words();
    if (!usable) return std::nullopt;
    if (words > *usable)
        return Violation{ViolationKind::capacity, memory.name,
                         memory.name + " would hold " + std::to_string(words) + " words, " +
                             std::to_string(words - *usable) + " more than its " + std::to_string(*usable)};
    const auto room = static_cast<std::int64_t>(std::floor(static_cast<double>(built.metadata_depth.value_or(0)) *
                                                           static_cast<double>(built.metadata_width_bits) /
                                                           memory.multiple_buffering));
    if (bits > room)
        return Violation{ViolationKind::capacity, memory.name,
                         memory.name + " would hold " + std::to_string(bits) + " bits of metadata, " +
                             std::to_string(bits - room) + " more than its " + std::to_string(room)};
    if (static_cast<double>(words) < static_cast<double>(*usable) * memory.min_utilization)
        return Violation{ViolationKind::min_utilization, memory.name,
                         memory.name + " would hold only " + std::to_string(words) + " of its " +
                             std::to_string(*usable) + " words"};
    return std::nullopt;
}

}  // namespace

std::optional<Violation> sparse_storage_refusal(const SparseState& state, int storage,
                                                const sparse::MemoryCosts& costs) {
    const Memory& memory = state.memory(storage);
    if (auto refusal = room_refusal(memory, state.built(storage), costs)) return refusal;
    return too_many(largest_mesh(state, storage), most_instances(state, storage), memory.mesh, memory.instances,
                    memory.name);
}

TimeloopMemory evaluate_sparse_memory(const SparseState& state, int storage, const sparse::MemoryCosts& costs,
                                      std::int64_t compute_cycles) {
    const Memory& memory = state.memory(storage);
    TimeloopMemory result;
    result.name = memory.name;
    for (int t = 0; t < state.tensor_count(); ++t)
        result.tensors.push_back(evaluate_tensor(state, t, storage, costs.tensors[t], compute_cycles));
    throttle(memory, compute_cycles, result);
    return result;
}

double sparse_leakage_pj(const SparseState& state, int storage, std::int64_t cycles) {
    return leakage_pj(state.architecture, storage, cycles, [&](int level) { return most_instances(state, level); });
}

// Figures of one tensor at one memory: capacity, accesses, metadata rows.

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
