// The report as tables and inline SVG, for browsers without scripts and programs without node. Internal to page/.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

/// Sections; of long networks the first layers only, and said so.
std::string static_content(const std::vector<views::Run>& runs, const std::vector<views::Figure>& figures);

}  // namespace tilewright::page
