#include "schedule/validation/validate.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

using Time = std::int64_t;

struct Coordinates {
    std::int64_t w = 0;
    std::int64_t h = 0;
    std::int64_t c = 0;
    std::int64_t k = 0;
};

std::string at(const char* list, std::size_t index) { return std::string(list) + "[" + std::to_string(index) + "]"; }

// The validator's own tiling.
class Cut {
   public:
    explicit Cut(const Problem& problem) : problem_(problem) {
        const ConvLayer& l = problem.layer;
        const std::int64_t all[kDims] = {l.out_w, l.out_h, l.in_c, l.out_c};
        for (std::size_t d = 0; d < kDims; ++d) {
            extent_[d] = all[d];
            count_[d] = (all[d] + problem.tiling.value[d] - 1) / problem.tiling.value[d];
        }
    }

    std::int64_t places() const { return checked_mul(count_[0], count_[1]); }
    std::int64_t chain() const { return count_[2]; }
    std::int64_t operations() const { return checked_mul(outputs(), chain()); }
    std::int64_t outputs() const { return checked_mul(places(), count_[3]); }
    std::int64_t tiles(Operand operand) const {
        if (operand == Operand::input) return checked_mul(places(), count_[2]);
        if (operand == Operand::weight) return checked_mul(count_[2], count_[3]);
        return outputs();
    }

    Coordinates of_operation(std::int64_t index) const {
        const std::int64_t output = index / chain();
        Coordinates place = of_tile(Operand::output, output);
        place.c = index % chain();
        return place;
    }

    Coordinates of_tile(Operand operand, std::int64_t index) const {
        if (operand == Operand::weight) return {0, 0, index / count_[3], index % count_[3]};
        const std::int64_t last = operand == Operand::input ? count_[2] : count_[3];
        const std::int64_t place = index / last;
        Coordinates result{place / count_[1], place % count_[1], 0, 0};
        (operand == Operand::input ? result.c : result.k) = index % last;
        return result;
    }

    std::int64_t tile_index(Operand operand, const Coordinates& x) const {
        if (operand == Operand::weight) return x.c * count_[3] + x.k;
        const std::int64_t place = x.w * count_[1] + x.h;
        return operand == Operand::input ? place * count_[2] + x.c : place * count_[3] + x.k;
    }

    bool kept(Operand operand) const {
        const Kept& kept = problem_.layer.kept;
        return (operand == Operand::input && kept.input) || (operand == Operand::output && kept.output);
    }

    // Bytes of a tile in the scratchpad; 0 in a kept tensor. A kept output has a block only as a partial sum.
    std::int64_t block(Operand operand, std::int64_t index) const {
        const Coordinates x = of_tile(operand, index);
        if (kept(operand) && (operand == Operand::input || chain() == 1)) return 0;
        const ElementBytes& bytes = problem_.machine.element_bytes;
        const ConvLayer& l = problem_.layer;
        if (operand == Operand::weight)
            return bytes_of(volume({l.kernel_w, l.kernel_h, size(2, x.c), size(3, x.k)}), l.bits.weight, bytes.weight);
        const std::int64_t outputs = volume({size(0, x.w), size(1, x.h), size(3, x.k)});
        if (operand == Operand::output && chain() > 1) return bytes_of(outputs, l.bits.partial_sum, bytes.partial_sum);
        if (operand == Operand::output) return bytes_of(outputs, l.bits.output, bytes.output);
        return bytes_of(volume({(size(0, x.w) - 1) * l.stride_w + (l.kernel_w - 1) * l.dilation_w + 1,
                                (size(1, x.h) - 1) * l.stride_h + (l.kernel_h - 1) * l.dilation_h + 1, size(2, x.c)}),
                        l.bits.input, bytes.input);
    }

