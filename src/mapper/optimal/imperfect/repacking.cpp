// Blocks with neighbours at other places in shorter steps (docs/model.md, rule 7): savings, and words sent again.
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

// With r of s neighbours left in the shorter step, number k of the outer loops begins at place k r instead of k s: the
// places overlap for k < r / (s - r).
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

// Share of all steps, at most, in which an instance may hold its new words after the fan-out has closed up. Outer loops
// that each move another rank tell apart the words held.
double ImperfectDelivery::meeting(const Label& label, int tensor, int level) const {
    if (level < crossed_) return charges_.may_repack(level) ? 1.0 : 0.0;
    if (label.repacking[level] < 0) return 0.0;
    const Repacking& repacking = repackings_[label.repacking[level]];
    return (repacking.outside & ~charges_.moves_alone(tensor)) == 0 ? repacking.meets : 1.0;
}

// Likewise its new words may overlap its old ones in spite of another move than in a block of one length. Number 0
// stays in place. If the loop with the remainder alone moves a rank, the shorter step is always another tile.
double ImperfectDelivery::jumping(const Label& label, int tensor, int level) const {
    if (level < crossed_) return charges_.may_repack(level) ? 1.0 : 0.0;
    if (label.repacking[level] < 0) return 0.0;
    const Repacking& repacking = repackings_[label.repacking[level]];
    const std::uint32_t alone = charges_.moves_alone(tensor);
    if (repacking.dimension >= 0 && (alone >> repacking.dimension & 1U) != 0) return 0.0;
    return (repacking.outside & ~alone) == 0 ? repacking.jumps : 1.0;
}

// Neighbours change places as often as outer loops run through the longer and shorter steps of a block. Unknown if
// several of its loops have remainders.
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

// The tensor rested while a loop went to its shorter step: neighbours at other places are sent their new words. Lower
// bound per word sent anyway.
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

// Upper bound of the factor by which an instance may also hold others' words of its block, if a fan-out around the
// boundary repacks. Each step of a moving loop has its own places, changed by steps of an inner irrelevant loop.
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

// Some loop outside the boundary left the tensor at rest.
bool ImperfectDelivery::stays(const Label& label, int tensor, int boundary) const {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (!charges_.is_relevant(tensor, d) && label.since[d] < boundary) return true;
    return false;
}

// As a loop outside the block advances, an instance may not find the words others of its block do. Inner loops then
// repeat anyway; outer loops that left the tensor at rest may have to send it again. Neighbours share a window only if
// all need the same part.
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

// An instance's words may then be useless at its next place: more words than counted. As PlainCount in
// model/lean/imperfect_counts.cpp, if every later step moves the tensor. `idles`: some instance resumes with its words.
bool ImperfectDelivery::repacks(const Label& label, int tensor, int boundary, bool idles) const {
    // Tiles without overlap are sent at most once per step: more only if others stayed.
    if (setup_.tensors[tensor].plain && !stays(label, tensor, boundary)) return false;
    std::uint32_t shorter = 0;  // dimensions with a shorter last tile
    for (int l = charges_.level_count() - 1; l >= boundary; --l) shorter |= label.imperfect[l];
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    for (int l = boundary - 1; l >= 0; --l) {
        std::uint32_t imperfect = 0;
        std::uint32_t outside = 0;
        const std::uint32_t all = block(l);
        if (l < crossed_) {  // unknown: the worst case
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

// An open delivery resting or resumed in outer loops may cost more than if settled now: if a fan-out repacks, or if
// words held are shared while passed on.
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

// With a repacking fan-out, an instance may move to an overlap with its last window, or to the same one, whenever a
// step becomes shorter or full again.
void ImperfectDelivery::allow_for_moves(const Label& label, Pending& window, const Position& at) const {
    double share = 0.0;
    for (int l = 0; l < window.level; ++l) {
        const double jumps = jumping(label, window.tensor, l);
        if (jumps == 0.0) continue;
        window.jumps += jumps;
        share += jumps * (l < crossed_ ? 1.0 : moves_at_once(label, window, l, at));
    }
    window.jumps = std::min(1.0, window.jumps);
    // A loop alone on a rank moves every instance to another tile in each step.
    if (window.settled) share = 0.0;
    for (Range* words : {&window.flow.delivered, &window.flow.words, &window.flow.wire_pj})
        words->lo *= std::max(0.0, 1.0 - share);
}

// Share of the words sent by the first moving loop in a step after one of another length. Effects of outer loops are
// left to slide(), if it is called.
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

// Share of the instances moved by a loop of `dimension` that may take others' places: once a repacking loop has moved,
// every other one may lead back to its longer steps.
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
