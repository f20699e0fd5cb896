// Tables of a text for a terminal of so many columns: those that are wider lose columns, then letters of long cells.
//
// Tables are those of report/parts/table.hpp: a header, a rule of dashes, rows until an empty line. What a table lost
// is said below it; sums and shares stay. In a report, which begins with a heading, sentences wrap at words; everything
// else stays as it is.
#pragma once

#include <cstddef>
#include <string>

namespace tilewright::cli {

std::string with_tables_fitted(const std::string& text, std::size_t columns);

}  // namespace tilewright::cli
