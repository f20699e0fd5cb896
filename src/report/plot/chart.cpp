#include "report/plot/chart.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::plot {

const std::string& title_of(const Chart& chart) {
    return std::visit([](const auto& one) -> const std::string& { return one.title; }, chart);
}

StackedBars binned(const StackedBars& chart, std::size_t most) {
    const std::size_t count = chart.bars.size();
    if (count <= most) return chart;
    const std::size_t width = (count + most - 1) / most;
    StackedBars bins = chart;
    bins.bars.clear();
    for (std::size_t begin = 0; begin < count; begin += width) {
        const std::size_t last = std::min(begin + width, count) - 1;
        bins.bars.push_back(begin == last ? chart.bars[begin] : chart.bars[begin] + " to " + chart.bars[last]);
    }
    for (Part& part : bins.parts) {
        std::vector<double> sums(bins.bars.size());
        for (std::size_t i = 0; i < count; ++i) sums[i / width] += part.values[i];
        part.values = std::move(sums);
    }
    return bins;
}

Blocks merged(const Blocks& chart, double least) {
    Blocks merged = chart;
    merged.blocks.clear();
    std::vector<Block> blocks = chart.blocks;
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
    std::map<std::tuple<double, double, std::size_t>, std::size_t> open;  // by place and kind: short ones that may grow
    for (const Block& block : blocks) {
        const bool is_short = block.end - block.begin < least;
        const std::tuple place{block.low, block.high, block.kind};
        const auto found = open.find(place);
        if (is_short && found != open.end() && block.begin - merged.blocks[found->second].end < least) {
            Block& grown = merged.blocks[found->second];
            grown.end = std::max(grown.end, block.end);
            grown.label.clear();
            continue;
        }
        if (is_short)
            open[place] = merged.blocks.size();
        else
            open.erase(place);
        merged.blocks.push_back(block);
    }
    return merged;
}

}  // namespace tilewright::plot
