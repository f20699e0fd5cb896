#include "verbs/fit_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright::cli {
namespace {

using Letters = std::vector<std::string>;  ///< characters, each of one or more bytes

constexpr std::size_t kGutter = 2;
constexpr std::size_t kWholeName = 32;     ///< a name of so many letters stays whole while other columns can go
constexpr std::size_t kShortestName = 16;  ///< to which a name is cut where nothing else can go
constexpr std::size_t kShortestRule = 8;

Letters letters_of(const std::string& line) {
    Letters letters;
    for (const char byte : line) {
        const bool goes_on = (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
        if (goes_on && !letters.empty())
            letters.back() += byte;
        else
            letters.emplace_back(1, byte);
    }
    return letters;
}

std::string text_of(const Letters& letters) {
    std::string text;
    for (const std::string& letter : letters) text += letter;
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

bool is_rule(const std::string& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    return line.size() - begin >= kShortestRule && line.find_first_not_of('-', begin) == std::string::npos;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; }

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

// Runs of places where any line has a letter; a single space is inside a cell.
std::vector<Span> columns_of(const std::vector<Letters>& lines) {
    std::vector<bool> taken;
    for (const Letters& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (taken.size() <= i) taken.resize(i + 1);
            if (line[i] != " ") taken[i] = true;
        }
    std::vector<Span> spans;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i]) continue;
        if (spans.empty() || i >= spans.back().end + kGutter) spans.push_back({i, i});
        spans.back().end = i + 1;
    }
    return spans;
}

/// What tables can do without, the first of it first.
constexpr std::array<std::string_view, 13> kDispensable{
    "EDP (J*cycles)", "block", "mesh",     "word bits", "bytes/s", "class", "cycles alone",
    "usable words",   "MACs",  "operator", "repeats",   "extents", "source"};

/// What says what a table is about: sums, and what they are bound by.
constexpr std::array<std::string_view, 6> kIndispensable{"all", "share", "energy", "cycles", "bound", "utilization"};

/// A table taken apart: its margin, its columns, and for every line its cells (none: a rule).
struct Parts {
    std::size_t margin = 0;
    std::vector<std::string> names;  ///< of the columns that are left
    std::vector<std::size_t> widths;
    std::vector<bool> right;
    std::vector<std::vector<Letters>> rows;  ///< the header first
    std::vector<std::string> dropped;

    std::size_t width() const {
        std::size_t total = margin;
        for (const std::size_t width : widths) total += width + kGutter;
        return total - kGutter;
    }
};

Letters trimmed(const Letters& cell) {
    std::size_t begin = 0;
    std::size_t end = cell.size();
    while (begin < end && cell[begin] == " ") ++begin;
    while (end > begin && cell[end - 1] == " ") --end;
    return {cell.begin() + static_cast<std::ptrdiff_t>(begin), cell.begin() + static_cast<std::ptrdiff_t>(end)};
}

