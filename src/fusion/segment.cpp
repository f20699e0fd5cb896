#include "fusion/segment.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

// A tensor between two members of the segment that is not made yet.
struct Inner {
    int tensor = -1;
    std::array<int, 2> axes{-1, -1};
    std::array<int, 2> made{-1, -1};
    int sliced_axis = -1;
    std::int64_t room = 0;  // of one slice; 0: all slices are reserved throughout
};

// A member that is being decided on.
struct Frame {
    MemberQuestion member;
    std::vector<Inner> inner;     // that members before it have to make
    Needs needs;                  // of shared stores
    std::int64_t own_room = 0;    // of slices that it makes itself
    std::int64_t throughout = 0;  // that this member adds
    Cost fixed;                   // what this member's resident words cost
    int earliest = 0;             // einsum with which the group may begin: after those whose results come from the DRAM
    std::array<Way, kMaxTensors> ways{};
};

class SegmentSearch {
   public:
    SegmentSearch(Context& context, Members& members, const SegmentQuestion& question, double rest)
        : context_(context), members_(members), question_(question), rest_(rest) {}

    std::vector<SegmentWays> run() {
        const std::vector<Label> nothing{{0.0, 0.0, 0.0, 0, 0, -1}};
        start(1, -1, nothing);
        const Einsum& einsum = einsum_of(question_.last);
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            if (!is_summed(einsum, d) || !reads_what_is_made(d)) continue;
            for (const std::int64_t slices : divisors(einsum.dimensions[at(d)].extent))
                if (slices > 1) start(slices, d, nothing);
        }
        std::vector<SegmentWays> ways;
        for (auto& [key, labels] : found_) {
            prune(labels, context_.weights);
            if (!labels.empty()) ways.push_back({key.first, key.second, std::move(labels)});
        }
        return ways;
    }

   private:
    const Einsum& einsum_of(int e) const { return context_.view.cascade().einsums[at(e)].einsum; }
    const CascadeTensor& tensor(int t) const { return context_.view.cascade().tensors[at(t)]; }

    static bool is_summed(const Einsum& einsum, int dimension) {
        return std::ranges::none_of(
            einsum.tensors, [&](const Tensor& tensor) { return tensor.written && is_relevant(tensor, dimension); });
    }

    // Some operand that the dimension cuts plainly may be made inside the segment.
    bool reads_what_is_made(int dimension) const {
        const CascadeEinsum& one = context_.view.cascade().einsums[at(question_.last)];
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            if (axis_cut(question_.last, t, dimension) >= 0 && may_be_inner(one.accesses[at(t)].tensor)) return true;
        return false;
    }

    bool may_be_inner(int t) const {
        return context_.view.may_stay_inside(t, question_.last) && tensor(t).readers.size() == 1 &&
               tensor(t).writers.front().einsum >= context_.view.first_possible(question_.last);
    }

    // The axis of an operand on which the dimension stands plainly; -1: none.
    int axis_cut(int e, int operand, int dimension) const {
        const Access& access = context_.view.cascade().einsums[at(e)].accesses[at(operand)];
        for (std::size_t a = 0; !access.anywhere && a < access.coordinates.size(); ++a)
            if (context_.view.dimension_of(e, operand, static_cast<int>(a)) == dimension) return static_cast<int>(a);
        return -1;
    }

    void start(std::int64_t slices, int sliced, const std::vector<Label>& labels) {
        Frame frame;
        frame.member = {question_.last, question_.marching, question_.made, question_.shared, slices,
                        sliced,         slices > 1};
        const Einsum& einsum = einsum_of(question_.last);
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (!einsum.tensors[at(t)].written) continue;
            if (question_.shared.has(t)) frame.ways[at(t)] = Way::shared;
            if (slices > 1 && !question_.shared.has(t)) return;  // sums are put together in the buffer
        }
        choose(frame, 0, labels);
    }

    // ------------------------------------------------------------ operands, one after the other

    void choose(const Frame& frame, int operand, const std::vector<Label>& labels) {
        const MemberView& view = view_of(frame.member);
        if (operand == static_cast<int>(view.operands.size())) return work(frame, labels);
        const OperandView& one = view.operands[at(operand)];
        if (one.written) return choose(frame, operand + 1, labels);
        by_itself(frame, operand, one, labels);
        share(frame, operand, one, labels);
        stay(frame, operand, one, labels);
        slice(frame, operand, one, labels);
    }

    const MemberView& view_of(const MemberQuestion& member) { return members_.view(member.einsum, member.marching); }

    void by_itself(Frame frame, int operand, const OperandView& one, const std::vector<Label>& labels) {
        Need need{one.tensor, {-1, -1}, {-1, -1}, Stay::never, 0, 0};
        if (!context_.view.is_private_matter(one.tensor) && !join(context_.steps, frame.needs, need)) return;
        // Who writes the tensor later writes other words of it.
        for (const TensorUse& use : tensor(one.tensor).writers)
            if (use.einsum < frame.member.einsum) frame.earliest = std::max(frame.earliest, use.einsum + 1);
        frame.ways[at(operand)] = Way::by_itself;
        choose(frame, operand + 1, labels);
    }

    std::int64_t room_of(const OperandView& one) const { return one.words_each * context_.units_of(one.tensor); }

    // What the member needs of an operand in each step.
    Need need_of(const MemberQuestion& member, int operand, const OperandView& one) {
        Need need{one.tensor, one.axes, {-1, -1}, Stay::while_used, one.words_each, room_of(one)};
        for (std::size_t k = 0; k < 2; ++k)
            need.steps[k] = member.marching[k] < 0 ? member.made[k]
                                                   : context_.steps.window(member.made[k], member.einsum, operand,
                                                                           one.axes[k], member.marching[k]);
        return need;
    }

    // Whether a shared store of the group may hold it: weights are left to leaves, or stay.
    bool may_be_shared(const OperandView& one) const {
        if (one.following != Following::both) return false;
        if (tensor(one.tensor).writers.empty()) return tensor(one.tensor).role == TensorRole::input;
        return one.whole;
    }

    void share(Frame frame, int operand, const OperandView& one, const std::vector<Label>& labels) {
        if (!may_be_shared(one)) return;
        frame.member.held.add(operand);
        frame.ways[at(operand)] = Way::shared;
        Need need = need_of(frame.member, operand, one);
        share(frame, operand, need, labels);
        if (!context_.has_sums(one.tensor)) return;
        need.room_each = one.words_each * context_.units_of_made(one.tensor);
        share(frame, operand, need, labels);
    }

    // As it comes from the DRAM, or as the group makes it.
    void share(const Frame& frame, int operand, Need need, const std::vector<Label>& labels) {
        const bool others = tensor(need.tensor).readers.size() > 1;
        for (const Stay stay : {Stay::while_used, Stay::throughout}) {
            need.stay = stay;
            if (ways_to_keep(context_.steps, need).empty() && !(stay == Stay::throughout && others)) continue;
            Frame next = frame;
            if (join(context_.steps, next.needs, need)) choose(next, operand + 1, labels);
        }
    }

    void stay(Frame frame, int operand, const OperandView& one, const std::vector<Label>& labels) {
        const bool inner_steps = !context_.steps.is_one(frame.member.made[1]);
        const bool any_steps = inner_steps || !context_.steps.is_one(frame.member.made[0]);
        const bool resident = one.following == Following::none && any_steps;
        const bool between = one.following == Following::outer && inner_steps;
        if (!(resident || between)) return;
        const int once = context_.steps.cut(1, 1);
        Need need{one.tensor,     one.axes,    {once, once}, resident ? Stay::resident : Stay::between,
                  one.words_each, room_of(one)};
        if (between) {
            need.steps[0] = context_.steps.window(frame.member.made[0], frame.member.einsum, operand, one.axes[0],
                                                  frame.member.marching[0]);
            if (context_.steps.fresh(need.steps[0]) != need.steps[0]) return;
        }
        frame.member.held.add(operand);
        frame.ways[at(operand)] = resident ? Way::resident : Way::between;
        if (!context_.view.is_private_matter(one.tensor)) {  // others may read the same words
            if (join(context_.steps, frame.needs, need)) choose(frame, operand + 1, labels);
            return;
        }
        const std::int64_t words = context_.steps.total(need.steps[0]) * one.words_each;
        const Cost loaded = context_.loading(one.tensor, words, context_.view.repeats(frame.member.einsum));
        frame.throughout += tile_room(context_.steps, need);
        frame.fixed.energy_pj += loaded.energy_pj;
        frame.fixed.cycles += loaded.cycles;
        choose(frame, operand + 1, labels);
    }

    // Made inside the segment, by a member before.
    void slice(Frame frame, int operand, const OperandView& one, const std::vector<Label>& labels) {
        const int axis = frame.member.sliced < 0 ? -1 : axis_cut(frame.member.einsum, operand, frame.member.sliced);
        if (axis < 0 || one.following != Following::both || !one.whole || !may_be_inner(one.tensor)) return;
        if (axis == one.axes[0] || axis == one.axes[1]) return;
        frame.member.held.add(operand);
        frame.ways[at(operand)] = Way::shared;
        Need need = need_of(frame.member, operand, one);
        need.room_each = one.words_each * context_.units_of_made(one.tensor);
        Frame sliced = frame;
        sliced.inner.push_back(
            {one.tensor, one.axes, need.steps, axis, tile_room(context_.steps, need) / frame.member.slices});
        note(sliced, one.tensor, Keeping::slice, labels, operand);
        need.stay = Stay::throughout;
        for (const Kept& kept : ways_to_keep(context_.steps, need)) {
            Frame whole = frame;
            whole.throughout += kept.room;
            whole.inner.push_back({one.tensor, one.axes, kept.made, axis, 0});
            note(whole, one.tensor, kept.keeping, labels, operand);
        }
    }

    void note(const Frame& frame, int t, Keeping keeping, std::vector<Label> labels, int operand) {
        for (Label& label : labels)
            label.decision = context_.decide({.kind = Decision::Kind::keep,
                                              .previous = label.decision,
                                              .subject = t,
                                              .detail = static_cast<int>(keeping)});
        choose(frame, operand + 1, labels);
    }

    // ------------------------------------------------------------ the member itself, and the one before it

    void work(const Frame& frame, const std::vector<Label>& labels) {
        if (frame.member.slices > 1 && frame.member.einsum == question_.last && frame.inner.empty()) return;
        const std::vector<Label> done = step(frame, labels);
        if (done.empty()) return;
        if (frame.inner.empty()) return emit(frame, done);
        const int before = frame.member.einsum - 1;
        if (before >= std::max(context_.first_allowed, frame.earliest)) make(frame, before, done);
    }

    std::vector<Label> step(const Frame& frame, const std::vector<Label>& labels) {
        std::vector<Label> next;
        const int e = frame.member.einsum;
        const double fixed = context_.weights.value(frame.fixed.energy_pj, frame.fixed.cycles);
        if (labels.empty() || cannot_pay(frame, labels.front())) return next;
        std::int64_t live = frame.own_room;
        for (const Inner& inner : frame.inner) live += inner.room;
        const MemberFront& front = members_.front(frame.member);
        for (const Label& label : labels)
            for (const MemberPoint& point : front) {
                const std::int64_t throughout = label.throughout + frame.throughout;
                const std::int64_t peak = std::max(label.peak, live + point.words);
                if (throughout + peak > context_.machine.capacity) break;
                const double value = label.value + fixed + point.value;
                if (context_.hopeless(rest_ + value, e, frame.earliest)) continue;
                next.push_back({value, label.energy_pj + frame.fixed.energy_pj + point.energy_pj,
                                label.cycles + frame.fixed.cycles + point.cycles, throughout, peak,
                                static_cast<std::int32_t>(chosen_.size())});
                chosen_.push_back(label.decision);
                words_.push_back(point.words);
            }
        prune(next, context_.weights);
        for (Label& label : next) {
            const std::size_t i = at(label.decision);
            label.decision = context_.decide({.kind = Decision::Kind::member,
                                              .previous = chosen_[i],
                                              .subject = e,
                                              .detail = frame.member.sliced,
                                              .size = words_[i],
                                              .ways = frame.ways});
        }
        chosen_.clear();
        words_.clear();
        return next;
    }

    // The member's floor is too much already.
    bool cannot_pay(const Frame& frame, const Label& least) {
        const auto is_too_much = [&](Floor floor) {
            floor.cost.energy_pj += frame.fixed.energy_pj;
            floor.cost.cycles += frame.fixed.cycles;
            floor.value += rest_ + least.value + context_.weights.value(frame.fixed.energy_pj, frame.fixed.cycles);
            return context_.hopeless(floor.value, frame.member.einsum, frame.earliest);
        };
        return members_.exceeds(frame.member, is_too_much);
    }

    void emit(const Frame& frame, std::vector<Label> labels) {
        for (Label& label : labels)
            label.decision = context_.decide({.kind = Decision::Kind::segment,
                                              .previous = label.decision,
                                              .subject = frame.member.einsum,
                                              .detail = question_.last,
                                              .size = frame.member.slices});
        auto& all = found_[{frame.member.einsum, frame.needs}];
        all.insert(all.end(), labels.begin(), labels.end());
    }

    // The einsum before makes slices of inner tensors: all its results are such, and are made alike.
    void make(const Frame& after, int e, const std::vector<Label>& labels) {
        const CascadeEinsum& one = context_.view.cascade().einsums[at(e)];
        Frame frame;
        frame.needs = after.needs;
        frame.inner = after.inner;
        frame.earliest = after.earliest;
        frame.member = {e, {-1, -1}, {-1, -1}, {}, after.member.slices, -1, false};
        bool first = true;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            if (!one.einsum.tensors[at(t)].written) continue;
            const auto made = std::ranges::find(frame.inner, one.accesses[at(t)].tensor, &Inner::tensor);
            if (made == frame.inner.end()) return;
            Marching marching{-1, -1};
            for (std::size_t k = 0; k < 2; ++k) {
                if (made->axes[k] < 0) continue;
                marching[k] = context_.view.dimension_of(e, t, made->axes[k]);
                if (marching[k] < 0) return;
            }
            const int sliced = context_.view.dimension_of(e, t, made->sliced_axis);
            if (sliced < 0 || one.einsum.dimensions[at(sliced)].extent % after.member.slices != 0) return;
            if (!first &&
                (frame.member.marching != marching || frame.member.made != made->made || frame.member.sliced != sliced))
                return;
            first = false;
            frame.member.marching = marching;
            frame.member.made = made->made;
            frame.member.sliced = sliced;
            frame.member.held.add(t);
            frame.ways[at(t)] = Way::shared;
            frame.own_room += made->room;
            frame.inner.erase(made);
        }
        if (!first) choose(frame, 0, labels);
    }

    Context& context_;
    Members& members_;
    const SegmentQuestion& question_;
    double rest_;
    std::map<std::pair<int, Needs>, std::vector<Label>> found_;
    std::vector<std::int32_t> chosen_;
    std::vector<std::int64_t> words_;
};

}  // namespace

const std::vector<SegmentWays>& Segments::ways(const SegmentQuestion& question, double rest) {
    const auto [entry, is_new] = known_.try_emplace(question);
    Known& known = entry->second;
    if (is_new || rest < known.rest) known = {rest, SegmentSearch(context_, members_, question, rest).run()};
    return known.ways;
}

}  // namespace tilewright::fusion
