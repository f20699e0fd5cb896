// ReadySets: the sets of every class, by adding one operation at a time.
#include <algorithm>
#include <bit>
#include <bitset>

#include "schedule/schedulers/ready_sets.hpp"

namespace tilewright::schedule {
namespace {

double combinations_of(std::size_t from, int choose) {
    double count = 1.0;
    for (int i = 0; i < choose; ++i) count *= (static_cast<double>(from) - i) / (i + 1);
    return count;
}

std::uint64_t mixed(std::uint64_t value) {
    value = (value + 1) * 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

}  // namespace

void ReadySets::Lines::resize(std::size_t size) {
    active = PlaceBits(size);
    pattern.assign(size, 0);
    ready.assign(size, 0);
}

void ReadySets::Lines::change(std::size_t line, std::size_t place, std::size_t flags, bool into) {
    const std::uint64_t value = mixed(place * kFlags + flags);
    if (into)
        pattern[line] += value;
    else
        pattern[line] -= value;
    ready[line] += into ? 1 : -1;
    if (ready[line] > (into ? 1 : 0)) return;
    count += into ? 1 : -1;
    if (into)
        active.insert(line);
    else
        active.erase(line);
}

bool ReadySets::Lines::keep_first(int few, std::size_t most, std::size_t c) {
    kept.clear();
    if (count > static_cast<int>(kMostLines)) return false;
    ++stamp_;
    for (std::size_t line = active.next(0); line != PlaceBits::kNone; line = active.next(line + 1)) {
        const std::size_t along = line / c;
        const std::size_t channel = line - along * c;
        std::size_t at = (pattern[line] + channel) % (kMostLines * 2);
        while (alike_[at].stamp == stamp_ && (alike_[at].pattern != pattern[line] || alike_[at].channel != channel))
            at = (at + 1) % (kMostLines * 2);
        Alike& alike = alike_[at];
        if (alike.stamp != stamp_) alike = {pattern[line], channel, 0, stamp_};
        if (++alike.count > few) continue;
        if (kept.size() == most) return false;
        kept.push_back({along, channel});
    }
    return true;
}

const std::vector<ReadySet>& ReadySets::distinct(int size, std::int64_t least, const Room& room) {
    size_ = size;
    least_ = least * cores_;
    left_out_ = kAny * kMostCores * 2;
    room_ = room;
    most_ = most_reused(1);
    found_.clear();
    forget_classes();
    if (changed_ || size > unrelated_for_) {
        unrelated_known_.fill(false);
        unrelated_for_ = size;
        listed_for_ = 0;
        too_many_for_ = kLargestSet + 1;
        changed_ = false;
    }
    if (list_for(size))
        enumerate(0, {});
    else
        grow();
    return found_;
}

bool ReadySets::list_for(int size) {
    if (size <= listed_for_) return true;
    if (size == too_many_for_) return false;
    if (combinations_of(static_cast<std::size_t>(count_), size) <= kLargestEnumeration) {
        list_ready();
        listed_for_ = kLargestSet;
        return true;
    }
    if (!list_representatives(size)) {
        too_many_for_ = size;
        return false;
    }
    listed_for_ = size;
    return true;
}

// Pruning is safe: more operations only miss more, and each finds at most `most_` resident bytes.
ReadySets::Outlook ReadySets::outlook(const Sums& sums, int size) const {
    Outlook outlook;
    for (std::size_t flags = 0; flags < kFlags; ++flags) {
        if (count_of_[flags] == 0) continue;
        for (std::size_t fresh = 0; fresh < 4; ++fresh) {
            const Bytes& more = more_[flags][fresh];
            std::int64_t& promise = outlook.promise[flags * 4 + fresh];
            promise = kAny * kMostCores * 2;
            if (sums.bytes + more.all > room_.bytes) continue;
            const std::int64_t leaves = std::max<std::int64_t>(sums.missing + more.missing - room_.free_bytes, 0);
            promise = cores_ * (sums.reused + reused_[flags] + most_ * (size_ - size)) - leaves;
            if (promise >= least_) outlook.may |= 1U << (flags * 4 + fresh);
        }
    }
    return outlook;
}

bool ReadySets::may_add(const Outlook& outlook, std::size_t relation) {
    if ((outlook.may >> relation & 1U) != 0) return true;
    left_out_ = std::max(left_out_, outlook.promise[relation]);
    return false;
}

ReadySets::Sums ReadySets::added(const Node& node, const Candidate& candidate) const {
    const std::size_t flags = flags_of(candidate.operation);
    const Bytes& more = more_[flags][relation(0, candidate.input, candidate.weight)];
    Sums sums = node.sums;
    sums.bytes += more.all;
    sums.reused += reused_[flags];
    sums.missing += more.missing;
    return sums;
}

// Whether it is the first of its class.
bool ReadySets::add_class(const Node& node, const Candidate& candidate, Sums& sums) {
    const std::size_t flags = flags_of(candidate.operation);
    sums.input = node.input.code_with(candidate.input, (flags & 1U) != 0);
    sums.weight = node.weight.code_with(candidate.weight, (flags & 2U) != 0);
    sums.outputs_there += (flags & 4U) != 0 ? 1 : 0;
    if (class_count_ * 2 > classes_.size()) enlarge_classes();
    const bool fresh = place_class({sums.input, sums.weight, sums.outputs_there, stamp_});
    class_count_ += fresh ? 1 : 0;
    return fresh;
}

// Every line kept has an operation among the representatives, so that their number bounds the lines'.
bool ReadySets::list_representatives(int size) {
    std::size_t most = 0;
    while (combinations_of(most + 1, size) <= kLargestEnumeration) ++most;
    if (!inputs_.keep_first(size, most, c_) || !weights_.keep_first(size, most, c_)) return false;
    ready_.clear();
    for (const Lines::Line& input : inputs_.kept)
        for (const Lines::Line& weight : weights_.kept) {
            if (weight.channel != input.channel) continue;
            const int operation = ready_of_chain_[static_cast<std::size_t>(place_at_[input.along]) * k_ + weight.along];
            if (operation < 0 || static_cast<std::size_t>(graph_.operation(operation).step) != input.channel) continue;
            if (ready_.size() == most) return false;
            const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
            ready_.push_back({number_[operation], operation, tiles[0], tiles[1], flags_of(operation)});
        }
    std::sort(ready_.begin(), ready_.end(), [](const Ready& a, const Ready& b) { return a.number < b.number; });
    return true;
}

void ReadySets::list_ready() {
    ready_.clear();
    for (std::size_t number = all_.next(0); number != PlaceBits::kNone; number = all_.next(number + 1)) {
        const int operation = operation_at_[number];
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        ready_.push_back({static_cast<int>(number), operation, tiles[0], tiles[1], flags_of(operation)});
    }
}

// Of operations that share the same tiles with the set, and have the same resident, the first alone is of a new class.
void ReadySets::enumerate(std::size_t from, const Node& node) {
    const int size = node.set.size + 1;
    constexpr std::size_t kTiles = kLargestSet + 1;  // of the set, or a new one
    std::bitset<kFlags * kTiles * kTiles> seen;      // by flags, input and weight
    const Outlook outlook = this->outlook(node.sums, size);
    for (std::size_t i = from; i + static_cast<std::size_t>(size_ - size) < ready_.size(); ++i) {
        const Ready& one = ready_[i];
        const Candidate candidate{0, one.operation, node.input.find(one.input), node.weight.find(one.weight)};
        const std::size_t kind = (one.flags * kTiles + static_cast<std::size_t>(candidate.input + 1)) * kTiles +
                                 static_cast<std::size_t>(candidate.weight + 1);
        if (size == size_ && seen[kind]) continue;
        seen.set(kind);
        if (!may_add(outlook, relation(one.flags, candidate.input, candidate.weight))) continue;
        Sums sums = added(node, candidate);
        if (size < size_)
            enumerate(i + 1, extended(node, candidate, sums));
        else if (add_class(node, candidate, sums))
            add_to(found_.emplace_back(node.set), candidate);
    }
}

void ReadySets::grow() {
    nodes_.assign(1, {});
    for (int size = 1; size <= size_; ++size) {
        larger_.clear();
        forget_classes();
        for (const Node& node : nodes_) {
            find_candidates(node, outlook(node.sums, size));
            for (const Candidate& one : candidates_) {
                Sums sums = added(node, one);
                if (!add_class(node, one, sums)) continue;
                if (size < size_)
                    larger_.push_back(extended(node, one, sums));
                else
                    add_to(found_.emplace_back(node.set), one);
            }
        }
        std::swap(nodes_, larger_);
    }
}

// The first operation of every relation to the set: shared tiles, and resident ones of its own.
void ReadySets::find_candidates(const Node& node, const Outlook& outlook) {
    candidates_.clear();
    for (int i = 0; i < node.input.size; ++i) sharing_an_input(node, i, outlook);
    for (int i = 0; i < node.weight.size; ++i) sharing_a_weight(node, i, outlook);
    sharing_nothing(node, outlook);
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.number < b.number; });
}

