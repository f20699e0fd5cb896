#include "schedule/schedulers/ready_sets.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "schedule/schedulers/list_scheduler.hpp"

namespace tilewright::schedule {
namespace {

// Consecutive numbers share a weight while only places change, and an input while only output channels do.
std::pair<std::size_t, Operand> shared_run(const OperationGraph& graph, const std::array<Dim, kDims>& flow) {
    std::size_t run = 1;
    for (std::size_t i = kDims; i-- > 0;) {
        if (graph.counts[flow[i]] == 1) continue;
        if (flow[i] == Dim::out_c && run == 1)
            return {static_cast<std::size_t>(graph.counts[Dim::out_c]), Operand::input};
        if (flow[i] != Dim::out_w && flow[i] != Dim::out_h) break;
        run *= static_cast<std::size_t>(graph.counts[flow[i]]);
    }
    return {run, run > 1 ? Operand::weight : Operand::output};
}

}  // namespace

int ReadySets::Shares::find(int id) const {
    for (int i = 0; i < size; ++i)
        if (tile[i] == id) return i;
    return -1;
}

void ReadySets::Shares::add(int id, int known, bool resident) {
    code = code_with(known, resident);
    if (known >= 0) {
        ++count[known];
        return;
    }
    tile[size] = id;
    count[size] = 1;
    if (resident) there = static_cast<std::uint8_t>(there | 1U << size);
    ++size;
}

std::uint64_t ReadySets::Shares::code_with(int known, bool resident) const {
    if (known < 0) return code + (std::uint64_t{1} << (resident ? 32U : 0U));
    const unsigned half = (there >> known & 1U) != 0 ? 32U : 0U;
    const unsigned shared = count[known];
    return code +
           (std::uint64_t{15} << (half + 4U * (shared - 1U)));  // one more of 16 times the value, one less of one
}

ReadySets::ReadySets(const OperationGraph& graph, const std::array<Dim, kDims>& data_flow,
                     const std::vector<char>& resident)
    : graph_(graph),
      k_(static_cast<std::size_t>(graph.counts[Dim::out_c])),
      c_(static_cast<std::size_t>(graph.counts[Dim::in_c])),
      places_(static_cast<std::size_t>(graph.counts[Dim::out_w] * graph.counts[Dim::out_h])),
      words_(places_ / 64 + 1),
      number_(graph.operations.size()),
      operation_at_(numbered(graph, data_flow)),
      rank_(places_),
      place_at_(places_),
      there_(resident),
      flags_(graph.operations.size()),
      all_(graph.operations.size()),
      ready_of_chain_(places_ * k_, -1),
      ready_places_(c_ * k_ * words_, 0),
      input_there_(c_ * words_, 0),
      output_there_(k_ * words_, 0),
      cores_(graph.problem.machine.cores),
      listed_(graph.tiles.size(), 0),
      classes_(1024) {
    for (std::size_t i = 0; i < operation_at_.size(); ++i) number_[operation_at_[i]] = static_cast<int>(i);
    std::tie(run_, run_operand_) = shared_run(graph, data_flow);
    rank_places(data_flow);
    inputs_.resize(places_ * c_);
    weights_.resize(k_ * c_);
    std::array<std::int64_t, kOperands> largest{};
    for (std::size_t o = 0; o < kOperands; ++o) largest[o] = largest_block(graph.problem, static_cast<Operand>(o));
    for (std::size_t flags = 0; flags < kFlags; ++flags) {
        by_flags_[flags] = PlaceBits(graph.operations.size());
        for (std::size_t o = 0; o < kOperands; ++o)
            if ((flags >> o & 1U) != 0) reused_[flags] += largest[o];
    }
    for (std::size_t o = 0; o < kOperands; ++o) {
        const auto begin = graph.tiles.begin() + graph.first[o];
        smallest_[o] =
            std::min_element(begin, graph.tiles.begin() + graph.first[o + 1], [](const Tile& a, const Tile& b) {
                return a.block_bytes < b.block_bytes;
            })->block_bytes;
    }
    for (std::size_t flags = 0; flags < kFlags; ++flags)
        for (std::size_t fresh = 0; fresh < 4; ++fresh)
            for (std::size_t o = 0; o < kOperands; ++o) {
                if (((fresh | 4U) >> o & 1U) == 0) continue;
                more_[flags][fresh].all += smallest_[o];
                if ((flags >> o & 1U) == 0) more_[flags][fresh].missing += smallest_[o];
            }
    for (int tile = 0; tile < graph.tile_count(); ++tile)
        if (resident[tile] != 0) {
            there_[tile] = 0;
            set_resident(tile, true);
        }
}

void ReadySets::rank_places(const std::array<Dim, kDims>& data_flow) {
    const auto w = std::find(data_flow.begin(), data_flow.end(), Dim::out_w);
    const bool w_outside = std::find(w, data_flow.end(), Dim::out_h) != data_flow.end();
    const auto across = static_cast<std::size_t>(graph_.counts[Dim::out_w]);
    const auto down = static_cast<std::size_t>(graph_.counts[Dim::out_h]);
    for (std::size_t x = 0; x < across; ++x)
        for (std::size_t y = 0; y < down; ++y) {
            const std::size_t rank = w_outside ? x * down + y : y * across + x;
            rank_[x * down + y] = static_cast<int>(rank);
            place_at_[rank] = static_cast<int>(x * down + y);
        }
}

std::size_t ReadySets::flags_now(int operation) const {
    const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
    std::size_t flags = 0;
    for (std::size_t o = 0; o < kOperands; ++o) flags |= static_cast<std::size_t>(there_[tiles[o]]) << o;
    return flags;
}

void ReadySets::index(int operation, std::size_t flags) {
    flags_[operation] = static_cast<std::uint8_t>(flags);
    by_flags_[flags].insert(number_of(operation));
    ++count_of_[flags];
    change_lines(operation, flags, true);
    changed_ = true;
}

void ReadySets::unindex(int operation, std::size_t flags) {
    by_flags_[flags].erase(number_of(operation));
    --count_of_[flags];
    change_lines(operation, flags, false);
    changed_ = true;
}

void ReadySets::change_lines(int operation, std::size_t flags, bool into) {
    const auto id = static_cast<std::size_t>(operation);
    const std::size_t c = id % c_;
    const std::size_t k = id / c_ % k_;
    const auto rank = static_cast<std::size_t>(rank_[id / c_ / k_]);
    inputs_.change(rank * c_ + c, k, flags, into);
    weights_.change(k * c_ + c, rank, flags, into);
}

namespace {

void set_bit(std::vector<std::uint64_t>& words, std::size_t begin, std::size_t bit, bool value) {
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    std::uint64_t& word = words[begin + bit / 64];
    word = value ? word | mask : word & ~mask;
}

}  // namespace

void ReadySets::add(int operation) {
    index(operation, flags_now(operation));
    all_.insert(number_of(operation));
    ++count_;
    mark_ready(operation, true);
}

void ReadySets::remove(int operation) {
    unindex(operation, flags_of(operation));
    all_.erase(number_of(operation));
    --count_;
    mark_ready(operation, false);
}

void ReadySets::mark_ready(int operation, bool ready) {
    const auto id = static_cast<std::size_t>(operation);
    const std::size_t chain = id / c_;
    ready_of_chain_[chain] = ready ? operation : -1;
    set_bit(ready_places_, weight_bits(id % c_, chain % k_), static_cast<std::size_t>(rank_[chain / k_]), ready);
}

void ReadySets::set_resident(int tile, bool resident) {
    if ((there_[tile] != 0) == resident) return;
    switch (graph_.tile(tile).operand) {
        case Operand::input: input_changed(tile, resident); break;
        case Operand::weight: weight_changed(tile, resident); break;
        case Operand::output: output_changed(tile, resident); break;
    }
}

void ReadySets::move(int operation, bool into) {
    if (into)
        index(operation, flags_now(operation));
    else
        unindex(operation, flags_of(operation));
}

void ReadySets::input_changed(int tile, bool resident) {
    const auto index_in = static_cast<std::size_t>(graph_.tile(tile).index);
    const std::size_t place = index_in / c_;
    const std::size_t c = index_in % c_;
    const auto move_all = [&](bool into) {
        for (std::size_t k = 0; k < k_; ++k) {
            const auto operation = static_cast<int>((place * k_ + k) * c_ + c);
            if (all_.contains(number_of(operation))) move(operation, into);
        }
    };
    move_all(false);
    there_[tile] = resident ? 1 : 0;
    move_all(true);
    set_bit(input_there_, c * words_, static_cast<std::size_t>(rank_[place]), resident);
}

void ReadySets::weight_changed(int tile, bool resident) {
    const auto index_in = static_cast<std::size_t>(graph_.tile(tile).index);
    const std::size_t c = index_in / k_;
    const std::size_t k = index_in % k_;
    const std::size_t begin = weight_bits(c, k);
    const auto move_all = [&](bool into) {
        for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t word = ready_places_[begin + w]; word != 0; word &= word - 1) {
                const auto rank = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
                const auto operation = static_cast<int>((static_cast<std::size_t>(place_at_[rank]) * k_ + k) * c_ + c);
                move(operation, into);
            }
    };
    move_all(false);
    there_[tile] = resident ? 1 : 0;
    move_all(true);
}

// At most one operation of a chain is ready.
void ReadySets::output_changed(int tile, bool resident) {
    const auto chain = static_cast<std::size_t>(graph_.tile(tile).index);
    const int ready = ready_of_chain_[chain];
    if (ready >= 0) unindex(ready, flags_of(ready));
    there_[tile] = resident ? 1 : 0;
    if (ready >= 0) index(ready, flags_now(ready));
    set_bit(output_there_, chain % k_ * words_, static_cast<std::size_t>(rank_[chain / k_]), resident);
}

bool ReadySets::may_fit(int size, std::int64_t bytes) const {
    for (int inputs = 1; inputs <= size; ++inputs) {
        const int weights = (size + inputs - 1) / inputs;
        if (inputs * smallest_[0] + weights * smallest_[1] + size * smallest_[2] <= bytes) return true;
    }
    return false;
}

std::int64_t ReadySets::most_reused(int size) const {
    std::int64_t most = 0;
    for (std::size_t flags = 0; flags < kFlags; ++flags)
        if (count_of_[flags] > 0) most = std::max(most, reused_[flags]);
    return most * size;
}

}  // namespace tilewright::schedule
