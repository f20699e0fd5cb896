#include "certificate/imperfect/delivery_costs.hpp"

#include <algorithm>
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

}  // namespace tilewright::certificate
