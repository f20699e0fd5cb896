// ReadySets: the sets of every class, by adding one operation at a time.
#include <algorithm>
#include <bit>

#include "schedule/ready_sets.hpp"

namespace tilewright::schedule {
namespace {

constexpr double kLargestEnumeration = 3000.0;  // as distinct_sets()

double combinations_of(int from, int choose) {
    double count = 1.0;
    for (int i = 0; i < choose; ++i) count *= static_cast<double>(from - i) / (i + 1);
    return count;
}

}  // namespace

const std::vector<ReadySet>& ReadySets::distinct(int size, std::int64_t least) {
    size_ = size;
    least_ = least;
    most_ = most_reused(1);
    found_.clear();
    forget_classes();
    if (combinations_of(count_, size) <= kLargestEnumeration)
        enumerate(0, {});
    else
        grow();
    return found_;
}

bool ReadySets::may_reach(const Node& node) const { return node.reused + most_ * (size_ - node.set.size) >= least_; }

void ReadySets::enumerate(std::size_t from, const Node& node) {
    if (node.set.size == size_) {
        if (is_new(node)) found_.push_back(node.set);
        return;
    }
    for (std::size_t number = all_.next(from); number != PlaceBits::kNone; number = all_.next(number + 1)) {
        const int operation = operation_at_[number];
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        const Node larger = extended(node, {0, operation, node.input.find(tiles[0]), node.weight.find(tiles[1])});
        if (may_reach(larger)) enumerate(number + 1, larger);
    }
}

// A class that cannot reach the least is not found by way of another that can: leaving it out hides nothing.
void ReadySets::grow() {
    for (std::vector<int>& one : unrelated_) one.clear();
    unrelated_known_.fill(false);
    nodes_.assign(1, {});
    for (int i = 0; i < size_; ++i) {
        larger_.clear();
        forget_classes();
        for (const Node& node : nodes_) {
            find_candidates(node);
            for (const Candidate& one : candidates_) {
                const Node larger = extended(node, one);
                if (may_reach(larger) && is_new(larger)) larger_.push_back(larger);
            }
        }
        std::swap(nodes_, larger_);
    }
    for (const Node& node : nodes_) found_.push_back(node.set);
}

// One operation of every relation to the set, the first: which of its tiles it shares, and which of its own are there.
void ReadySets::find_candidates(const Node& node) {
    candidates_.clear();
    for (int i = 0; i < node.input.size; ++i) sharing_an_input(node, i);
    for (int i = 0; i < node.weight.size; ++i) sharing_a_weight(node, i);
    sharing_nothing(node);
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.number < b.number; });
}

void ReadySets::sharing_an_input(const Node& node, int input) {
    const int tile = node.input.tile[static_cast<std::size_t>(input)];
    const auto index_in = static_cast<std::size_t>(graph_.tile(tile).index);
    const std::size_t place = index_in / c_;
    std::uint64_t tried = 0;
    for (std::size_t k = 0; k < k_; ++k) {
        const int operation = ready_of_chain_[place * k_ + k];
        if (operation < 0 || graph_.operation(operation).tiles[0] != tile) continue;
        const auto end = node.set.operations.begin() + node.set.size;
        if (std::find(node.set.operations.begin(), end, operation) != end) continue;
        const int weight = node.weight.find(graph_.operation(operation).tiles[1]);
        const std::size_t relation = static_cast<std::size_t>(weight + 1) * 4 + flags_of(operation) / 2;
        if ((tried >> relation & 1U) != 0) continue;
        tried |= std::uint64_t{1} << relation;
        candidates_.push_back({number_[static_cast<std::size_t>(operation)], operation, input, weight});
    }
}

void ReadySets::sharing_a_weight(const Node& node, int weight) {
    const int tile = node.weight.tile[static_cast<std::size_t>(weight)];
    const auto index_in = static_cast<std::size_t>(graph_.tile(tile).index);
    const std::size_t c = index_in / k_;
    const std::size_t k = index_in % k_;
    std::array<std::size_t, kLargestSet> taken{};  // places that share an input, too
    std::size_t taken_count = 0;
    for (int i = 0; i < node.input.size; ++i) {
        const auto other = static_cast<std::size_t>(graph_.tile(node.input.tile[static_cast<std::size_t>(i)]).index);
        if (other % c_ == c) taken[taken_count++] = static_cast<std::size_t>(rank_[other / c_]);
    }
    unsigned tried = 0;
    for (std::size_t w = 0; w < words_ && tried != 15U; ++w) {
        std::uint64_t ready = ready_places_[weight_bits(c, k) + w];
        for (std::size_t i = 0; i < taken_count; ++i)
            if (taken[i] / 64 == w) ready &= ~(std::uint64_t{1} << (taken[i] % 64));
        if (ready == 0) continue;
        const std::uint64_t in = input_there_[c * words_ + w];
        const std::uint64_t out = output_there_[k * words_ + w];
        for (unsigned flags = 0; flags < 4; ++flags) {
            const std::uint64_t these = ready & ((flags & 1U) != 0 ? in : ~in) & ((flags & 2U) != 0 ? out : ~out);
            if (these == 0 || (tried >> flags & 1U) != 0) continue;
            tried |= 1U << flags;
            const std::size_t rank = w * 64 + static_cast<std::size_t>(std::countr_zero(these));
            const auto operation = static_cast<int>((static_cast<std::size_t>(place_at_[rank]) * k_ + k) * c_ + c);
            candidates_.push_back({number_[static_cast<std::size_t>(operation)], operation, -1, weight});
        }
    }
}