void ReadySets::add_candidate(const Candidate& candidate, const Outlook& outlook) {
    if (may_add(outlook, relation(flags_of(candidate.operation), candidate.input, candidate.weight)))
        candidates_.push_back(candidate);
}

void ReadySets::sharing_an_input(const Node& node, int input, const Outlook& outlook) {
    const int tile = node.input.tile[input];
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
        add_candidate({number_[operation], operation, input, weight}, outlook);
    }
}

void ReadySets::sharing_a_weight(const Node& node, int weight, const Outlook& outlook) {
    const int tile = node.weight.tile[weight];
    const auto index_in = static_cast<std::size_t>(graph_.tile(tile).index);
    const std::size_t c = index_in / k_;
    const std::size_t k = index_in % k_;
    std::array<std::size_t, kLargestSet> taken{};  // places also sharing an input
    std::size_t taken_count = 0;
    for (int i = 0; i < node.input.size; ++i) {
        const auto other = static_cast<std::size_t>(graph_.tile(node.input.tile[i]).index);
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
            add_candidate({number_[operation], operation, -1, weight}, outlook);
        }
    }
}

void ReadySets::sharing_nothing(const Node& node, const Outlook& outlook) {
    for (std::size_t flags = 0; flags < kFlags; ++flags) {
        if (count_of_[flags] == 0 || !may_add(outlook, relation(flags, -1, -1))) continue;
        if (!unrelated_known_[flags]) list_unrelated(flags);
        for (const int operation : unrelated_[flags]) {
            const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
            if (node.input.find(tiles[0]) >= 0 || node.weight.find(tiles[1]) >= 0) continue;
            candidates_.push_back({number_[operation], operation, -1, -1});
            break;
        }
    }
}