Letters cell_of(const Letters& line, const Span& span) {
    const std::size_t end = std::min(span.end, line.size());
    if (span.begin >= end) return {};
    return {line.begin() + static_cast<std::ptrdiff_t>(span.begin), line.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Numbers end where the column ends; so do words that are equally long, but numbers are short.
bool is_right(const std::vector<Letters>& lines, const Span& span) {
    constexpr std::size_t kWidestNumber = 20;
    bool starts_later = span.size() <= kWidestNumber;
    for (const Letters& line : lines) {
        const Letters cell = cell_of(line, span);
        if (trimmed(cell).empty()) continue;
        if (cell.size() < span.size() || cell.back() == " ") return false;
        starts_later = starts_later || cell.front() == " ";
    }
    return starts_later;
}

Parts parts_of(const std::vector<std::string>& block) {
    std::vector<Letters> lines;
    for (const std::string& line : block)
        if (!is_rule(line)) lines.push_back(letters_of(line));
    const std::vector<Span> spans = columns_of(lines);
    Parts parts;
    parts.margin = spans.empty() ? 0 : spans.front().begin;
    for (const Span& span : spans) {
        parts.names.push_back(text_of(trimmed(cell_of(lines.front(), span))));
        parts.widths.push_back(span.size());
        parts.right.push_back(is_right(lines, span));
    }
    for (const std::string& line : block) {
        std::vector<Letters> cells;
        if (!is_rule(line))
            for (const Span& span : spans) cells.push_back(trimmed(cell_of(letters_of(line), span)));
        parts.rows.push_back(std::move(cells));
    }
    return parts;
}

void drop_column(Parts& parts, std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    if (!parts.names[column].empty()) parts.dropped.push_back(parts.names[column]);
    parts.names.erase(parts.names.begin() + at);
    parts.widths.erase(parts.widths.begin() + at);
    parts.right.erase(parts.right.begin() + at);
    for (std::vector<Letters>& row : parts.rows)
        if (!row.empty()) row.erase(row.begin() + at);
}

void drop_dispensable(Parts& parts, std::size_t columns) {
    for (const std::string_view name : kDispensable) {
        if (parts.width() <= columns) return;
        const auto found = std::ranges::find(parts.names, name);
        if (found != parts.names.end() && found != parts.names.begin())
            drop_column(parts, static_cast<std::size_t>(found - parts.names.begin()));
    }
}

// "layer1.0.convolution" -> "layer1…lution": both ends of a name tell it from others.
Letters cut_in_the_middle(const Letters& cell, std::size_t width) {
    if (cell.size() <= width) return cell;
    const std::size_t front = (width - 1) / 2;
    Letters cut(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(front));
    cut.emplace_back("…");
    cut.insert(cut.end(), cell.end() - static_cast<std::ptrdiff_t>(width - 1 - front), cell.end());
    return cut;
}

// Of a sentence the beginning says most.
Letters cut_at_the_end(const Letters& cell, std::size_t width) {
    if (cell.size() <= width) return cell;
    Letters cut(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(width - 1));
    cut.emplace_back("…");
    return cut;
}

void cut_column(Parts& parts, std::size_t column, std::size_t columns, std::size_t shortest) {
    const std::size_t over = parts.width() - columns;
    const std::size_t width = parts.widths[column];
    if (width <= shortest) return;
    parts.widths[column] = std::max(shortest, width - std::min(width, over));
    const auto cut = column > 0 && column + 1 == parts.widths.size() ? cut_at_the_end : cut_in_the_middle;
    for (std::vector<Letters>& row : parts.rows)
        if (!row.empty()) row[column] = cut(row[column], parts.widths[column]);
}

// Of words, the widest first.
void cut_names(Parts& parts, std::size_t columns, std::size_t shortest) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < parts.widths.size(); ++c)
        if (!parts.right[c]) order.push_back(c);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return parts.widths[a] > parts.widths[b]; });
    for (const std::size_t column : order)
        if (parts.width() > columns) cut_column(parts, column, columns, shortest);
}

