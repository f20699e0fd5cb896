#include "certificate/fused/groups.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/factors.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr double kNoRoom = -std::numeric_limits<double>::infinity();

std::vector<Nests::Paid> paid_of_all(const Space& space) {
    std::vector<Nests::Paid> all;
    for (const NeededOf& needed : needed_of_all(space)) all.push_back(needed.paid());
    return all;
}

}  // namespace

Groups::Groups(const Space& space, const Prices& prices, const Weights& weights, std::vector<double> duals,
               double rounding, int longest, std::function<bool()> stop)
    : space_(space),
      prices_(prices),
      weights_(weights),
      duals_(std::move(duals)),
      rounding_(rounding),
      longest_(longest),
      stop_(std::move(stop)),
      members_(space, prices, weights),
      floors_(space, prices, weights, members_),
      loop_floors_(space, members_, paid_of_all(space)) {}

// Wherever the group begins: what the duals leave after the floors of all einsums from there on. `array`: what is known
// of these, by einsum. False: floors alone show that no group is cheaper.
bool Groups::find_rooms(const std::vector<double>& array) {
    const std::size_t count = array.size();
    rooms_.assign(count, std::vector<double>(count, kNoRoom));
    bool has_room = false;
    for (std::size_t s = 0; s < count; ++s) {
        const int first = earliest_ + static_cast<int>(s);
        double room = duals_[place(first)] - duals_[place(last_) + 1] - rounding_;
        for (std::size_t e = s; e < count; ++e) {
            rooms_[e][s] = room;
            const int einsum = earliest_ + static_cast<int>(e);
            if (einsum < last_) room -= floors_.of(einsum, first, array[e]);
        }
        has_room = has_room || floors_.of_last(last_, first, array.back()) < room;
    }
    return has_room;
}

// What einsums from e on may cost at most, where the group begins with e or before, no later than with `latest`. Words
// that are needed in stores come from the DRAM if nothing in the group makes them: that is still to be paid, once no
// einsum up to `undecided` may read them, too. A group does not make what a leaf reads by itself, or what is brought
// for several steps.
double Groups::room(int e, const Needs& needs, int undecided, int latest) {
    int earliest = earliest_;
    paid_.clear();
    for (const Need& need : needs) {
        const CascadeTensor& tensor = space_.tensor(need.tensor);
        int from = earliest_;
        for (const TensorUse& use : tensor.writers)
            if (use.einsum <= undecided) from = std::max(from, use.einsum + 1);
        if (need.stay != Stay::while_used && need.stay != Stay::throughout) earliest = std::max(earliest, from);
        if (need.stay == Stay::not_shared) continue;
        for (const TensorUse& use : tensor.readers)
            if (use.einsum <= undecided) from = std::max(from, use.einsum + 1);
        if (from <= latest) paid_.emplace_back(from, bringing(need));
    }
    double most = kNoRoom;
    for (int first = earliest; first <= latest; ++first) {
        double room = rooms_[place(e - earliest_)][place(first - earliest_)];
        for (const auto& [from, value] : paid_)
            if (first >= from) room -= value;
        most = std::max(most, room);
    }
    return most;
}

double Groups::bringing(const Need& need) {
    const auto [entry, is_new] = bringing_.try_emplace({need, space_.repeats(last_)}, -kNoRoom);
    if (is_new)
        for (const Kept& kept : ways_to_keep(members_.walks(), need))
            entry->second = std::min(entry->second, members_.bringing(need.tensor, kept.brought, last_));
    return entry->second;
}

std::optional<Cheaper> Groups::cheaper_group(int last) {
    found_.reset();
    members_.forget();
    last_ = last;
    earliest_ = std::max(space_.earliest(last), last + 1 - longest_);
    if (!find_rooms(std::vector<double>(place(last - earliest_) + 1, 0.0))) return found_;
    for (const LoopPair& loops : space_.loops(last))
        for (const std::int64_t outer : space_.steps(last, loops.driven[0], loops.may_be_one_step))
            for (const std::int64_t inner : space_.steps(last, loops.driven[1], loops.may_be_one_step)) {
                if (stop_ && stop_()) was_stopped_ = true;
                if (!was_stopped_) end(loops, {outer, inner});
                if (found_ || was_stopped_) return found_;
            }
    return found_;
}

