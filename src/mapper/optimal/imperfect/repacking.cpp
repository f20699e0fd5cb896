// Blocks whose shorter steps leave neighbours at other places (docs/model.md, rule 7): which share of what is sent that
// may save, and what is sent again.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {

// Dimensions of the loops with a remainder inside another loop of the block, and of the loops outside them.
bool ImperfectDelivery::repacks(const Label& label, int level, std::uint32_t& imperfect, std::uint32_t& outside) const {
    return repacks(level, level < crossed_ ? charges_.may_leave(level) : label.imperfect[level], imperfect, outside);
}

bool ImperfectDelivery::repacks(int level, std::uint32_t leaves, std::uint32_t& imperfect,
                                std::uint32_t& outside) const {
    imperfect = outside = 0;
    if (!charges_.may_repack(level)) return false;
    const MovingLoops moving = charges_.order(level).moving(leaves);
    imperfect = moving.imperfect;
    outside = moving.outside;
    return imperfect != 0;
}

std::uint32_t ImperfectDelivery::block(int level) const {
    std::uint32_t dimensions = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) dimensions |= (charges_.spread(level, d) > 1.0 ? 1U : 0U) << d;
    return dimensions;
}

// With r of s neighbours left in the shorter step, number k of the loops outside begins at place k s in the others and
// at place k r there: the places overlap where k < r / (s - r).
std::int16_t ImperfectDelivery::repacking_at(int level, const Position& inside, std::uint32_t leaves) {
    Repacking repacking;
    std::uint32_t imperfect = 0;
    if (!repacks(level, leaves, imperfect, repacking.outside)) return -1;
    const int d = std::countr_zero(imperfect);
    const double spread = charges_.spread(level, d);
    const double left = std::fmod(inside.chunks[d], spread);
    if (charges_.order(level).is_known() && std::popcount(imperfect) == 1 && inside.chunks[d] > spread) {
        repacking.dimension = d;
        repacking.neighbours = left;
        double alike = 1.0;
        for (std::uint32_t rest = repacking.outside; rest != 0; rest &= rest - 1) {
            const int outer = std::countr_zero(rest);
            const double steps = fast_ceil(inside.chunks[outer] / charges_.spread(level, outer));
            alike *= steps * inside.tile[outer] / setup_.extents[outer];
        }
        const double numbers = std::ceil(left / (spread - left));
        repacking.meets = std::min(1.0, numbers * alike);
        repacking.jumps = std::min(1.0, (numbers - 1.0) * alike);
    }
    const auto found = std::find(repackings_.begin(), repackings_.end(), repacking);
    if (found != repackings_.end()) return static_cast<std::int16_t>(found - repackings_.begin());
    repackings_.push_back(repacking);
    return static_cast<std::int16_t>(repackings_.size() - 1);
}

// What an instance is sent after the fan-out has closed up may be what it holds: in at most this share of all steps.
// Loops outside that each move another rank tell apart what neighbours hold.
double ImperfectDelivery::meeting(const Label& label, int tensor, int level) const {
    if (level < crossed_) return charges_.may_repack(level) ? 1.0 : 0.0;
    if (label.repacking[level] < 0) return 0.0;
    const Repacking& repacking = repackings_[label.repacking[level]];
    return (repacking.outside & ~charges_.moves_alone(tensor)) == 0 ? repacking.meets : 1.0;
}

// Likewise, what it is sent may overlap with what it holds although it has moved otherwise than in a block of one
// length. Number 0 stays where it is. Where the loop with the remainder alone moves a rank, the shorter step is always
// another tile.
double ImperfectDelivery::jumping(const Label& label, int tensor, int level) const {
    if (level < crossed_) return charges_.may_repack(level) ? 1.0 : 0.0;
    if (label.repacking[level] < 0) return 0.0;
    const Repacking& repacking = repackings_[label.repacking[level]];
    const std::uint32_t alone = charges_.moves_alone(tensor);
    if (repacking.dimension >= 0 && (alone >> repacking.dimension & 1U) != 0) return 0.0;
    return (repacking.outside & ~alone) == 0 ? repacking.jumps : 1.0;
}

