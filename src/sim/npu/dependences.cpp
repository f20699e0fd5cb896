#include "sim/npu/dependences.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim::npu {
namespace {

using schedule::Execution;
using schedule::kOperands;
using schedule::Operand;
using schedule::Transfer;
using schedule::TransferKind;

constexpr std::size_t kMostNodes = std::size_t{1} << 30;
constexpr int kNone = -1;

struct Event {
    std::int64_t start;
    std::int64_t end;
    int node;
};

/// A tile at an address. During an operation's read of one copy, another may be in transfer.
struct Copy {
    int block = kNone;   ///< its block's node
    int loaded = kNone;  ///< its load
};

class Maker {
   public:
    Maker(const schedule::OperationGraph& graph, const schedule::Schedule& schedule)
        : graph_(graph), schedule_(schedule), last_(graph.tiles.size(), kNone) {
        if (schedule.transfers.size() + schedule.executions.size() > kMostNodes / 4) throw OverflowError();
        made_.transfers = static_cast<int>(schedule.transfers.size());
        made_.executions = static_cast<int>(schedule.executions.size());
        nodes_ = made_.transfers + made_.executions;
        for (int t = 0; t < made_.transfers; ++t)
            events_.push_back({schedule.transfers[at(t)].start, schedule.transfers[at(t)].end, t});
        for (int e = 0; e < made_.executions; ++e)
            events_.push_back({schedule.executions[at(e)].start, schedule.executions[at(e)].end, made_.transfers + e});
        std::stable_sort(events_.begin(), events_.end(),
                         [](const Event& a, const Event& b) { return a.start < b.start; });
    }

    Dependences make() {
        for (const Event& event : events_) {
            if (made_.is_transfer(event.node)) {
                add_transfer(event.node);
            } else {
                add_execution(event.node);
            }
        }
        add_phases();
        gather();
        return std::move(made_);
    }

   private:
    void wait(int node, int for_node) {
        if (node != kNone && for_node != kNone) edges_.emplace_back(for_node, node);
    }

    // In the order of its core or channel.
    void queue(std::vector<int>& last, std::size_t place, int node) {
        if (last.size() <= place) last.resize(place + 1, kNone);
        wait(node, last[place]);
        last[place] = node;
    }

    /// `node` fills a new block: it waits for all uses of the block's previous contents.
    int new_block(int node, int tile, std::int64_t address) {
        const int block = nodes_++;
        const std::int64_t end = address + graph_.tile(tile).block_bytes;
        auto it = blocks_.upper_bound(address);
        if (it != blocks_.begin() && std::prev(it)->second.end > address) --it;
        while (it != blocks_.end() && it->first < end) {
            const std::int64_t begin = it->first;
            const Lying old = it->second;
            wait(node, old.block);
            it = blocks_.erase(it);
            if (begin < address) blocks_[begin] = {address, old.block};
            if (old.end > end) it = blocks_.emplace(end, Lying{old.end, old.block}).first;
        }
        blocks_[address] = {end, block};
        return block;
    }

    Copy& copy_of(int tile, std::int64_t address) { return copies_[{tile, address}]; }

    void add_transfer(int node) {
        const Transfer& one = schedule_.transfers[at(node)];
        const int tile = graph_.first[at(static_cast<int>(one.operand))] + one.index;
        Copy& copy = copy_of(tile, one.address);
        queue(channels_, at(one.channel), node);
        if (one.operand == Operand::output) wait(node, std::exchange(last_[at(tile)], node));
        if (one.kind == TransferKind::load) copy = {new_block(node, tile, one.address), node};
        wait(copy.block, node);
    }

    void add_execution(int node) {
        const Execution& one = schedule_.executions[at(node - made_.transfers)];
        const schedule::Operation& operation = graph_.operation(one.operation);
        queue(cores_, at(one.core), node);
        for (std::size_t o = 0; o < kOperands; ++o) {
            const int tile = operation.tiles[o];
            const bool output = static_cast<Operand>(o) == Operand::output;
            if (output) wait(node, std::exchange(last_[at(tile)], node));
            if (one.address[o] == schedule::kNoBlock) continue;
            Copy& copy = copy_of(tile, one.address[o]);
            if (output && operation.step == 0) copy = {new_block(node, tile, one.address[o]), kNone};
            wait(node, copy.loaded);
            wait(copy.block, node);
        }
    }

    /// Under `sum` transfers and operations alternate, and so do sets of operations: a new kind or set waits for
    /// everything before.
    void add_phases() {
        made_.phase.assign(at(made_.transfers + made_.executions), 0);
        int phase = 0;
        std::int64_t latest = 0;
        bool was_transfer = true;
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const Event& event = events_[i];
            const bool is_transfer = made_.is_transfer(event.node);
            const bool turns = i > 0 && (is_transfer != was_transfer || (!is_transfer && event.start >= latest));
            if (schedule_.rule == schedule::LatencyRule::sum && turns) ++phase;
            made_.phase[at(event.node)] = phase;
            latest = std::max(latest, event.end);
            was_transfer = is_transfer;
        }
        made_.phase_size.assign(at(phase) + 1, 0);
        for (const int one : made_.phase) ++made_.phase_size[at(one)];
    }

    void gather() {
        made_.missing.assign(at(nodes_), 0);
        made_.begins.assign(at(nodes_) + 1, 0);
        for (const auto& [before, after] : edges_) {
            ++made_.missing[at(after)];
            ++made_.begins[at(before) + 1];
        }
        for (std::size_t n = 1; n < made_.begins.size(); ++n) made_.begins[n] += made_.begins[n - 1];
        made_.after.resize(edges_.size());
        std::vector<std::size_t> next = made_.begins;
        for (const auto& [before, after] : edges_) made_.after[next[at(before)]++] = after;
    }

    struct Lying {
        std::int64_t end;
        int block;
    };
    const schedule::OperationGraph& graph_;
    const schedule::Schedule& schedule_;
    std::vector<Event> events_;
    std::vector<int> last_;  ///< [tile] of outputs: last use
    std::map<std::pair<int, std::int64_t>, Copy> copies_;
    std::vector<int> channels_;
    std::vector<int> cores_;
    std::map<std::int64_t, Lying> blocks_;  ///< by address: last contents
    std::vector<std::pair<int, int>> edges_;
    int nodes_ = 0;
    Dependences made_;
};

}  // namespace

Dependences dependences_of(const schedule::OperationGraph& graph, const schedule::Schedule& schedule) {
    return Maker(graph, schedule).make();
}

}  // namespace tilewright::sim::npu
