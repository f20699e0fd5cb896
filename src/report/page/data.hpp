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

// The report as tables and inline SVG, for browsers without scripts and programs without node. Internal to page/.

/// Sections; of long networks the first layers only, with a note.
std::string static_content(const Content& content);

// HTML elements as text. Internal to page/.

/// <tag class="kind">text</tag>, the text escaped.
std::string element(const std::string& tag, const std::string& text, const std::string& kind = "");

struct Column {
    std::string name;
    bool number = false;
};

/// A table with a caption; every cell is escaped. Rows beyond `most` are left out, with a note.
std::string table(const std::string& caption, const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows, std::size_t most);

/// 1234567 -> "1,234,567"; fractions with two digits; figures from 1e15 on in scientific notation.
std::string count_text(double value);
/// In SI units, four digits: si_text(1.5e-6, "J") -> "1.5 uJ"
std::string si_text(double value, const std::string& unit);

}  // namespace tilewright::page
