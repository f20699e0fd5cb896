#include "schedule/problem/residence.hpp"

#include <algorithm>
#include <map>

namespace tilewright::schedule {
namespace {

struct Use {
    Residence residence;  ///< by this use alone
    bool begins = false;  ///< a load, or the first operation of a chain
};

std::vector<Use> uses_of(const OperationGraph& graph, const Schedule& schedule) {
    std::vector<Use> uses;
    for (const Transfer& one : schedule.transfers)
        uses.push_back(
            {{graph.first[static_cast<std::size_t>(one.operand)] + one.index, one.address, one.start, one.end, 0},
             one.kind == TransferKind::load});
    for (const Execution& one : schedule.executions) {
        const Operation& operation = graph.operation(one.operation);
        for (std::size_t o = 0; o < kOperands; ++o) {
            if (one.address[o] == kNoBlock) continue;
            const bool begins = static_cast<Operand>(o) == Operand::output && operation.step == 0;
            uses.push_back(
                {{operation.tiles[o], one.address[o], one.start, one.end, std::uint64_t{1} << one.core}, begins});
        }
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const Use& a, const Use& b) { return a.residence.begin < b.residence.begin; });
    return uses;
}

}  // namespace

std::vector<Residence> residences(const OperationGraph& graph, const Schedule& schedule) {
    std::vector<Residence> ended;
    std::map<int, Residence> live;  // by tile
    for (const Use& use : uses_of(graph, schedule)) {
        const auto found = live.find(use.residence.tile);
        if (use.begins) {
            if (found != live.end()) ended.push_back(found->second);
            live[use.residence.tile] = use.residence;
        } else if (found != live.end()) {
            found->second.end = std::max(found->second.end, use.residence.end);
            found->second.cores |= use.residence.cores;
        }
    }
    for (const auto& [tile, residence] : live) ended.push_back(residence);
    std::stable_sort(ended.begin(), ended.end(), [](const Residence& a, const Residence& b) { return a.end < b.end; });
    return ended;
}

}  // namespace tilewright::schedule
