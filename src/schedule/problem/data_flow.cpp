#include "schedule/problem/data_flow.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilewright::schedule {
namespace {

// Shared counts of one operand: the set's distinct tiles with counts.
struct Shares {
    std::array<int, kLargestSet> tile{};
    std::array<std::uint8_t, kLargestSet> count{};
    int size = 0;

    void add(int id) {
        for (int i = 0; i < size; ++i)
            if (tile[i] == id) {
                ++count[i];
                return;
            }
        tile[size] = id;
        count[size] = 1;
        ++size;
    }
};

// In descending order; unused counts are 0 and come last.
std::uint64_t packed(std::array<std::uint8_t, kLargestSet>& counts) {
    for (std::size_t i = 1; i < counts.size(); ++i)
        for (std::size_t j = i; j > 0 && counts[j] > counts[j - 1]; --j) std::swap(counts[j], counts[j - 1]);
    std::uint64_t word = 0;
    for (std::size_t i = counts.size(); i-- > 0;) word = word << 8 | counts[i];
    return word;
}

double combinations(double from, int choose) {
    double count = 1.0;
    for (int i = 0; i < choose; ++i) count *= (from - i) / (i + 1);
    return count;
}

class Sets {
   public:
    Sets(const OperationGraph& graph, const std::vector<int>& ready, const std::vector<char>& resident)
        : graph_(graph), ready_(ready), resident_(resident) {}

    std::vector<std::vector<int>> enumerate(int size) {
        std::vector<std::vector<int>> result;
        std::set<DataFlow> seen;
        std::vector<int> set;
        enumerate(0, size, set, seen, result);
        return result;
    }

    std::vector<std::vector<int>> grow(int size) const {
        std::vector<std::vector<int>> sets{{}};
        for (int i = 0; i < size; ++i) {
            std::vector<std::vector<int>> larger;
            std::set<DataFlow> seen;
            for (const std::vector<int>& set : sets) extend(set, seen, larger);
            sets = std::move(larger);
        }
        return sets;
    }

   private:
    void enumerate(std::size_t from, int left, std::vector<int>& set, std::set<DataFlow>& seen,
                   std::vector<std::vector<int>>& result) {
        if (left == 0) {
            if (seen.insert(data_flow(graph_, set, resident_)).second) result.push_back(set);
            return;
        }
        for (std::size_t i = from; i + static_cast<std::size_t>(left) <= ready_.size(); ++i) {
            set.push_back(ready_[i]);
            enumerate(i + 1, left - 1, set, seen, result);
            set.pop_back();
        }
    }

    // One operation per relation to the set: shared tiles, and resident ones of its own.
    void extend(const std::vector<int>& set, std::set<DataFlow>& seen, std::vector<std::vector<int>>& larger) const {
        std::array<char, 1024> tried{};
        for (const int candidate : ready_) {
            if (std::find(set.begin(), set.end(), candidate) != set.end()) continue;
            char& done = tried[relation(set, candidate)];
            if (done != 0) continue;
            done = 1;
            std::vector<int> with = set;
            with.push_back(candidate);
            if (seen.insert(data_flow(graph_, with, resident_)).second) larger.push_back(std::move(with));
        }
    }

    std::size_t relation(const std::vector<int>& set, int candidate) const {
        std::size_t code = 0;
        for (const Operand operand : {Operand::input, Operand::weight}) {
            std::size_t shared = 0;
            for (std::size_t i = 0; i < set.size() && shared == 0; ++i)
                if (graph_.tile_of(set[i], operand) == graph_.tile_of(candidate, operand)) shared = i + 1;
            code = code * (kLargestSet + 1) + shared;
        }
        for (const int tile : graph_.operation(candidate).tiles)
            code = code * 2 + static_cast<std::size_t>(resident_[tile]);
        return code;
    }