// Neighbours change places as often as loops further out run through the longer and shorter steps of a block. Not a
// number where several of its loops have remainders.
void ImperfectDelivery::change_places(Label& label, int level, int dimension, double factor) const {
    for (int l = level; l < charges_.level_count(); ++l) {
        if (label.repacking[l] < 0) continue;
        const int repacking = repackings_[label.repacking[l]].dimension;
        float& changes = label.changes[l];
        if (repacking < 0)
            changes = std::numeric_limits<float>::quiet_NaN();
        else if (repacking == dimension)
            changes = std::max(changes, 1.0F);
        else
            changes *= static_cast<float>(factor);
    }
}

// The tensor has stayed while a loop went on to its shorter step: neighbours that sit elsewhere then are sent what they
// work on. At least so many words per word of those that are sent anyway.
double ImperfectDelivery::sent_again(const Label& label, int tensor, int boundary, bool shared,
                                     const Position& at) const {
    double most = 0.0;
    for (int l = crossed_; l < boundary; ++l) {
        if (label.repacking[l] < 0) continue;
        const Repacking& repacking = repackings_[label.repacking[l]];
        const int d = repacking.dimension;
        if (d < 0 || charges_.is_relevant(tensor, d) || label.since[d] > l || charges_.spreads_often(d, boundary))
            continue;
        const bool once = shared && l == boundary - 1;
        const double all = charges_.active(d, at, shared ? boundary - 2 : boundary - 1, boundary);
        most = std::max(most, (once ? 1.0 : repacking.neighbours) / all * (1.0 - meeting(label, tensor, l)));
    }
    return most;
}

// An instance may also hold what others of its block would, where a fan-out around the boundary repacks: at most how
// many times more words that is. Each step of a loop that moves the tensor has places of its own; they change with the
// steps of a loop further in that does not.
double ImperfectDelivery::moved_copies(const Label& label, int tensor, int boundary) const {
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    double copies = 1.0;
    for (int l = boundary - 1; l >= 0; --l) {
        std::uint32_t imperfect = 0;
        std::uint32_t outside = 0;
        repacks(label, l, imperfect, outside);
        if ((imperfect & ~relevant) == 0 || (outside & relevant) == 0) continue;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (charges_.is_relevant(tensor, d)) copies *= charges_.spread(l, d);
    }
    return copies;
}

// Some loop outside the boundary left the tensor where it was.
bool ImperfectDelivery::stays(const Label& label, int tensor, int boundary) const {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (!charges_.is_relevant(tensor, d) && label.since[d] < boundary) return true;
    return false;
}

// Some instance may not find what others of its block do as a loop outside the block advances. Loops inside are run
// through again then anyway; loops outside that have left the tensor where it was may have to send it again. Neighbours
// share a window only if all of them need the same part of it.
void ImperfectDelivery::allow_for_more(const Label& label, Flow& flow, int tensor, int boundary,
                                       const Position& at) const {
    int innermost = -1;  // block that repacks
    for (int l = crossed_; l < boundary; ++l)
        if (label.repacking[l] >= 0) innermost = l;
    double times = 1.0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (charges_.is_relevant(tensor, d) || at.since[d] > innermost) continue;
        times *= at.tile[d];
        for (int l = at.crossed; l < charges_.level_count(); ++l) times /= charges_.spread(l, d);
    }
    const bool plain = setup_.tensors[tensor].plain;
    flow.delivered.hi *= times;
    flow.words.hi = plain ? flow.words.hi * times : flow.delivered.hi;
    if (!pays_wires(tensor, boundary)) return;
    flow.wire_pj.hi = plain ? flow.wire_pj.hi * times : std::numeric_limits<double>::infinity();
}

