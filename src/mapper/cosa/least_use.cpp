#include "mapper/cosa/least_use.hpp"

namespace tilewright::cosa {

using mip::Expression;

LeastUse::LeastUse(const Encoding& encoding, const std::vector<SharedBuffer>& buffers)
    : encoding_(encoding), layout_(encoding.layout()) {
    for (const SharedBuffer& buffer : buffers)
        if (buffer.least_words > 0.0) add_floor(buffer);
}

void LeastUse::add_floor(const SharedBuffer& buffer) {
    Floor floor{buffer, groups_in(layout_, buffer), {}};
    mip::Program& problem = encoding_.problem();
    for (const int g : floor.groups) {
        Expression number;
        floor.at_least.emplace_back();
        for (int n = 0; n < layout_.groups()[g].count; ++n) {
            const int more = problem.add_binary();
            if (n > 0) problem.add_at_most(Expression::of(more), Expression::of(floor.at_least.back().back()));
            number += Expression::of(more);
            floor.at_least.back().push_back(more);
        }
        problem.add_equal(number, encoding_.number_of(g, [&](int p) { return layout_.inside(p, buffer.memory); }));
    }
    floors_.push_back(std::move(floor));
}

bool LeastUse::is_enough(const Floor& floor, const std::vector<int>& inside) const {
    return words_held(layout_, floor.buffer, extents_of(layout_, floor.groups, inside)) >= floor.buffer.least_words;
}

std::vector<mip::DownSet> LeastUse::sets() const {
    std::vector<mip::DownSet> sets;
    for (const Floor& floor : floors_) {
        std::vector<int> counts;
        mip::DownSet set;
        for (const int g : floor.groups) {
            counts.push_back(layout_.groups()[g].count);
            set.numbers.push_back(
                encoding_.number_of(g, [&](int p) { return !layout_.inside(p, floor.buffer.memory); }));
        }
        auto points = mip::maximal_points(counts, [&](const std::vector<int>& outside) {
            std::vector<int> inside = counts;
            for (std::size_t i = 0; i < inside.size(); ++i) inside[i] -= outside[i];
            return is_enough(floor, inside);
        });
        if (!points) continue;
        set.points = std::move(*points);
        sets.push_back(std::move(set));
    }
    return sets;
}

// As many factors as are still too few.
std::vector<int> LeastUse::grown(const Floor& floor, std::vector<int> inside) const {
    for (std::size_t i = 0; i < inside.size(); ++i)
        while (inside[i] < layout_.groups()[floor.groups[i]].count) {
            ++inside[i];
            if (!is_enough(floor, inside)) continue;
            --inside[i];
            break;
        }
    return inside;
}

bool LeastUse::cut_off(const Placement& placement) {
    bool cut = false;
    for (const Floor& floor : floors_) {
        const std::vector<int> found = numbers_inside(layout_, floor.buffer.memory, floor.groups, placement);
        if (is_enough(floor, found)) continue;
        const std::vector<int> inside = grown(floor, found);
        Expression more;
        for (std::size_t i = 0; i < inside.size(); ++i)
            if (inside[i] < static_cast<int>(floor.at_least[i].size()))
                more += Expression::of(floor.at_least[i][inside[i]]);
        encoding_.problem().add_row(more, 1.0, mip::kInfinity);
        cut = true;
    }
    return cut;
}

}  // namespace tilewright::cosa
