#include "fusion/group.hpp"

#include <algorithm>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

std::int64_t passing_room(const Steps& steps, const Needs& needs) {
    std::int64_t room = 0;
    for (const Need& need : needs)
        if (need.stay == Stay::while_used) room += tile_room(steps, need);
    return room;
}

}  // namespace

// The results of the last einsum go to the DRAM from the leaf, or by way of a tile in the buffer.
std::vector<Groups::Exit> Groups::exits(const GroupEnd& end, const std::array<int, 2>& made) {
    const MemberView view = context_.view.member(end.last, end.marching);
    std::vector<Exit> all{{}};
    for (std::size_t t = 0; t < view.operands.size(); ++t) {
        const OperandView& operand = view.operands[t];
        if (!operand.written || operand.following == Following::other) continue;
        const std::int64_t room = operand.words_each * context_.units_of_made(operand.tensor) *
                                  context_.steps.longest(made[0]) * context_.steps.longest(made[1]);
        const std::int64_t sent = operand.words_each * context_.steps.total(made[0]) * context_.steps.total(made[1]);
        const Cost cost = context_.storing(operand.tensor, sent, context_.view.repeats(end.last));
        const std::size_t without = all.size();
        for (std::size_t i = 0; i < without; ++i) {
            Exit with = all[i];
            with.shared.add(static_cast<int>(t));
            with.room += room;
            with.cost.energy_pj += cost.energy_pj;
            with.cost.cycles += cost.cycles;
            all.push_back(with);
        }
    }
    return all;
}

void Groups::begin(const GroupEnd& end) {
    const Einsum& einsum = context_.view.cascade().einsums[at(end.last)].einsum;
    std::array<int, 2> made{};
    for (std::size_t k = 0; k < 2; ++k)
        made[k] = end.marching[k] < 0 ? context_.steps.cut(1, 1)
                                      : context_.steps.cut(einsum.dimensions[at(end.marching[k])].extent, end.tile[k]);
    for (const Exit& exit : exits(end, made)) {
        const double value = context_.weights.value(exit.cost.energy_pj, exit.cost.cycles);
        const std::vector<Label> start{{value, exit.cost.energy_pj, exit.cost.cycles, 0, 0, -1}};
        asks_.push_back({{}, {end.last, end.marching, made, exit.shared}, exit.room, start});
    }
    follow();
}

void Groups::run(const GroupEnd& end, const Close& close) {
    states_.assign(at(end.last) + 1, {});
    begin(end);
    for (int first = end.last; first >= end.first_allowed; --first) {
        for (auto& [needs, front] : states_[at(first)]) {
            throw_if_stopped(context_.stop);
            settle(front);
            for (const Label& label : front.labels) shut(needs, 0, label, first, close);
            if (first > end.first_allowed) extend(needs, front.labels, first - 1, end);
        }
        states_[at(first)].clear();
        follow();
    }
}

// Most joins are beaten by others, so that only those that are left are noted.
void Groups::settle(Front& front) {
    prune(front.labels, context_.weights);
    for (Label& label : front.labels) {
        label.decision =
            context_.decide({.kind = Decision::Kind::join, .previous = label.decision, .other = label.other});
        label.other = -1;
    }
}

// What is still needed comes from the DRAM: here the group begins.
void Groups::shut(const Needs& needs, std::size_t next, const Label& label, int first, const Close& close) {
    if (label.throughout + label.peak > context_.machine.capacity) return;
    if (context_.hopeless(label.value, first, first)) return;
    while (next < needs.size() && needs[next].stay == Stay::never) ++next;
    if (next == needs.size()) return close(first, label);
    const Need& need = needs[next];
    if (!context_.may_be(need, false)) return;
    for (const Kept& kept : ways_to_keep(context_.steps, need)) {
        const Cost cost = context_.loading(need.tensor, loaded_words(context_.steps, need, kept),
                                           context_.view.repeats(context_.last));
        Label more = label;
        more.energy_pj += cost.energy_pj;
        more.cycles += cost.cycles;
        more.value = context_.weights.value(more.energy_pj, more.cycles);
        if (need.stay != Stay::while_used) more.throughout += kept.room;
        if (need.stay == Stay::while_used || need.stay == Stay::throughout) keep(more, need.tensor, kept);
        shut(needs, next + 1, more, first, close);
    }
}

void Groups::keep(Label& label, int tensor, const Kept& kept) {
    label.decision = context_.decide({.kind = Decision::Kind::keep,
                                      .previous = label.decision,
                                      .subject = tensor,
                                      .detail = static_cast<int>(kept.keeping)});
}

