// The values of a page as JSON for its script, and their types for it (report-ui/src/types.ts). Internal to page/.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::page {

struct Content {
    std::vector<views::Run> runs;
    std::vector<views::Headline> headlines;
    std::vector<views::Figure> figures;
};

/// {"runs": [...], ...}, on one line, without '<', '>' and '&': nothing in it ends a script element.
std::string data_json(const Content& content);

/// The same form in TypeScript.
std::string data_types();

}  // namespace tilewright::page