// All groups that end with these shared loops. Their results go to the DRAM from the leaf, or by way of a tile.
void Groups::end(const LoopPair& loops, const std::array<std::int64_t, 2>& steps) {
    Walks& walks = members_.walks();
    Making making{last_, loops.driven};
    for (std::size_t k = 0; k < 2; ++k)
        making.made[k] = loops.driven[k] < 0
                             ? walks.even(1, 1)
                             : walks.even(space_.einsum(last_).dimensions[place(loops.driven[k])].extent, steps[k]);
    if (!find_rooms(loop_floors_.array_values(earliest_, making))) return;
    states_.assign(place(last_) + 1, {});
    const std::vector<Operand> operands = members_.operands(last_, loops.driven);
    std::uint32_t results = 0;
    for (std::size_t t = 0; t < operands.size(); ++t)
        if (operands[t].written) results |= 1U << t;
    for (std::uint32_t held = results;; held = (held - 1) & results) {
        making.held = held;
        std::int64_t bits = 0;
        double cost = 0.0;
        for (std::size_t t = 0; t < operands.size(); ++t) {
            if ((held >> t & 1U) == 0) continue;
            const Walk& outer = walks[making.made[0]];
            const Walk& inner = walks[making.made[1]];
            bits += members_.bits_of(operands[t].tensor, operands[t].words_each * outer.longest * inner.longest);
            cost += members_.sending(operands[t].tensor, operands[t].words_each * outer.total * inner.total, last_);
        }
        begin_segment(making, {}, bits, {{cost, 0, 0, 0}});
        if (held == 0) break;
    }
    for (int e = last_; e >= earliest_ && !found_; --e)
        for (auto& [state, labels] : states_[place(e)]) {
            if (stop_ && stop_()) {
                was_stopped_ = true;
                return;
            }
            keep_best(labels);
            if (!state.inner.empty()) {
                if (e > earliest_) go_on_with_slices(state, labels, e - 1);
                continue;
            }
            for (const Label& label : labels) begin_group(state, label, 0, e);
            if (e > earliest_) extend(state, labels, e - 1);
        }
}

// An einsum whose results are known: by itself, or as the last one of a segment of slices.
void Groups::begin_segment(const Making& making, const Needs& needs, std::int64_t results, const Labels& labels) {
    const int e = making.einsum;
    const double budget = room(e, needs, e, e) - labels.front().value;
    for (const Choice& choice : members_.choices(making, budget)) put({making, {}, 0, results}, choice, needs, labels);
    const Einsum& einsum = space_.einsum(e);
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[place(t)].written && (making.held >> t & 1U) == 0) return;  // sums meet in the buffer
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        bool is_summed = true;
        bool cuts_inner = false;
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (einsum.tensors[place(t)].written && is_relevant(einsum.tensors[place(t)], d)) is_summed = false;
            const int tensor = space_.cascade().einsums[place(e)].accesses[place(t)].tensor;
            cuts_inner = cuts_inner || (members_.axis_of(e, t, d) >= 0 && members_.may_be_sliced(tensor));
        }
        if (!is_summed || !cuts_inner) continue;
        for (const std::int64_t slices : divisors(einsum.dimensions[place(d)].extent)) {
            if (slices == 1) continue;
            Making sliced = making;
            sliced.slices = slices;
            sliced.sliced = d;
            sliced.sums = true;
            for (const Choice& choice : members_.choices(sliced, budget))
                if (!choice.inner.empty()) put({sliced, {}, 0, results}, choice, needs, labels);
        }
    }
}

// The einsum makes what the slices that are open lack: all its results, and alike.
void Groups::go_on_with_slices(const State& state, const Labels& labels, int e) {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    Step step{{.einsum = e, .slices = state.slices}, state.inner, 0, state.results};
    bool first = true;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[place(t)].written) continue;
        const auto lacking = std::ranges::find(step.pending, one.accesses[place(t)].tensor, &Inner::tensor);
        if (lacking == step.pending.end()) return;
        Making making = step.making;
        making.made = lacking->made;
        making.sliced = space_.dimension_on(e, t, lacking->sliced_axis);
        if (making.sliced < 0 || one.einsum.dimensions[place(making.sliced)].extent % state.slices != 0) return;
        for (std::size_t k = 0; k < 2; ++k) {
            making.driven[k] = lacking->axes[k] < 0 ? -1 : space_.dimension_on(e, t, lacking->axes[k]);
            if (lacking->axes[k] >= 0 && making.driven[k] < 0) return;
        }
        if (!first && making != step.making) return;
        first = false;
        making.held = step.making.held;
        step.making = making;
        step.making.held |= 1U << static_cast<unsigned>(t);
        step.own += lacking->bits;
        step.pending.erase(lacking);
    }
    if (first) return;
    const double budget = room(e, state.needs, e, e) - labels.front().value;
    for (const Choice& choice : members_.choices(step.making, budget)) put(step, choice, state.needs, labels);
}

