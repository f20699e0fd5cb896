// Rows of measured times for `tilewright tiles calibrate`: a line of names, then numbers, with commas or tabs between.
#pragma once

#include <string>
#include <vector>

#include "tiles/search/calibrate.hpp"

namespace tilewright::cli {

/// Throws InputError at the line of a row that is short or no numbers, and for a column that the rules need and the
/// file lacks. Other columns are read over.
std::vector<tiles::MeasuredPoint> measured_rows(const std::string& file, const tiles::Rules& rules);

}  // namespace tilewright::cli
