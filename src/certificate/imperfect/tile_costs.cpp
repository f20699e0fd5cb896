#include "certificate/imperfect/tile_costs.hpp"

#include <bit>

namespace tilewright::certificate {

ImperfectDeliveryCosts::ImperfectDeliveryCosts(const ImperfectCharges& charges, int tensor, int level,
                                               const Where& worst, const TileNodes& nodes)
    : moving_(charges.tensor(tensor).moving),
      prices_(charges.at_least(tensor, level, worst)),
      shares_what_it_saves_(charges.stays_open(level, worst)),
      tiles_(nodes, moving_),
      others_(nodes, ~moving_) {
    Where at = worst;
    const auto set_nodes = [&](std::uint32_t chosen, const Tile& tile) {
        for (int d = 0; d < charges.dimension_count(); ++d) {
            if ((chosen >> d & 1U) == 0) continue;
            at.node[d] = nodes[d][tile[d]];
            if (at.node[d] < 0) return false;
        }
        return true;
    };
    visit_tiles(nodes, moving_, [&](const Tile& tile) {
        words_.push_back(set_nodes(moving_, tile) ? words_of(charges, tensor, level, at) : Words{});
    });
    visit_tiles(nodes, ~moving_, [&](const Tile& tile) {
        Times& times = times_.emplace_back();
        if (!set_nodes(~moving_, tile)) return;
        times = {charges.all_pairs(tensor, level, false, at, ~moving_),
                 charges.all_pairs(tensor, level, true, at, ~moving_)};
    });
}

// Windows differ by their sliding rank; tiles without overlap are moved alike by most dimensions. Beyond the limit, the
// rest counts as irrelevant.
ImperfectDeliveryCosts::Words ImperfectDeliveryCosts::words_of(const ImperfectCharges& charges, int t, int level,
                                                               const Where& at) const {
    const Addresses& tensor = charges.tensor(t);
    Words words;
    words.unmoved_pj = charges.unmoved_pj(t, level, at);
    if (!tensor.steady) return words;
    const auto add = [&words](std::uint32_t dimensions, const Sent& sent) {
        const auto end = words.words.begin() + words.moves;
        const auto same = std::find(words.words.begin(), end, sent);
        if (same == words.words.end()) return;
        if (same == end) words.words[words.moves++] = sent;
        words.dimensions[same - words.words.begin()] |= dimensions;
    };
    if (tensor.overlaps) {
        const auto slid = charges.slid_words(t, level, at);
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) add(tensor.dims[r], {slid[r], 0.0});
        return words;
    }
    const double all = charges.tile_words(t, level, at);
    for (std::uint32_t left = moving_; left != 0; left &= left - 1)
        add(left & (~left + 1), {all, charges.most_saved(t, level, at, std::countr_zero(left))});
    return words;
}

ImperfectTileCosts::ImperfectTileCosts(const ImperfectCharges& charges, int level, const TileNodes& nodes,
                                       std::uint32_t tensors, const PassedBy* open)
    : charges_(charges), level_(level) {
    find_outsides(nodes);
    for (int t = 0; t < charges.tensor_count(); ++t) {
        if (!charges.keeps(t, level)) continue;
        set_room(t, nodes);
        for (Outside& outside : outsides_)
            if (charges.is_boundary(t, level) && (tensors >> t & 1U) != 0)
                outside.deliveries.emplace_back(charges, t, level, outside.worst, outside.nodes);
    }
    for (Outside& outside : outsides_)
        if (open != nullptr)
            outside.open.emplace_back(charges, open->tensor, open->level, outside.worst, outside.nodes);
}

void ImperfectTileCosts::set_room(int t, const TileNodes& nodes) {
    const std::uint32_t moving = charges_.tensor(t).moving;
    Room& room = room_.emplace_back();
    room.tiles = TileIndex(nodes, moving);
    visit_tiles(nodes, moving, [&](const Tile& tile) {
        Where at;
        for (int d = 0; d < charges_.dimension_count(); ++d) at.node[d] = nodes[d][tile[d]];
        room.taken.push_back(charges_.room_taken(t, level_, at));
    });
}

bool ImperfectTileCosts::fits(const Tile& tile) const {
    double taken = 0.0;
    for (const Room& room : room_) taken += room.taken[room.tiles(tile)];
    return charges_.has_room(level_, taken);
}

// The first loop may be of any outer memory. Fan-outs between them that spread nothing change no cost.
void ImperfectTileCosts::find_outsides(const TileNodes& nodes) {
    TileNodes reached = nodes;
    for (int owner = level_ - 1; owner >= 0; --owner) {
        const bool is_new = owner == level_ - 1 || charges_.block(owner) != 0;
        if (is_new) outsides_.emplace_back().worst = charges_.worst(owner);
        Outside& outside = outsides_.back();
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const Chain& chain = charges_.chain(d);
            outside.runs[d].resize(nodes[d].size(), 0);
            for (std::size_t i = 0; i < nodes[d].size(); ++i) {
                int& node = reached[d][i];
                if (node >= 0) node = chain.across(owner, node);
                if (node >= 0 && !chain.edges(owner, node).empty()) outside.runs[d][i] = 1;
            }
        }
        if (is_new) outside.nodes = reached;
    }
    outsides_.back().may_be_all = true;
}

ImperfectTileCosts::Least ImperfectTileCosts::least_pj(const Tile& tile) const {
    Least least;
    for (const Outside& outside : outsides_) look_at(outside, tile, least);
    return least;
}

void ImperfectTileCosts::look_at(const Outside& outside, const Tile& tile, Least& least) const {
    ByFirstLoop costs;
    costs.may_be_none = outside.may_be_all;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const auto place = static_cast<std::size_t>(tile[d]);
        const int node = outside.nodes[d][place];
        if (node < 0) return;
        costs.first |= static_cast<std::uint32_t>(outside.runs[d][place]) << d;
        costs.may_be_none = costs.may_be_none && charges_.chain(d).node(node).chunks == 1.0;
    }
    const auto add = [&](const ImperfectDeliveryCosts& delivery) {
        std::array<double, kMaxDimensions> moved;
        std::uint32_t moving = 0;
        const double unmoved = delivery.visit_moved_pj(tile, costs.first, [&](std::uint32_t dimensions, double pj) {
            moving |= dimensions;
            for (; dimensions != 0; dimensions &= dimensions - 1) moved[std::countr_zero(dimensions)] = pj;
        });
        costs.unmoved_pj += unmoved;
        for (; moving != 0; moving &= moving - 1)
            costs.more_pj[std::countr_zero(moving)] += moved[std::countr_zero(moving)] - unmoved;
    };
    for (const ImperfectDeliveryCosts& delivery : outside.deliveries) add(delivery);
    least.pj = std::min(least.pj, first_loop_pj(costs));
    for (const ImperfectDeliveryCosts& delivery : outside.open) add(delivery);
    least.with_open_pj = std::min(least.with_open_pj, first_loop_pj(costs));
}

double ImperfectTileCosts::first_loop_pj(const ByFirstLoop& costs) {
    if (costs.may_be_none) return costs.unmoved_pj;
    double more = Chain::kNever;
    for (std::uint32_t left = costs.first; left != 0; left &= left - 1)
        more = std::min(more, costs.more_pj[std::countr_zero(left)]);
    return costs.unmoved_pj + more;
}

}  // namespace tilewright::certificate
