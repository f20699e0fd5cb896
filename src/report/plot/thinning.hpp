// Draws overlapping points once: a page with 100,000 marks is slow and shows no more.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/plot/chart.hpp"

namespace tilewright::plot {

/// More marks are a blot, and a large page.
inline constexpr std::size_t kMostMarks = 4000;

struct PlacedPoint {
    double x = 0.0;
    double y = 0.0;
};

/// Points to draw, ascending: all of up to `most`, else the first one in every cell of the finest grid with so few.
/// Points an axis cannot show (not above 0 on a logarithmic one) are left out of many.
std::vector<std::size_t> drawn_points(std::span<const PlacedPoint> points, const Axis& x, const Axis& y,
                                      std::size_t most = kMostMarks);

/// "Of 100000 mappings 612 are drawn, one wherever several would cover each other."; "" if all are.
std::string drawn_text(std::size_t drawn, std::size_t of, const std::string& what);

}  // namespace tilewright::plot
