#include "mapper/optimal/imperfect/delivery.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mapper/optimal/engine/words_moved.hpp"

namespace tilewright::optimal {

ImperfectDelivery::ImperfectDelivery(const Mapspace& mapspace, const ImperfectCharges& charges,
                                     ImperfectCompletionBound& completion_bound, ImperfectMode mode)
    : mapspace_(mapspace),
      charges_(charges),
      completion_bound_(completion_bound),
      setup_(charges.setup()),
      mode_(mode) {
    Key stride = 1;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        strides_[d] = stride;
        stride *= static_cast<Key>(charges_.tiles(d).size());
    }
}

Position ImperfectDelivery::position(const TileNode& node, const Label& label) {
    Position at = node.at;
    at.since = label.since;
    return at;
}

ImperfectDelivery::Node ImperfectDelivery::start(Frontier& frontier, Label& label) {
    stored_ = crossed_ = charges_.level_count();
    label.level = static_cast<std::int8_t>(stored_);
    label.open.fill(kSettled);
    label.since.fill(static_cast<std::int8_t>(stored_));
    label.imperfect.fill(0);
    label.repacking.fill(-1);
    label.changes.fill(0.0F);
    TileNode& node = node_at(frontier, 0, stored_);
    const Position at = position(node, label);
    ours_.energy = Range::exactly(charges_.compute_pj());
    ours_.words.assign(mode_.timed ? words_in_row(stored_) : 0U, Range{});
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int l = 0; l < stored_ && mode_.timed; ++l)
            for (const bool fills : {false, true}) {
                const WordsMoved& least = charges_.least_moved(t, l, fills);
                ours_.words[reads_at(l)] += Range::exactly(least.reads);
                ours_.words[writes_at(l)] += Range::exactly(least.writes);
            }
        Walk walk{charges_.operands(t), true};
        ours_.energy += Range::exactly(charges_.wires().operands_pj(t));
        arrive(t, charges_.next(t, stored_), label, at, walk, ours_);
        if (!walk.asks) continue;
        Pending chain;
        chain.tensor = static_cast<std::int8_t>(t);
        chain.level = static_cast<std::int8_t>(stored_);
        chain.is_chain = true;
        chain.flow.words = walk.asked;
        pending_.push_back(chain);
        ++label.pending_count;
    }
    save(ours_, label);
    return &node;
}

void ImperfectDelivery::lay_out(TileNode& node, int level) const {
    node.at.crossed = crossed_;
    double least_steps = 1.0;
    Extents tile{};
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const ImperfectTiles& tiles = charges_.tiles(d);
        node.at.tile[d] = tiles.product(node.tiles[d]);
        node.at.chunks[d] = tiles.chunks(node.tiles[d]);
        tile[d] = std::min(node.at.tile[d], setup_.extents[d]);
        double spread = 1.0;
        for (int l = crossed_; l < charges_.level_count(); ++l) spread *= charges_.spread(l, d);
        if (level == charges_.level_count()) continue;
        least_steps *=
            node.at.tile[d] / spread *
            std::min(tiles.least_steps(level, node.tiles[d]), tiles.least_steps_outside(level, node.tiles[d]));
    }
    node.least_cycles = std::max(least_steps, charges_.least_cycles());
    if (level == charges_.level_count()) return;
    const lean::LevelForm& form = setup_.levels[level];
    double room = 0.0;
    for (std::uint32_t left = charges_.assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        room += form.room(t, lean::words_in(setup_.tensors[t], tile));
    }
    node.fits = room <= form.capacity;
    node.fills = room >= form.least_use && form.allows(charges_.assignment()[level].keep.bits(), tile);
}

ImperfectDelivery::TileNode& ImperfectDelivery::node_at(Frontier& frontier, Key key, int level) const {
    const auto [found, is_new] = frontier.nodes.try_emplace(key);
    TileNode& node = found->second;
    if (!is_new) return node;
    node.key = key;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        node.tiles[d] = static_cast<std::int16_t>(key / strides_[d] % static_cast<Key>(charges_.tiles(d).size()));
    lay_out(node, level);
    frontier.add_fresh(key);
    return node;
}

std::optional<ImperfectDelivery::TileNode*> ImperfectDelivery::Frontier::only() {
    TileNode* found = nullptr;
    for (auto& [key, node] : nodes) {
        if (node.entries.empty()) continue;
        if (found != nullptr || node.entries.size() > 1) return std::nullopt;
        found = &node;
    }
    return found == nullptr ? std::nullopt : std::optional(found);
}

// ---------------------------------------------------------------- loops

