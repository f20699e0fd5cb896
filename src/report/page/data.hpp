// The values of a page as JSON for its script (report-ui/src/data.ts has the same form). Internal to page/.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

/// What scripts and style sheets call a line of a nest: "store", "temporal", "x" or "y".
const char* kind_of(const views::NestLine& line);

/// {"runs": [...], "figures": [...]}, on one line, without '<', '>' and '&': nothing in it ends a script element.
std::string data_json(const std::vector<views::Run>& runs, const std::vector<views::Figure>& figures);

}  // namespace tilewright::page
