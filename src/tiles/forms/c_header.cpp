#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tiles/forms/forms.hpp"

namespace tilewright::tiles {
namespace {

std::string as_name(std::string text) {
    std::ranges::replace_if(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return text;
}

constexpr const char* kLookup = R"(
/* The row of that extent; 0: there is none, or no point is legal there. */
static inline const struct {0}_row* {0}_lookup(long long extent) {{
    int low = 0, high = {1};
    while (low < high) {{
        const int middle = low + (high - low) / 2;
        if ({0}_rows[middle].to < extent) low = middle + 1;
        else high = middle;
    }}
    return low < {1} && extent >= {0}_rows[low].from && {0}_rows[low].legal ? &{0}_rows[low] : 0;
}}
)";

}  // namespace

std::string c_header_text(const Problem& problem, const Table& table, std::size_t axis) {
    const Rules& rules = problem.rules;
    const std::string name = as_name(rules.kernel);
    std::string text = fmt::format("/* Tiles of {} by {}; made by tilewright tiles. Needs no header. */\n",
                                   rules.kernel, rules.given[axis]);
    text += fmt::format("struct {}_row {{ long long from, to; int legal; long long {}; }};\n", name,
                        fmt::join(rules.chosen, ", "));
    text += fmt::format("static const struct {0}_row {0}_rows[{1}] = {{\n", name, table.intervals.size());
    for (const Interval& interval : table.intervals) {
        const std::vector<std::int64_t> none(rules.chosen.size());
        text += fmt::format("    {{{}, {}, {}, {}}},\n", interval.from, interval.to, interval.point.empty() ? 0 : 1,
                            fmt::join(interval.point.empty() ? none : interval.point, ", "));
    }
    return text + "};\n" + fmt::format(kLookup, name, table.intervals.size());
}

}  // namespace tilewright::tiles