ImperfectDelivery::Node ImperfectDelivery::extend(Label& label, const Node& node, const Extension<Node>& extension) {
    const auto [dimension, factor, whole, to] = extension;
    label.since[dimension] = label.level;
    advance(label, *node, dimension, factor, position(*to, label));
    change_places(label, label.level, dimension, factor);
    return to;
}

bool ImperfectDelivery::slides_along(const Label& label, int dimension) const {
    const auto first = pending_.begin() + label.pending;
    return std::any_of(first, first + label.pending_count, [dimension](const Pending& window) {
        return !window.is_chain && !window.settled && window.tile.slides_along(dimension);
    });
}

// ---------------------------------------------------------------- from stage to stage

void ImperfectDelivery::take(const Transition& transition, Frontier&) {
    (transition.crosses ? crossed_ : stored_) = transition.level;
    forget();
    missing_ = 0;
    for (int d = 0; d < charges_.dimension_count() && !transition.crosses; ++d)
        if (mapspace_.chain_slot({transition.level, false}, d).at_least > 1) missing_ |= 1U << d;
}

std::optional<ImperfectDelivery::Node> ImperfectDelivery::leads_to(const Transition& transition, const Node& node,
                                                                   Frontier& outside) {
    if (transition.crosses) return across(transition.level, *node, outside);
    if (!node->fits || !node->fills) return std::nullopt;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (!charges_.tiles(d).may_store(transition.level, node->tiles[d])) return std::nullopt;
    return &node_at(outside, node->key, transition.level);
}

std::optional<ImperfectDelivery::Node> ImperfectDelivery::across(int level, const TileNode& node, Frontier& outside) {
    Key key = 0;
    leaves_ = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const int to = charges_.tiles(d).across(level, node.tiles[d]);
        if (to < 0) return std::nullopt;
        key += strides_[d] * static_cast<Key>(to);
        if (std::fmod(node.at.chunks[d], charges_.spread(level, d)) != 0.0) leaves_ |= 1U << d;
    }
    TileNode& to = node_at(outside, key, level);
    if (!to.fits) return std::nullopt;
    repacking_ = repacking_at(level, node.at, leaves_);
    return &to;
}

bool ImperfectDelivery::may_pass(const Transition&, const Label& label) const {
    return (missing_ & ~label.loops.taken) == 0;
}

bool ImperfectDelivery::pass(const Transition& transition, const Node& node, const Node&, Label& label) {
    const int level = transition.level;
    label.loops = {};
    if (transition.crosses) {
        label.imperfect[level] = static_cast<std::uint16_t>(leaves_);
        label.repacking[level] = repacking_;
        return true;
    }
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (charges_.is_boundary(t, level) && label.open[t] == kSettled)
            label.open[t] = static_cast<std::int8_t>(level);
    if (level == 0) finish(label, *node);
    if (mode_.timed) fold(level, label);
    return true;
}

// ---------------------------------------------------------------- which labels live

// Deliveries to memories not placed, and the additional cost of open ones.
double ImperfectDelivery::completion_pj(const Label& label, const TileNode& node, double limit_pj) {
    Waiting waiting{label.open, {}};
    std::uint32_t imperfect = 0;
    for (int l = crossed_; l < charges_.level_count(); ++l) imperfect |= label.imperfect[l];
    for (; imperfect != 0; imperfect &= imperfect - 1) {
        const int d = std::countr_zero(imperfect);
        const double extent = setup_.extents[d];
        waiting.add_idle(d, std::min(1.0, (node.at.chunks[d] * node.at.tile[d] - extent) / extent));
    }
    return stored_ == crossed_ ? completion_bound_.after_store_pj(stored_, node.at.chunks, waiting, limit_pj)
                               : completion_bound_.before_loops_pj(crossed_, node.at.chunks, waiting, limit_pj);
}

std::optional<ImperfectDelivery::Entry> ImperfectDelivery::estimate(const Node& node, const Label& label) {
    const auto [least, cycles] = least_of(label, *node);
    if (pruning_->pruned(least + completion_pj(label, *node, pruning_->limit_pj(cycles) - least), cycles))
        return std::nullopt;
    const Entry entry = entry_of(label, least);
    forget(entry.label);
    return entry;
}

bool ImperfectDelivery::dominates(const Node& node, const Entry& a, const Entry& b) {
    constexpr double kRounding = 1.0 + 1e-12;  // of sums
    const bool may_win = a.most_pj <= b.least_pj && a.moved.hi <= b.moved.lo * kRounding;
    return may_win && dominates(*node, a.label, b.label, b.least_pj);
}

}  // namespace tilewright::optimal