    std::int64_t moved(const Transfer& transfer) const {
        if (transfer.kind != TransferKind::store) return block(transfer.operand, transfer.index);
        const Coordinates x = of_tile(Operand::output, transfer.index);
        return bytes_of(volume({size(0, x.w), size(1, x.h), size(3, x.k)}), problem_.layer.bits.output,
                        problem_.machine.element_bytes.output);
    }

    Time cycles(std::int64_t operation) const {
        const Coordinates x = of_operation(operation);
        const ConvLayer& l = problem_.layer;
        WordBits bits = l.bits;
        if (chain() > 1) bits.output = bits.partial_sum;
        return operation_cycles(problem_.machine,
                                {size(0, x.w), size(1, x.h), size(2, x.c), size(3, x.k), l.kernel_w, l.kernel_h,
                                 l.stride_w, l.stride_h, l.dilation_w, l.dilation_h, bits});
    }

   private:
    std::int64_t size(std::size_t dim, std::int64_t index) const {
        return std::min(problem_.tiling.value[dim], extent_[dim] - index * problem_.tiling.value[dim]);
    }
    static std::int64_t volume(std::initializer_list<std::int64_t> sides) {
        std::int64_t result = 1;
        for (const std::int64_t side : sides) result = checked_mul(result, side);
        return result;
    }

    // Tiles are packed; default bits are the machine's bytes.
    static std::int64_t bytes_of(std::int64_t words, std::int64_t bits, std::int64_t bytes) {
        return bits == 0 ? checked_mul(words, bytes) : checked_add(checked_mul(words, bits), 7) / 8;
    }

    const Problem& problem_;
    std::array<std::int64_t, kDims> extent_{};
    std::array<std::int64_t, kDims> count_{};
};

// A tile at an address, from taking its block to the end of its last use.
struct CopyResidence {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    Time begin = 0;
    Time filled = 0;  ///< readable from then on
    Time last_use = 0;
    std::string place;  ///< its origin
};

class Validator {
   public:
    Validator(const Problem& problem, const Schedule& schedule, std::size_t most)
        : problem_(problem), schedule_(schedule), most_(most), cut_(problem) {}

    std::vector<Finding> run() {
        check_each_transfer();
        check_each_execution();
        if (findings_.empty()) check_whole();
        check_claims();
        return std::move(findings_);
    }

   private:
    void report(Fault fault, std::string place, std::string message) {
        if (findings_.size() < most_) findings_.push_back({fault, std::move(place), std::move(message)});
    }

