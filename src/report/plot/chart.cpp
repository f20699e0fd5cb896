#include "report/plot/chart.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
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

namespace {

/// A coordinate's place on its axis, from 0 to 1.
class AxisPosition {
   public:
    AxisPosition(std::span<const PlacedPoint> points, double PlacedPoint::* coordinate, bool logarithmic)
        : coordinate_(coordinate), logarithmic_(logarithmic) {
        for (const PlacedPoint& point : points) {
            if (!holds(point)) continue;
            least_ = std::min(least_, scaled(point));
            most_ = std::max(most_, scaled(point));
        }
    }

    bool holds(const PlacedPoint& point) const {
        const double value = point.*coordinate_;
        return std::isfinite(value) && (!logarithmic_ || value > 0.0);
    }
    int cell(const PlacedPoint& point, int cells) const {
        const double place = most_ > least_ ? (scaled(point) - least_) / (most_ - least_) : 0.0;
        return std::min(static_cast<int>(place * cells), cells - 1);
    }

   private:
    double scaled(const PlacedPoint& point) const {
        return logarithmic_ ? std::log(point.*coordinate_) : point.*coordinate_;
    }

    double PlacedPoint::* coordinate_;
    bool logarithmic_;
    double least_ = std::numeric_limits<double>::infinity();
    double most_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<std::size_t> drawn_points(std::span<const PlacedPoint> points, const Axis& x, const Axis& y,
                                      std::size_t most) {
    std::vector<std::size_t> drawn(points.size());
    std::iota(drawn.begin(), drawn.end(), std::size_t{0});
    if (points.size() <= most) return drawn;
    const AxisPosition across(points, &PlacedPoint::x, x.logarithmic);
    const AxisPosition up(points, &PlacedPoint::y, y.logarithmic);
    for (int cells = 512; cells >= 1; cells /= 2) {
        std::set<std::pair<int, int>> taken;
        drawn.clear();
        for (std::size_t i = 0; i < points.size() && drawn.size() <= most; ++i) {
            if (!across.holds(points[i]) || !up.holds(points[i])) continue;
            if (taken.emplace(across.cell(points[i], cells), up.cell(points[i], cells)).second) drawn.push_back(i);
        }
        if (drawn.size() <= most) break;
    }
    return drawn;
}

std::string drawn_text(std::size_t drawn, std::size_t of, const std::string& what) {
    if (drawn == of) return "";
    return fmt::format("Of {} {} {} are drawn, one wherever several would cover each other.", of, what, drawn);
}

}  // namespace tilewright::plot
