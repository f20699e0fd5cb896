// The values of a page as JSON for its script, and their types for it (report-ui/src/types.ts). Internal to page/.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

/// {"runs": [...], "figures": [...]}, on one line, without '<', '>' and '&': nothing in it ends a script element.
std::string data_json(const std::vector<views::Run>& runs, const std::vector<views::Figure>& figures);

/// The same form in TypeScript.
std::string data_types();

}  // namespace tilewright::page