    const OperationGraph& graph_;
    const std::vector<int>& ready_;
    const std::vector<char>& resident_;
};

// Per input or weight tile with ready operations: their other tile, and which tiles are resident.
using TileUses = std::map<int, std::vector<std::pair<int, std::size_t>>>;

TileUses uses_of(const OperationGraph& graph, const std::vector<int>& ready, const std::vector<char>& resident,
                 Operand operand) {
    const Operand other = operand == Operand::input ? Operand::weight : Operand::input;
    TileUses uses;
    for (const int operation : ready) {
        std::size_t flags = 0;
        for (const int tile : graph.operation(operation).tiles)
            flags = flags * 2 + static_cast<std::size_t>(resident[tile]);
        uses[graph.tile_of(operation, operand)].emplace_back(graph.tile_of(operation, other), flags);
    }
    for (auto& [tile, one] : uses) std::sort(one.begin(), one.end());
    return uses;
}

// Of tiles with equal uses the first few, in the order of `ready`.
std::set<int> first_alike(const OperationGraph& graph, const std::vector<int>& ready, const std::vector<char>& resident,
                          Operand operand, int few) {
    const TileUses uses = uses_of(graph, ready, resident, operand);
    std::map<TileUses::mapped_type, int> count;
    std::set<int> seen;
    std::set<int> first;
    for (const int operation : ready) {
        const int tile = graph.tile_of(operation, operand);
        if (seen.insert(tile).second && ++count[uses.at(tile)] <= few) first.insert(tile);
    }
    return first;
}

}  // namespace

DataFlow data_flow(const OperationGraph& graph, const std::vector<int>& set, const std::vector<char>& resident) {
    DataFlow flow;
    for (std::size_t operand = 0; operand < kOperands; ++operand) {
        Shares shares;
        for (const int operation : set) shares.add(graph.operation(operation).tiles[operand]);
        std::array<std::uint8_t, kLargestSet> reused{};
        std::array<std::uint8_t, kLargestSet> fresh{};
        int reused_size = 0;
        int fresh_size = 0;
        for (int i = 0; i < shares.size; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (resident[shares.tile[at]] != 0)
                reused[reused_size++] = shares.count[at];
            else
                fresh[fresh_size++] = shares.count[at];
        }
        flow.reused[operand] = packed(reused);
        flow.fresh[operand] = packed(fresh);
    }
    return flow;
}

std::string counts_text(const std::array<std::uint64_t, kOperands>& counts) {
    static constexpr std::array<const char*, kOperands> kShort{"IN ", " WT ", " OT "};
    std::string text;
    for (std::size_t i = 0; i < kOperands; ++i) {
        std::string list;
        for (std::uint64_t word = counts[i]; word != 0; word >>= 8)
            list += (list.empty() ? "{" : ",") + std::to_string(word & 0xff);
        text += kShort[i] + (list.empty() ? "-" : list + "}");
    }
    return text;
}

std::vector<int> representatives(const OperationGraph& graph, const std::vector<int>& ready,
                                 const std::vector<char>& resident, int size) {
    const std::set<int> inputs = first_alike(graph, ready, resident, Operand::input, size);
    const std::set<int> weights = first_alike(graph, ready, resident, Operand::weight, size);
    std::vector<int> kept;
    for (const int operation : ready)
        if (inputs.contains(graph.tile_of(operation, Operand::input)) &&
            weights.contains(graph.tile_of(operation, Operand::weight)))
            kept.push_back(operation);
    return kept;
}

std::vector<std::vector<int>> distinct_sets(const OperationGraph& graph, const std::vector<int>& ready,
                                            const std::vector<char>& resident, int size, double largest_enumeration) {
    const auto enumerable = [&](const std::vector<int>& operations) {
        return combinations(static_cast<double>(operations.size()), size) <= largest_enumeration;
    };
    if (enumerable(ready)) return Sets(graph, ready, resident).enumerate(size);
    const std::vector<int> first = representatives(graph, ready, resident, size);
    if (enumerable(first)) return Sets(graph, first, resident).enumerate(size);
    return Sets(graph, ready, resident).grow(size);
}

}  // namespace tilewright::schedule
