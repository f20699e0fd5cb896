#include "plot/chart.hpp"

#include <algorithm>

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

}  // namespace tilewright::plot
