// The report as tables and inline SVG, for browsers without scripts and programs without node. Internal to page/.
#pragma once

#include <string>

#include "report/page/data.hpp"

namespace tilewright::page {

/// Sections; of long networks the first layers only, with a note.
std::string static_content(const Content& content);

}  // namespace tilewright::page