// Then what an instance holds may be of no use where it works next: more words than counted. As PlainCount in
// model/lean/imperfect_counts.cpp has it, if every step from here on moves the tensor. `idles`: some instance resumes
// with what it holds.
bool ImperfectDelivery::repacks(const Label& label, int tensor, int boundary, bool idles) const {
    // Tiles that move whole are sent once per step at most: more of them only where others stayed.
    if (setup_.tensors[tensor].plain && !stays(label, tensor, boundary)) return false;
    std::uint32_t shorter = 0;  // dimensions with a shorter last tile
    for (int l = charges_.level_count() - 1; l >= boundary; --l) shorter |= label.imperfect[l];
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    for (int l = boundary - 1; l >= 0; --l) {
        std::uint32_t imperfect = 0;
        std::uint32_t outside = 0;
        const std::uint32_t all = block(l);
        if (l < crossed_) {  // not known yet: as bad as it may be
            if (charges_.may_repack(l) && (idles || !setup_.tensors[tensor].plain || (all & shorter) != 0)) return true;
            shorter |= charges_.may_leave(l);
            continue;
        }
        if (repacks(label, l, imperfect, outside)) {
            if (idles || !setup_.tensors[tensor].plain || (all & shorter) != 0) return true;
            for (std::uint32_t left = imperfect & ~relevant; left != 0 && (outside & relevant) != 0; left &= left - 1)
                if (label.since[std::countr_zero(left)] <= l) return true;
        }
        shorter |= label.imperfect[l];
    }
    return false;
}

// An open delivery that loops further out leave where it is, or resume, may come to cost more than if it were settled
// now: where a fan-out repacks, and where what instances hold is shared while they pass it on.
bool ImperfectDelivery::may_cost_more_later(const Label& label, int tensor, int boundary, const Position& at) const {
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    std::uint32_t completion = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) completion |= (at.chunks[d] > 1.0 ? 1U : 0U) << d;
    std::uint32_t remainders = 0;
    bool may_repack = false;
    for (int l = 0; l < boundary; ++l) {
        remainders |= l < crossed_ ? charges_.may_leave(l) : label.imperfect[l];
        std::uint32_t imperfect = 0;
        std::uint32_t outside = 0;
        may_repack = may_repack || (l < crossed_ ? charges_.may_repack(l) : repacks(label, l, imperfect, outside));
    }
    const bool resumes = (remainders & relevant & completion) != 0;
    if (resumes && !charges_.keeps(tensor, boundary)) return true;
    const bool leaves = (completion & ~relevant) != 0 || stays(label, tensor, boundary);
    return may_repack && (resumes || leaves || !setup_.tensors[tensor].plain);
}

// Where a fan-out repacks, an instance may come to where its window overlaps with the last one, or is the same:
// whenever a step becomes shorter or full again.
void ImperfectDelivery::allow_for_moves(const Label& label, Pending& window, const Position& at) const {
    double share = 0.0;
    for (int l = 0; l < window.level; ++l) {
        const double jumps = jumping(label, window.tensor, l);
        if (jumps == 0.0) continue;
        window.jumps += jumps;
        share += jumps * (l < crossed_ ? 1.0 : moves_at_once(label, window, l, at));
    }
    window.jumps = std::min(1.0, window.jumps);
    // A loop that alone moves a rank shows every instance another tile in each of its steps.
    if (window.settled) share = 0.0;
    for (Range* words : {&window.flow.delivered, &window.flow.words, &window.flow.wire_pj})
        words->lo *= std::max(0.0, 1.0 - share);
}

// Of what is sent as the first loop moves the tensor, the share that follows a step of another length. What loops
// further out lead to is left to slide(), if it will be asked.
double ImperfectDelivery::moves_at_once(const Label& label, const Pending& window, int level,
                                        const Position& at) const {
    const Repacking& repacking = repackings_[label.repacking[level]];
    const int d = repacking.dimension;
    if (d < 0) return 1.0;
    const double chunks = at.chunks[d];
    if (window.settled || label.since[d] <= level) return std::min(1.0, 2.0 / chunks);
    if (window.dimension != d) return 0.0;
    return repacking.neighbours / ((chunks - 1.0) * charges_.spread(level, d) + repacking.neighbours);
}

// Of the instances that a loop of `dimension` moves on, those that may come to where others were: once a loop that
// repacks has moved, every other one may lead back to its longer steps.
double ImperfectDelivery::may_jump(const Label& label, const Pending& window, int dimension) const {
    double share = 0.0;
    for (int l = 0; l < window.level; ++l) {
        if (l >= crossed_ && label.repacking[l] >= 0) {
            const int d = repackings_[label.repacking[l]].dimension;
            if (d >= 0 && d != dimension && label.since[d] > l) continue;
        }
        share += jumping(label, window.tensor, l);
    }
    return std::min(1.0, share);
}

}  // namespace tilewright::optimal