    // Step 1: every entry by itself.
    void check_each_transfer() {
        for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
            const Transfer& one = schedule_.transfers[i];
            const std::string place = at("transfers", i);
            if (one.index < 0 || one.index >= cut_.tiles(one.operand)) {
                report(Fault::unknown_tile, place, "there is no such tile");
                continue;
            }
            if (one.kind != TransferKind::load && one.operand != Operand::output)
                report(Fault::wrong_kind, place, "only outputs are written back");
            const bool finished = one.kind == TransferKind::store || cut_.block(one.operand, one.index) == 0;
            if (cut_.kept(one.operand) && finished) {
                report(Fault::kept_tensor, place, "its tensor stays in the scratchpad and is not moved");
                continue;
            }
            if (one.channel < 0 || one.channel >= problem_.machine.dma_channels)
                report(Fault::unknown_channel, place, "there is no such DMA channel");
            if (one.start < 0) report(Fault::negative_time, place, "it starts before time 0");
            const std::int64_t bytes = cut_.moved(one);
            if (one.bytes != bytes) report(Fault::wrong_bytes, place, "it moves " + std::to_string(bytes) + " bytes");
            const Time cycles = transfer_cycles(problem_.machine, bytes);
            if (one.end - one.start != cycles)
                report(Fault::wrong_duration, place, "it takes " + std::to_string(cycles) + " cycles");
            check_address(one.address, cut_.block(one.operand, one.index), place);
        }
    }

    void check_each_execution() {
        for (std::size_t i = 0; i < schedule_.executions.size(); ++i) {
            const Execution& one = schedule_.executions[i];
            const std::string place = at("executions", i);
            if (one.operation < 0 || one.operation >= cut_.operations()) {
                report(Fault::unknown_operation, place, "there is no such operation");
                continue;
            }
            if (one.core < 0 || one.core >= problem_.machine.cores)
                report(Fault::unknown_core, place, "there is no such core");
            if (one.start < 0) report(Fault::negative_time, place, "it starts before time 0");
            const Time cycles = cut_.cycles(one.operation);
            if (one.end - one.start != cycles)
                report(Fault::wrong_duration, place, "it takes " + std::to_string(cycles) + " cycles");
            for (int operand = 0; operand < kOperands; ++operand)
                check_address(one.address[operand],
                              cut_.block(static_cast<Operand>(operand), tile_of(one, static_cast<Operand>(operand))),
                              place);
        }
    }

    void check_address(std::int64_t address, std::int64_t bytes, const std::string& place) {
        const Kept& kept = problem_.layer.kept;
        if (bytes == 0) {
            if (address != kNoBlock)
                report(Fault::kept_tensor, place, "a tile of a kept tensor has no address of its own");
            return;
        }
        const std::int64_t end = problem_.machine.scratchpad_bytes - kept.above_bytes;
        if (address < kept.below_bytes || bytes > end || address > end - bytes)
            report(Fault::out_of_memory, place,
                   "a block of " + std::to_string(bytes) + " bytes at " + std::to_string(address) +
                       " does not lie in the scratchpad" +
                       (kept == Kept{} ? "" : ", or not in the part that is not kept"));
    }

    std::int64_t tile_of(const Execution& one, Operand operand) const {
        return cut_.tile_index(operand, cut_.of_operation(one.operation));
    }

    // Step 2: their combination.
    void check_whole() {
        check_channels();
        check_cores();
        if (schedule_.rule == LatencyRule::sum) check_apart();
        check_operations_once();
        replay_read_only(Operand::input);
        replay_read_only(Operand::weight);
        replay_outputs();
        check_blocks();
    }

    template <typename List>
    std::vector<std::size_t> by_start(const List& list) const {
        std::vector<std::size_t> order(list.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return list[a].start < list[b].start; });
        return order;
    }

    void check_channels() {
        std::map<int, Time> busy;
        for (const std::size_t i : by_start(schedule_.transfers)) {
            const Transfer& one = schedule_.transfers[i];
            Time& until = busy[one.channel];
            if (one.start < until)
                report(Fault::channel_busy, at("transfers", i), "its channel is busy until " + std::to_string(until));
            until = std::max(until, one.end);
        }
    }

    void check_cores() {
        std::map<int, Time> busy;
        for (const std::size_t i : by_start(schedule_.executions)) {
            const Execution& one = schedule_.executions[i];
            Time& until = busy[one.core];
            if (one.start < until)
                report(Fault::core_busy, at("executions", i), "its core is busy until " + std::to_string(until));
            until = std::max(until, one.end);
        }
    }

    // Under the rule `sum` no transfer runs during computation.
    void check_apart() {
        const std::vector<std::size_t> executions = by_start(schedule_.executions);
        Time computing_until = 0;
        std::size_t next = 0;
        for (const std::size_t i : by_start(schedule_.transfers)) {
            const Transfer& one = schedule_.transfers[i];
            for (; next < executions.size() && schedule_.executions[executions[next]].start < one.end; ++next)
                computing_until = std::max(computing_until, schedule_.executions[executions[next]].end);
            if (computing_until > one.start)
                report(Fault::transfer_beside_computation, at("transfers", i), "a core computes at the same time");
        }
    }

    void check_operations_once() {
        std::vector<int> runs(static_cast<std::size_t>(cut_.operations()), 0);
        for (std::size_t i = 0; i < schedule_.executions.size(); ++i)
            if (++runs[schedule_.executions[i].operation] > 1)
                report(Fault::repeated_operation, at("executions", i), "the operation runs a second time");
        for (std::size_t id = 0; id < runs.size(); ++id)
            if (runs[id] == 0) {
                const Coordinates x = cut_.of_operation(static_cast<std::int64_t>(id));
                report(Fault::missing_operation, "executions",
                       "operation [" + std::to_string(x.w) + ", " + std::to_string(x.h) + ", " + std::to_string(x.c) +
                           ", " + std::to_string(x.k) + "] never runs");
            }
    }

    // Inputs and weights: each load makes a copy; an operation reads the latest one at its address.
    void replay_read_only(Operand operand) {
        if (cut_.kept(operand)) return;
        std::map<std::pair<int, std::int64_t>, std::vector<CopyResidence>> copies;  // by tile and address, by time
        for (const std::size_t i : by_start(schedule_.transfers)) {
            const Transfer& one = schedule_.transfers[i];
            if (one.operand != operand) continue;
            copies[{one.index, one.address}].push_back(
                {one.address, cut_.block(operand, one.index), one.start, one.end, one.end, at("transfers", i)});
        }
        for (std::size_t i = 0; i < schedule_.executions.size(); ++i) {
            const Execution& one = schedule_.executions[i];
            const std::int64_t address = one.address[static_cast<std::size_t>(operand)];
            const auto found = copies.find({static_cast<int>(tile_of(one, operand)), address});
            if (found == copies.end() || !extend(found->second, one))
                report(Fault::not_resident, at("executions", i),
                       std::string("its ") + kOperandNames[static_cast<std::size_t>(operand)] +
                           " is not at this address when it starts");
        }
        for (auto& [tile, residences] : copies)
            residences_.insert(residences_.end(), residences.begin(), residences.end());
    }

    static bool extend(std::vector<CopyResidence>& copies, const Execution& one) {
        CopyResidence* latest = nullptr;
        for (CopyResidence& copy : copies)
            if (copy.filled <= one.start) latest = &copy;
        if (latest != nullptr) latest->last_use = std::max(latest->last_use, one.end);
        return latest != nullptr;
    }

    // Events of one output, in order.
    struct Event {
        Time start = 0;
        Time end = 0;
        std::int64_t address = 0;
        std::optional<TransferKind> transfer;  ///< none: an execution
        std::int64_t step = 0;
        std::string place;
    };

    void replay_outputs() {
        std::vector<std::vector<Event>> events(static_cast<std::size_t>(cut_.outputs()));
        for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
            const Transfer& one = schedule_.transfers[i];
            if (one.operand != Operand::output) continue;
            events[one.index].push_back({one.start, one.end, one.address, one.kind, 0, at("transfers", i)});
        }
        for (std::size_t i = 0; i < schedule_.executions.size(); ++i) {
            const Execution& one = schedule_.executions[i];
            events[tile_of(one, Operand::output)].push_back(
                {one.start, one.end, one.address[2], std::nullopt, one.operation % cut_.chain(), at("executions", i)});
        }
        for (std::size_t tile = 0; tile < events.size(); ++tile) {
            std::stable_sort(events[tile].begin(), events[tile].end(),
                             [](const Event& a, const Event& b) { return a.start < b.start; });
            replay_output(tile, events[tile]);
        }
    }

    struct OutputState {
        std::optional<CopyResidence> block;
        std::int64_t steps = 0;
        Time ready = 0;  ///< the end of its last event
        bool written_back = false;
        bool stored = false;
    };

    void replay_output(std::size_t tile, const std::vector<Event>& events) {
        OutputState state;
        const std::int64_t bytes = cut_.block(Operand::output, static_cast<std::int64_t>(tile));
        for (const Event& event : events) {
            if (state.stored)
                report(event.transfer == TransferKind::store ? Fault::repeated_store : Fault::chain_order, event.place,
                       "the output was stored before");
            else if (event.start < state.ready)
                report(event.transfer ? Fault::lost_partial_sum : Fault::chain_order, event.place,
                       "what happens to its output before ends at " + std::to_string(state.ready));
            else if (!event.transfer)
                execute(state, event, bytes);
            else
                transfer(state, event, bytes);
            state.ready = std::max(state.ready, event.end);
        }
        if (!state.stored && state.steps == cut_.chain() && !cut_.kept(Operand::output))
            report(Fault::missing_store, "transfers", "output " + std::to_string(tile) + " is never stored");
        if (state.block && bytes > 0) residences_.push_back(*state.block);
    }

    void execute(OutputState& state, const Event& event, std::int64_t bytes) {
        if (event.step != state.steps)
            return report(Fault::chain_order, event.place,
                          "step " + std::to_string(state.steps) + " of its output comes next");
        ++state.steps;
        if (event.step == 0 && !state.block)
            state.block = CopyResidence{event.address, bytes, event.start, event.end, event.end, event.place};
        if (!state.block)
            return report(Fault::lost_partial_sum, event.place, "its partial sum was written back and not read again");
        if (state.block->address != event.address)
            return report(Fault::not_resident, event.place, "its output is at " + std::to_string(state.block->address));
        state.block->last_use = event.end;
    }

    void transfer(OutputState& state, const Event& event, std::int64_t bytes) {
        if (event.transfer == TransferKind::load) return reload(state, event, bytes);
        if (!state.block || state.block->address != event.address)
            return report(Fault::not_resident, event.place, "the output is not at this address");
        const bool complete = state.steps == cut_.chain();
        if (event.transfer == TransferKind::store && !complete)
            return report(Fault::unfinished_store, event.place, "the output is not complete");
        if (event.transfer == TransferKind::spill && complete)
            return report(Fault::wrong_kind, event.place, "the output is complete: it is stored, not spilled");
        state.block->last_use = event.end;
        residences_.push_back(*state.block);
        state.block.reset();
        state.stored = complete;
        state.written_back = !complete;
    }

    void reload(OutputState& state, const Event& event, std::int64_t bytes) {
        if (state.block || !state.written_back)
            return report(Fault::lost_partial_sum, event.place, "there is no partial sum to read");
        state.block = CopyResidence{event.address, bytes, event.start, event.end, event.end, event.place};
        state.written_back = false;
    }

    // Live blocks at any time, by address.
    void check_blocks() {
        std::sort(residences_.begin(), residences_.end(), [](const CopyResidence& a, const CopyResidence& b) {
            return std::tie(a.begin, a.address) < std::tie(b.begin, b.address);
        });
        using End = std::pair<Time, std::size_t>;
        std::priority_queue<End, std::vector<End>, std::greater<>> ends;
        std::map<std::int64_t, std::size_t> live;
        for (std::size_t i = 0; i < residences_.size(); ++i) {
            const CopyResidence& one = residences_[i];
            for (; !ends.empty() && ends.top().first <= one.begin; ends.pop()) {
                const auto gone = live.find(residences_[ends.top().second].address);
                if (gone != live.end() && gone->second == ends.top().second) live.erase(gone);
            }
            if (overlaps(live, one)) {
                report(Fault::overlapping_blocks, one.place, "its block overlaps one that is still in use");
                continue;
            }
            live[one.address] = i;
            ends.emplace(one.last_use, i);
        }
    }

    bool overlaps(const std::map<std::int64_t, std::size_t>& live, const CopyResidence& one) const {
        const auto above = live.lower_bound(one.address);
        if (above != live.end() && above->first < one.address + one.bytes) return true;
        if (above == live.begin()) return false;
        const CopyResidence& below = residences_[std::prev(above)->second];
        return below.address + below.bytes > one.address;
    }

    // Step 3: its own claims.
    void check_claims() {
        Time latency = 0;
        std::int64_t traffic = 0;
        for (const Transfer& one : schedule_.transfers) {
            latency = std::max(latency, one.end);
            traffic = checked_add(traffic, one.bytes);
        }
        for (const Execution& one : schedule_.executions) latency = std::max(latency, one.end);
        if (schedule_.latency_cycles != latency)
            report(Fault::wrong_latency, "latency_cycles", "the last thing ends at " + std::to_string(latency));
        if (schedule_.traffic_bytes != traffic)
            report(Fault::wrong_traffic, "traffic_bytes", "the transfers move " + std::to_string(traffic) + " bytes");
    }

    const Problem& problem_;
    const Schedule& schedule_;
    const std::size_t most_;
    const Cut cut_;
    std::vector<CopyResidence> residences_;
    std::vector<Finding> findings_;
};