// "1.523 uJ": 1.523e-6; what is no number counts for nothing.
double amount_in(const Letters& cell) {
    static constexpr std::array<std::pair<std::string_view, double>, 8> kScales{
        {{"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};
    const std::string text = text_of(cell);
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string_view unit = *end == ' ' ? end + 1 : end;
    for (const auto& [prefix, scale] : kScales)
        if (unit.size() > 1 && unit.starts_with(prefix)) return number * scale;
    return number;
}

double amount_of(const Parts& parts, std::size_t column) {
    double sum = 0.0;
    for (std::size_t row = 1; row < parts.rows.size(); ++row)
        if (!parts.rows[row].empty()) sum += amount_in(parts.rows[row][column]);
    return sum;
}

// In a table of parts with their sum those columns go that have least in them.
void drop_small(Parts& parts, std::size_t columns) {
    if (std::ranges::find(parts.names, "all") == parts.names.end()) return;
    while (parts.width() > columns) {
        std::size_t least = 0;
        for (std::size_t c = 1; c < parts.names.size(); ++c) {
            const bool stays =
                !parts.right[c] || std::ranges::find(kIndispensable, parts.names[c]) != kIndispensable.end();
            if (!stays && (least == 0 || amount_of(parts, c) < amount_of(parts, least))) least = c;
        }
        if (least == 0) return;
        drop_column(parts, least);
    }
}

// Sentences go on, indented, in the next line.
std::string wrapped(const std::string& line, std::size_t columns) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    Letters rest = letters_of(line);
    std::string out;
    while (rest.size() > columns) {
        std::size_t space = columns;
        // "40.4 %" stays together.
        const auto breaks = [&](std::size_t at) {
            return rest[at] == " " && !(at + 1 < rest.size() && rest[at + 1] == "%");
        };
        while (space > indent + 2 && !breaks(space)) --space;
        if (space <= indent + 2) break;  // a word longer than the line
        out += text_of({rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(space)}) + "\n";
        Letters next(indent + 2, " ");
        next.insert(next.end(), rest.begin() + static_cast<std::ptrdiff_t>(space) + 1, rest.end());
        rest = std::move(next);
    }
    return out + text_of(rest) + "\n";
}

// A report begins with an underlined heading; documents, rows and files are printed as they are.
bool is_report(const std::vector<std::string>& lines) {
    return lines.size() > 2 && !lines[1].empty() && lines[1].find_first_not_of('=') == std::string::npos;
}

std::string padded_cell(const Letters& cell, std::size_t width, bool right) {
    const std::string space(width - std::min(width, cell.size()), ' ');
    return right ? space + text_of(cell) : text_of(cell) + space;
}

std::string table_text(const Parts& parts, std::size_t columns) {
    std::string out;
    const std::string margin(parts.margin, ' ');
    for (const std::vector<Letters>& row : parts.rows) {
        std::string line = margin;
        if (row.empty()) line += std::string(parts.width() - parts.margin, '-');
        for (std::size_t c = 0; c < row.size(); ++c)
            line += (c > 0 ? std::string(kGutter, ' ') : "") + padded_cell(row[c], parts.widths[c], parts.right[c]);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    if (!parts.dropped.empty()) out += wrapped(margin + "(no room for: " + list_words(parts.dropped) + ")", columns);
    return out;
}

std::string fitted_block(const std::vector<std::string>& block, std::size_t columns) {
    Parts parts = parts_of(block);
    if (parts.names.size() > 1 && parts.width() > columns) {
        drop_dispensable(parts, columns);
        cut_names(parts, columns, kWholeName);
        drop_small(parts, columns);
        cut_names(parts, columns, kShortestName);
        while (parts.names.size() > 2 && parts.width() > columns) drop_column(parts, parts.names.size() - 1);
        return table_text(parts, columns);
    }
    std::string same;
    for (const std::string& line : block) same += line + "\n";
    return same;
}

}  // namespace

std::string with_tables_fitted(const std::string& text, std::size_t columns) {
    const std::vector<std::string> lines = lines_of(text);
    const bool sentences = is_report(lines);
    std::string out;
    for (std::size_t i = 0; i < lines.size();) {
        const bool is_header =
            i + 1 < lines.size() && is_rule(lines[i + 1]) && !is_blank(lines[i]) && !is_rule(lines[i]);
        std::size_t end = i + 1;
        if (is_header)
            while (end < lines.size() && !is_blank(lines[end])) ++end;
        const std::vector<std::string> block(lines.begin() + static_cast<std::ptrdiff_t>(i),
                                             lines.begin() + static_cast<std::ptrdiff_t>(end));
        out += is_header   ? fitted_block(block, columns)
               : sentences ? wrapped(block.front(), columns)
                           : block.front() + "\n";
        i = end;
    }
    if (!text.ends_with('\n') && !out.empty()) out.pop_back();
    return out;
}

}  // namespace tilewright::cli