// The first operation unrelated to fewer than n others has fewer than n predecessors with its weight (their inputs are
// all those of the others), and as many with its input. So `size` per tile suffice, and in total one more than n others
// can rule out.
void ReadySets::list_unrelated(std::size_t flags) {
    unrelated_known_[flags] = true;
    std::vector<int>& list = unrelated_[flags];
    list.clear();
    const int size = unrelated_for_;
    const auto enough = static_cast<std::size_t>(2 * size * (size - 1) + 1);
    std::size_t number = by_flags_[flags].next(0);
    while (number != PlaceBits::kNone && list.size() < enough) {
        const int operation = operation_at_[number];
        const std::array<int, kOperands>& tiles = graph_.operation(operation).tiles;
        int& inputs = listed_[tiles[0]];
        int& weights = listed_[tiles[1]];
        const bool rare = inputs < size && weights < size;
        const bool run_is_full =
            (weights >= size && run_operand_ == Operand::weight) || (inputs >= size && run_operand_ == Operand::input);
        if (rare) {
            list.push_back(operation);
            ++inputs;
            ++weights;
        }
        number = by_flags_[flags].next(run_is_full ? (number / run_ + 1) * run_ : number + 1);
    }
    for (const int operation : list)
        for (const int tile : graph_.operation(operation).tiles) listed_[tile] = 0;
}

ReadySets::Node ReadySets::extended(const Node& node, const Candidate& candidate, const Sums& sums) const {
    Node larger = node;
    const std::array<int, kOperands>& tiles = graph_.operation(candidate.operation).tiles;
    const std::size_t flags = flags_of(candidate.operation);
    add_to(larger.set, candidate);
    larger.input.add(tiles[0], candidate.input, (flags & 1U) != 0);
    larger.weight.add(tiles[1], candidate.weight, (flags & 2U) != 0);
    larger.sums = sums;  // enumerate() adds up the classes at the end
    larger.sums.outputs_there = node.sums.outputs_there + ((flags & 4U) != 0 ? 1 : 0);
    return larger;
}

void ReadySets::add_to(ReadySet& set, const Candidate& candidate) const {
    set.operations[set.size++] = candidate.operation;
    const std::array<int, kOperands>& tiles = graph_.operation(candidate.operation).tiles;
    const std::size_t flags = flags_of(candidate.operation);
    const std::array<bool, kOperands> fresh{candidate.input < 0, candidate.weight < 0, true};
    for (std::size_t o = 0; o < kOperands; ++o) {
        const std::int64_t bytes = graph_.tile(tiles[o]).block_bytes;
        const bool there = (flags >> o & 1U) != 0;
        if (there) set.reused_bytes += bytes;
        if (fresh[o]) set.bytes += bytes;
        if (fresh[o] && !there) set.missing_bytes += bytes;
    }
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
