#include "multicore/cells.hpp"

#include <map>

namespace tilewright::multicore {

void Cells::prepare() {
    const std::size_t rank = shape_.size();
    const std::size_t words = (boxes_.size() + 63) / 64;
    std::int64_t stride = 1;
    axes_.assign(rank, {});
    for (std::size_t axis = rank; axis > 0; --axis) {
        axes_[axis - 1] = classes_of(axis - 1, stride);
        stride *= shape_[axis - 1];
    }
    open_.assign(rank + 1, std::vector<std::uint64_t>(words, 0));
    for (std::size_t i = 0; i < boxes_.size(); ++i) open_[0][i / 64] |= std::uint64_t{1} << (i % 64);
    dram_words_.assign(rank + 1, std::vector<std::int64_t>(drams_ > 1 ? drams_ : 0, 0));
    if (drams_ > 1) dram_words_[0][0] = 1;
}

std::vector<Cells::Class> Cells::classes_of(std::size_t axis, std::int64_t stride) const {
    struct Edge {
        std::int64_t at;
        int box;
    };
    std::vector<Edge> edges;
    edges.reserve(boxes_.size() * 2);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const Span& span = (*boxes_[i])[axis];
        edges.push_back({span.from, static_cast<int>(i)});
        edges.push_back({span.to, static_cast<int>(i)});
    }
    std::ranges::sort(edges, {}, &Edge::at);
    std::vector<std::uint64_t> covering((boxes_.size() + 63) / 64, 0);
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    std::vector<Class> classes;
    for (std::size_t i = 0; i < edges.size();) {
        const std::int64_t from = edges[i].at;
        for (; i < edges.size() && edges[i].at == from; ++i)
            covering[edges[i].box / 64] ^= std::uint64_t{1} << (edges[i].box % 64);
        if (i == edges.size()) break;
        if (std::ranges::all_of(covering, [](std::uint64_t word) { return word == 0; })) continue;
        const std::int64_t to = edges[i].at;
        const auto [place, is_new] = known.try_emplace(covering, classes.size());
        if (is_new) classes.push_back({covering, 0, std::vector<std::int64_t>(drams_ > 1 ? drams_ : 0, 0)});
        Class& one = classes[place->second];
        one.length += to - from;
        if (drams_ == 1) continue;
        // Whole periods alike, then the rest one by one.
        const std::int64_t periods = (to - from) / drams_;
        for (int r = 0; r < drams_ && periods > 0; ++r) one.by_dram[(r * stride) % drams_] += periods;
        for (std::int64_t at = from + periods * drams_; at < to; ++at) ++one.by_dram[(at * stride) % drams_];
    }
    return classes;
}

}  // namespace tilewright::multicore