// The einsum before makes what is needed of its results, if all of them are needed here and nowhere else.
void Groups::extend(const Needs& needs, const std::vector<Label>& labels, int before, const GroupEnd& end) {
    const CascadeEinsum& one = context_.view.cascade().einsums[at(before)];
    Needs rest = needs;
    std::vector<Need> made_of;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[at(t)].written) continue;
        const int tensor = one.accesses[at(t)].tensor;
        const Need* need = find(needs, tensor);
        if (need == nullptr || (need->stay != Stay::while_used && need->stay != Stay::throughout) ||
            !context_.view.may_stay_inside(tensor, end.last) || !context_.may_be(*need, true))
            return;
        made_of.push_back(*need);
        std::erase_if(rest, [&](const Need& other) { return other.tensor == tensor; });
    }
    make(rest, made_of, before, labels, 0, {});
}

// One result after the other is kept in each of its ways; all have to be made alike.
void Groups::make(const Needs& rest, const std::vector<Need>& made_of, int e, const std::vector<Label>& labels,
                  std::size_t next, const std::vector<Kept>& kept) {
    if (next < made_of.size()) {
        for (const Kept& one : ways_to_keep(context_.steps, made_of[next])) {
            if (!kept.empty() && kept.front().made != one.made) continue;
            std::vector<Label> more = labels;
            for (Label& label : more) {
                if (made_of[next].stay == Stay::throughout) label.throughout += one.room;
                keep(label, made_of[next].tensor, one);
            }
            std::vector<Kept> so_far = kept;
            so_far.push_back(one);
            make(rest, made_of, e, more, next + 1, so_far);
        }
        return;
    }
    const CascadeEinsum& one = context_.view.cascade().einsums[at(e)];
    SegmentQuestion question{e, {-1, -1}, kept.front().made, {}};
    std::int64_t room = 0;
    bool first = true;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[at(t)].written) continue;
        const auto need = std::ranges::find(made_of, one.accesses[at(t)].tensor, &Need::tensor);
        Marching marching{-1, -1};
        for (std::size_t k = 0; k < 2; ++k) {
            if (need->axes[k] < 0) continue;
            marching[k] = context_.view.dimension_of(e, t, need->axes[k]);
            if (marching[k] < 0) return;
        }
        if (!first && marching != question.marching) return;
        first = false;
        question.marching = marching;
        question.shared.add(t);
        if (need->stay == Stay::while_used) room += tile_room(context_.steps, *need);
    }
    asks_.push_back({rest, question, room, labels});
}

// Where the segments begin, and what labels they lead to. Of equal questions the cheapest labels say what is left for a
// segment to cost.
void Groups::follow() {
    std::map<SegmentQuestion, double> rests;
    for (const Ask& ask : asks_) {
        const auto [rest, is_new] = rests.try_emplace(ask.question, ask.labels.front().value);
        if (!is_new) rest->second = std::min(rest->second, ask.labels.front().value);
    }
    for (const Ask& ask : asks_)
        for (const SegmentWays& ways : segments_.ways(ask.question, rests[ask.question])) follow(ask, ways);
    asks_.clear();
}

void Groups::follow(const Ask& ask, const SegmentWays& ways) {
    const double least = ask.labels.front().value + ways.labels.front().value;
    if (context_.hopeless(least, ways.first, context_.first_allowed)) return;  // wherever the group begins
    Needs all = ask.rest;
    if (!std::ranges::all_of(ways.needs, [&](const Need& need) { return join(context_.steps, all, need); })) return;
    const int earliest = earliest_of(all, ways.first);
    if (context_.hopeless(least, ways.first, earliest)) return;
    const std::int64_t passing = passing_room(context_.steps, all) + ask.result_room;
    Front* to = nullptr;
    for (const Label& label : ask.labels) {
        if (context_.hopeless(label.value + ways.labels.front().value, ways.first, earliest)) break;
        for (const Label& more : ways.labels) {
            const double value = label.value + more.value;
            if (context_.hopeless(value, ways.first, earliest)) break;
            const std::int64_t throughout = label.throughout + more.throughout;
            const std::int64_t peak = std::max(label.peak, more.peak + passing);
            if (throughout + peak > context_.machine.capacity) continue;
            if (to == nullptr) to = &states_[at(ways.first)][all];
            to->labels.push_back({value, label.energy_pj + more.energy_pj, label.cycles + more.cycles, throughout, peak,
                                  label.decision, more.decision});
        }
    }
    if (to == nullptr || to->labels.size() <= to->most) return;
    prune(to->labels, context_.weights);
    to->most = std::max(to->most, 2 * to->labels.size());
}

// A group does not make what some leaf of it reads from the DRAM: einsums before `undecided` that do are left out.
int Groups::earliest_of(const Needs& needs, int undecided) const {
    int earliest = 0;
    for (const Need& need : needs)
        if (need.stay == Stay::never)
            for (const TensorUse& use : context_.view.cascade().tensors[at(need.tensor)].writers)
                if (use.einsum < undecided) earliest = std::max(earliest, use.einsum + 1);
    return earliest;
}

}  // namespace tilewright::fusion
