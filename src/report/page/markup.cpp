#include "report/page/markup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/plot/markup.hpp"
#include "report/plot/scale.hpp"

namespace tilewright::page {

std::string element(const std::string& tag, const std::string& text, const std::string& kind) {
    return fmt::format("<{0}{1}>{2}</{0}>\n", tag, kind.empty() ? "" : " class=\"" + kind + "\"", plot::escaped(text));
}

std::string table(const std::string& caption, const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows, std::size_t most) {
    std::string text = "<div class=\"scroll\"><table>\n" + element("caption", caption) + "<thead><tr>";
    for (const Column& column : columns)
        text += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "",
                            plot::escaped(column.name));
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 0; r < rows.size() && r < most; ++r) {
        text += "<tr>";
        for (std::size_t c = 0; c < columns.size(); ++c)
            text += fmt::format("<td{}>{}</td>", columns[c].number ? " class=\"number\"" : "",
                                c < rows[r].size() ? plot::escaped(rows[r][c]) : "");
        text += "</tr>\n";
    }
    text += "</tbody></table></div>\n";
    if (rows.size() > most) text += element("p", fmt::format("and {} more", rows.size() - most), "note");
    return text;
}

std::string count_text(double value) {
    if (value >= 1e15) return fmt::format("{:.4g}", value);
    const bool whole = value == std::floor(value);
    std::string text = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
    const std::size_t end = whole ? text.size() : text.find('.');
    for (std::size_t i = end; i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string si_text(double value, const std::string& unit) {
    const plot::Prefix prefix = plot::prefix_for(value);
    return plot::tick_text(value / prefix.factor) + " " + prefix.symbol + unit;
}

}  // namespace tilewright::page