void ReadySets::sharing_nothing(const Node& node) {
    for (std::size_t flags = 0; flags < kFlags; ++flags) {
        if (count_of_[flags] == 0) continue;
        if (!unrelated_known_[flags]) list_unrelated(flags);
        for (const int operation : unrelated_[flags]) {
            const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
            if (node.input.find(tiles[0]) >= 0 || node.weight.find(tiles[1]) >= 0) continue;
            candidates_.push_back({number_[static_cast<std::size_t>(operation)], operation, -1, -1});
            break;
        }
    }
}

// The first operation that shares nothing with fewer than n others has fewer than n before it with its weight (their
// inputs are all those of the others), and as many with its input. So `size_` of every tile are enough, and of all of
// them as many as n others can rule out, and one.
void ReadySets::list_unrelated(std::size_t flags) {
    unrelated_known_[flags] = true;
    std::vector<int>& list = unrelated_[flags];
    const auto enough = static_cast<std::size_t>(2 * size_ * (size_ - 1) + 1);
    std::size_t number = by_flags_[flags].next(0);
    while (number != PlaceBits::kNone && list.size() < enough) {
        const int operation = operation_at_[number];
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        int inputs = 0;
        int weights = 0;
        for (const int one : list) {
            inputs += graph_.operation(one).tiles[0] == tiles[0] ? 1 : 0;
            weights += graph_.operation(one).tiles[1] == tiles[1] ? 1 : 0;
        }
        if (inputs < size_ && weights < size_) list.push_back(operation);
        const bool run_is_full = (weights >= size_ && run_operand_ == Operand::weight) ||
                                 (inputs >= size_ && run_operand_ == Operand::input);
        number = by_flags_[flags].next(run_is_full ? (number / run_ + 1) * run_ : number + 1);
    }
}

ReadySets::Node ReadySets::extended(const Node& node, const Candidate& candidate) const {
    Node larger = node;
    const std::array<int, kOperands>& tiles = graph_.operation(candidate.operation).tiles;
    const std::size_t flags = flags_of(candidate.operation);
    larger.set.operations[static_cast<std::size_t>(larger.set.size++)] = candidate.operation;
    larger.input.add(tiles[0], candidate.input, (flags & 1U) != 0);
    larger.weight.add(tiles[1], candidate.weight, (flags & 2U) != 0);
    larger.outputs_there += (flags & 4U) != 0 ? 1 : 0;
    larger.reused += reused_[flags];
    return larger;
}

bool ReadySets::is_new(const Node& node) {
    if (class_count_ * 2 > classes_.size()) enlarge_classes();
    const Class wanted{node.input.code(), node.weight.code(), node.outputs_there, stamp_};
    const bool fresh = place_class(wanted);
    class_count_ += fresh ? 1 : 0;
    return fresh;
}

bool ReadySets::place_class(const Class& wanted) {
    std::uint64_t hash = (wanted.input * 0x9e3779b97f4a7c15U) ^ (wanted.weight * 0xc2b2ae3d27d4eb4fU) ^
                         static_cast<std::uint64_t>(wanted.outputs_there);
    hash ^= hash >> 29;
    for (std::size_t at = hash & (classes_.size() - 1);; at = (at + 1) & (classes_.size() - 1)) {
        Class& one = classes_[at];
        if (one.stamp != stamp_) {
            one = wanted;
            return true;
        }
        if (one.input == wanted.input && one.weight == wanted.weight && one.outputs_there == wanted.outputs_there)
            return false;
    }
}

void ReadySets::enlarge_classes() {
    std::vector<Class> before(classes_.size() * 2);
    std::swap(before, classes_);
    for (const Class& one : before)
        if (one.stamp == stamp_) place_class(one);
}

void ReadySets::forget_classes() {
    ++stamp_;
    class_count_ = 0;
}

}  // namespace tilewright::schedule
