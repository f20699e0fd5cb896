// Charts as SVG, without a browser: for papers and slides, and for reports built without node.
//
// Elements and presentation attributes only: no scripts, styles or links, for pages with a strict content security
// policy. Lines and text have the colour of the text around them (`currentColor`).
#pragma once

#include <string>

#include "report/plot/chart.hpp"

namespace tilewright::plot {

struct Size {
    int width = 900;  ///< of the drawing, in its own units; it scales
    int height = 420;
};

/// An <svg> element, complete as a file. Equal charts give equal bytes. More than 400 bars are binned(); overlapping
/// marks are drawn once, indistinguishable blocks as one; values without a place on a logarithmic axis (0 and less) are
/// left out. Maps of many rows are higher than asked for.
std::string svg(const Chart& chart, const Size& size = {});

}  // namespace tilewright::plot