// One way of an einsum before all that was decided.
void Groups::put(const Step& step, const Choice& choice, const Needs& needs, const Labels& labels) {
    State state{needs, step.pending};
    for (const Need& need : choice.needs)
        if (!add(members_.walks(), state.needs, need)) return;
    state.inner.insert(state.inner.end(), choice.inner.begin(), choice.inner.end());
    const bool is_open = !state.inner.empty();
    if (is_open) {
        state.slices = step.making.slices;
        state.results = step.results;
    }
    std::int64_t live = step.own;
    for (const Inner& inner : state.inner) live += inner.bits;
    std::int64_t passing = step.results;  // reserved while the segment runs
    for (const Need& need : state.needs)
        if (need.stay == Stay::while_used) passing += tile_bits(members_.walks(), need);
    int latest = step.making.einsum;
    for (const Inner& inner : state.inner)
        latest = std::min(latest, space_.tensor(inner.tensor).writers.front().einsum);
    const double most = room(step.making.einsum, state.needs, step.making.einsum - 1, latest);
    if (labels.front().value + choice.value >= most) return;
    Labels* to = nullptr;
    for (const Label& label : labels) {
        Label more{label.value + choice.value, label.throughout + choice.throughout, label.peak,
                   std::max(label.open, live)};
        const std::int64_t reserved = more.throughout + std::max(more.peak, more.open + passing);
        if (reserved > prices_.capacity_bits || more.value >= most) continue;
        if (!is_open) {
            more.peak = std::max(more.peak, more.open + passing);
            more.open = 0;
        }
        if (to == nullptr) to = &states_[place(step.making.einsum)][state];
        to->push_back(more);
    }
    constexpr std::size_t kMany = 4096;
    if (to != nullptr && to->size() > kMany) keep_best(*to);
}

// The einsum before makes what is needed of all its results; they are needed in the group only.
void Groups::extend(const State& state, const Labels& labels, int e) {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    Needs rest = state.needs;
    std::vector<Need> results;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[place(t)].written) continue;
        const int tensor = one.accesses[place(t)].tensor;
        const auto need = std::ranges::find(rest, tensor, &Need::tensor);
        if (need == rest.end() || !space_.may_stay(tensor, last_)) return;
        if (need->stay != Stay::while_used && need->stay != Stay::throughout) return;
        results.push_back(*need);
        rest.erase(need);
    }
    if (!results.empty()) make(rest, results, {}, e, labels);
}

// Each result is kept in each of its ways; all of them have to be made alike.
void Groups::make(const Needs& rest, const std::vector<Need>& results, const std::vector<Kept>& kept, int e,
                  const Labels& labels) {
    if (kept.size() < results.size()) {
        const Need& need = results[kept.size()];
        for (const Kept& one : ways_to_keep(members_.walks(), need)) {
            if (!kept.empty() && kept.front().made != one.made) continue;
            Labels more = labels;
            for (Label& label : more)
                if (need.stay == Stay::throughout) label.throughout += one.bits;
            std::vector<Kept> all = kept;
            all.push_back(one);
            make(rest, results, all, e, more);
        }
        return;
    }
    const std::optional<Making> making = making_of(results, kept.front(), e);
    if (!making) return;
    std::int64_t bits = 0;
    for (const Need& need : results)
        if (need.stay == Stay::while_used) bits += tile_bits(members_.walks(), need);
    begin_segment(*making, rest, bits, labels);
}

std::optional<Making> Groups::making_of(const std::vector<Need>& results, const Kept& kept, int e) const {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    Making making{.einsum = e, .made = kept.made};
    std::size_t next = 0;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[place(t)].written) continue;
        const Need& need = results[next];
        Driven driven{-1, -1};
        for (std::size_t k = 0; k < 2; ++k) {
            if (need.axes[k] >= 0) driven[k] = space_.dimension_on(e, t, need.axes[k]);
            if (need.axes[k] >= 0 && driven[k] < 0) return std::nullopt;
        }
        if (next > 0 && driven != making.driven) return std::nullopt;
        making.driven = driven;
        making.held |= 1U << static_cast<unsigned>(t);
        ++next;
    }
    return making;
}

// Here the group begins: what is still needed comes from the DRAM.
void Groups::begin_group(const State& state, const Label& label, std::size_t next, int first) {
    const double least = duals_[place(first)] - duals_[place(last_) + 1];
    if (label.value >= least - rounding_ || label.throughout + label.peak > prices_.capacity_bits) return;
    while (next < state.needs.size() && state.needs[next].stay == Stay::not_shared) ++next;
    if (next == state.needs.size()) {
        if (!found_ || label.value - least < found_->value - found_->least) found_ = {first, label.value, least};
        return;
    }
    const Need& need = state.needs[next];
    for (const Kept& kept : ways_to_keep(members_.walks(), need)) {
        Label more = label;
        more.value += members_.bringing(need.tensor, kept.brought, last_);
        if (need.stay != Stay::while_used) more.throughout += kept.bits;
        begin_group(state, more, next + 1, first);
    }
}

// Of labels that another one equals or beats in everything only that one.
void Groups::keep_best(Labels& labels) {
    if (labels.size() < 2) return;
    std::ranges::sort(labels, {}, [](const Label& l) { return std::tuple(l.value, l.throughout, l.peak, l.open); });
    Labels kept;
    for (const Label& label : labels) {
        const bool is_beaten = std::ranges::any_of(kept, [&](const Label& other) {
            return other.throughout <= label.throughout && other.peak <= label.peak && other.open <= label.open;
        });
        if (!is_beaten) kept.push_back(label);
    }
    labels = std::move(kept);
}

}  // namespace tilewright::certificate::fused_proof
