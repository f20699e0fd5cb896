#include "mapper/cosa/rooms.hpp"

#include <algorithm>

#include "arch/widths.hpp"

namespace tilewright::cosa {

namespace {

// --cosa-bits is about tensors whose widths the layer does not say, and only widens, as in CoSA.
double widening(const Layout& layout, int tensor, const Memory& memory, const std::vector<std::int64_t>& tensor_bits) {
    if (tensor_bits.empty() || layout.einsum().tensors[tensor].bits > 0) return 1.0;
    return std::max(1.0, static_cast<double>(tensor_bits[tensor]) / static_cast<double>(memory.word_bits));
}

}  // namespace

std::vector<Room> rooms_of(const Layout& layout, const std::vector<std::int64_t>& tensor_bits) {
    std::vector<Room> rooms;
    for (const int memory : layout.storages()) {
        const Memory& m = layout.architecture().memories[memory];
        const tilewright::Room units = room_of(m, layout.einsum());
        if (!units.usable) continue;
        Room room{memory, static_cast<double>(*units.usable), units.least, {}};
        for (int t = 0; t < layout.einsum().tensor_count(); ++t) {
            if (!layout.keep(memory).has(t)) continue;
            const auto own = static_cast<double>(units.per_word[t]);
            room.tiles.push_back({t, own * widening(layout, t, m, tensor_bits), own});
        }
        rooms.push_back(std::move(room));
    }
    return rooms;
}

double words_taken(const Layout& layout, const Room::Tile& tile, const Extents& extents) {
    return tile.widening * static_cast<double>(box_words(layout.einsum().tensors[tile.tensor], extents));
}

double words_taken(const Layout& layout, const Room& room, const Extents& extents) {
    double sum = 0.0;
    for (const Room::Tile& tile : room.tiles) sum += words_taken(layout, tile, extents);
    return sum;
}

double words_held(const Layout& layout, const Room& room, const Extents& extents) {
    double sum = 0.0;
    for (const Room::Tile& tile : room.tiles)
        sum += words_taken(layout, Room::Tile{tile.tensor, tile.own, tile.own}, extents);
    return sum;
}

std::vector<int> groups_in(const Layout& layout, const Room& room) {
    std::vector<int> groups;
    for (int g = 0; g < static_cast<int>(layout.groups().size()); ++g) {
        const FactorGroup& group = layout.groups()[g];
        const bool changes = std::any_of(room.tiles.begin(), room.tiles.end(), [&](const Room::Tile& tile) {
            return layout.relevant(group.dimension, tile.tensor);
        });
        if (group.prime > 1 && changes) groups.push_back(g);
    }
    return groups;
}

std::vector<int> numbers_inside(const Layout& layout, int memory, const std::vector<int>& groups,
                                const Placement& placement) {
    std::vector<int> numbers;
    for (const int g : groups) {
        numbers.push_back(0);
        for (std::size_t p = 0; p < placement[g].size(); ++p)
            if (layout.inside(static_cast<int>(p), memory)) numbers.back() += placement[g][p];
    }
    return numbers;
}

Extents extents_of(const Layout& layout, const std::vector<int>& groups, const std::vector<int>& numbers) {
    Extents extents;
    extents.fill(1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const FactorGroup& group = layout.groups()[groups[i]];
        for (int n = 0; n < numbers[i]; ++n) extents[group.dimension] *= group.prime;
    }
    for (int d = 0; d < layout.einsum().dimension_count(); ++d)
        extents[d] = std::min(extents[d], layout.einsum().dimensions[d].extent);
    return extents;
}

std::vector<mip::DownSet> fitting_sets(const Encoding& encoding, const std::vector<Room>& rooms) {
    const Layout& layout = encoding.layout();
    std::vector<mip::DownSet> sets;
    for (const Room& room : rooms) {
        const std::vector<int> groups = groups_in(layout, room);
        std::vector<int> counts;
        mip::DownSet set;
        for (const int g : groups) {
            counts.push_back(layout.groups()[g].count);
            set.numbers.push_back(encoding.number_of(g, [&](int p) { return layout.inside(p, room.memory); }));
        }
        auto points = mip::maximal_points(counts, [&](const std::vector<int>& numbers) {
            return words_taken(layout, room, extents_of(layout, groups, numbers)) <= room.words;
        });
        if (!points) continue;
        set.points = std::move(*points);
        sets.push_back(std::move(set));
    }
    return sets;
}

}  // namespace tilewright::cosa
