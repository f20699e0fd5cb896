// Points that would cover each other in a picture, drawn once: a page with 100,000 marks is slow and shows no more.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/plot/chart.hpp"

namespace tilewright::plot {

/// More marks than that are a blot, and a large page.
inline constexpr std::size_t kMostMarks = 4000;

struct PlacedPoint {
    double x = 0.0;
    double y = 0.0;
};

/// Which of the points are drawn, ascending: all of up to `most`, else the first one in every cell of the finest grid
/// that leaves so few. Points that an axis cannot show (not above 0 where it is logarithmic) are left out of many.
std::vector<std::size_t> drawn_points(std::span<const PlacedPoint> points, const Axis& x, const Axis& y,
                                      std::size_t most = kMostMarks);

/// "Of 100000 mappings 612 are drawn, one wherever several would cover each other."; "" when all are.
std::string drawn_text(std::size_t drawn, std::size_t of, const std::string& what);

}  // namespace tilewright::plot