std::string problem_in(const Problem& problem) {
    std::string text = problem_with(problem.machine);
    if (text.empty()) text = problem_with(problem.layer);
    if (!text.empty()) return text;
    const std::int64_t all[kDims] = {problem.layer.out_w, problem.layer.out_h, problem.layer.in_c, problem.layer.out_c};
    for (std::size_t d = 0; d < kDims; ++d)
        if (problem.tiling.value[d] < 1 || problem.tiling.value[d] > all[d])
            return std::string("the tile size of ") + kDimNames[d] + " must lie between 1 and " +
                   std::to_string(all[d]);
    if (Cut(problem).operations() > kMostOperations) return "there are too many operations";
    const Kept& kept = problem.layer.kept;
    const std::int64_t bytes = problem.machine.scratchpad_bytes;
    if (kept.below_bytes < 0 || kept.above_bytes < 0 || kept.below_bytes > bytes ||
        kept.above_bytes > bytes - kept.below_bytes)
        return "what is kept does not fit in the scratchpad";
    return "";
}

}  // namespace

const char* fault_name(Fault fault) {
    switch (fault) {
        case Fault::bad_problem: return "bad-problem";
        case Fault::unknown_tile: return "unknown-tile";
        case Fault::unknown_operation: return "unknown-operation";
        case Fault::unknown_core: return "unknown-core";
        case Fault::unknown_channel: return "unknown-channel";
        case Fault::wrong_kind: return "wrong-kind";
        case Fault::negative_time: return "negative-time";
        case Fault::wrong_bytes: return "wrong-bytes";
        case Fault::wrong_duration: return "wrong-duration";
        case Fault::out_of_memory: return "out-of-memory";
        case Fault::channel_busy: return "channel-busy";
        case Fault::core_busy: return "core-busy";
        case Fault::transfer_beside_computation: return "transfer-beside-computation";
        case Fault::repeated_operation: return "repeated-operation";
        case Fault::missing_operation: return "missing-operation";
        case Fault::not_resident: return "not-resident";
        case Fault::chain_order: return "chain-order";
        case Fault::lost_partial_sum: return "lost-partial-sum";
        case Fault::unfinished_store: return "unfinished-store";
        case Fault::repeated_store: return "repeated-store";
        case Fault::missing_store: return "missing-store";
        case Fault::overlapping_blocks: return "overlapping-blocks";
        case Fault::wrong_latency: return "wrong-latency";
        case Fault::wrong_traffic: return "wrong-traffic";
        case Fault::kept_tensor: return "kept-tensor";
        case Fault::unknown_step: return "unknown-step";
        case Fault::wrong_tensor: return "wrong-tensor";
        case Fault::not_what_is_read: return "not-what-is-read";
        case Fault::undeclared: return "undeclared";
        case Fault::no_room: return "no-room";
        case Fault::overlapping_tensors: return "overlapping-tensors";
    }
    return "";
}

std::vector<Finding> validate(const Problem& problem, const Schedule& schedule, std::size_t most) {
    const std::string wrong = problem_in(problem);
    if (!wrong.empty()) return {{Fault::bad_problem, "", wrong}};
    return Validator(problem, schedule, most).run();
}

}  // namespace tilewright::schedule
