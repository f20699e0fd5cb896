#include "tiles/forms/forms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "tiles/search/points.hpp"

namespace tilewright::tiles {
namespace {

constexpr const char* kMlir = "mlir";
constexpr const char* kMlir20 = "mlir20";
constexpr const char* kVllm = "vllm";
constexpr const char* kHeader = "c";

std::vector<std::int64_t> slots_of_point(const Problem& problem, std::span<const std::int64_t> given,
                                         std::span<const std::int64_t> point) {
    std::vector<std::int64_t> slots = slots_for(problem, given);
    if (point.size() != problem.rules.chosen.size())
        throw InputError(ErrorCode::usage, {}, fmt::format("a point has {} values", problem.rules.chosen.size()));
    std::ranges::copy(point, slots.begin() + problem.rules.point_slot());
    complete(problem.rules, slots.data());
    return slots;
}

bool is_mlir(const std::string& form) { return form == kMlir || form == kMlir20; }

std::string filled(const Form& form, const std::vector<std::int64_t>& slots) {
    std::string text = form.texts.front();
    for (std::size_t i = 0; i < form.values.size(); ++i)
        text += fmt::format("{}{}", form.values[i](slots.data()), form.texts[i + 1]);
    return text;
}

// In the comments of the form's own language.
std::string comment_of(const std::string& form, const Rules& rules, const std::vector<std::string>& names,
                       const std::vector<std::int64_t>& slots) {
    std::string text;
    for (std::size_t i = 0; i < rules.chosen.size(); ++i)
        if (std::ranges::find(names, rules.chosen[i]) != names.end())
            text += fmt::format(" {}={}", rules.chosen[i], slots[rules.point_slot() + static_cast<int>(i)]);
    const char* mark = is_mlir(form) || form.starts_with("iree") || form == "cutlass" ? "//" : "#";
    return fmt::format("{}{}\n", mark, text);
}

std::vector<std::string> form_names(const Rules& rules) {
    std::vector<std::string> names;
    for (const Form& form : rules.forms) names.push_back(form.name);
    if (!rules.map.empty()) names.insert(names.end(), {kMlir, kMlir20});
    return names;
}

[[noreturn]] void fail_unknown(const Rules& rules, const std::string& form) {
    const std::vector<std::string> known = form_names(rules);
    throw InputError(ErrorCode::unknown_name, {},
                     fmt::format("the rules of {} have no form '{}'{}; they have {}", rules.kernel, form,
                                 did_you_mean(form, known), list_words(known)));
}

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

/// Tiles of m, n and k at one level.
using LevelTiles = std::array<std::int64_t, 3>;

const MappedDimension& dimension(const Rules& rules, const std::string& name) {
    const auto found = std::ranges::find(rules.map, name, &MappedDimension::name);
    if (found == rules.map.end() || rules.map.size() != 3)
        throw InputError(ErrorCode::unsupported, {},
                         fmt::format("the form mlir is of matrix products: a map of m, n and k, which the rules of {} "
                                     "do not have",
                                     rules.kernel));
    return *found;
}

/// From the outside in, without the extents.
std::vector<LevelTiles> levels_of(const Rules& rules, const std::vector<std::int64_t>& slots) {
    const std::array<const MappedDimension*, 3> dimensions{&dimension(rules, "m"), &dimension(rules, "n"),
                                                           &dimension(rules, "k")};
    std::vector<LevelTiles> levels;
    for (std::size_t level = dimensions[0]->tiles.size() - 1; level-- > 0;) {
        LevelTiles tiles{};
        for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = dimensions[i]->tiles[level](slots.data());
        levels.push_back(tiles);
    }
    return levels;
}

std::string script16(const std::vector<LevelTiles>& levels) {
    std::string text =
        "transform.sequence failures(propagate) {\n^bb0(%root: !pdl.operation):\n"
        "  %op = transform.structured.match ops{[\"linalg.matmul\"]} in %root\n";
    std::string op = "%op";
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto& [m, n, k] = levels[i];
        if (i == 0) {
            text += fmt::format(
                "  %grid, %t0 = transform.structured.tile_to_foreach_thread_op {} tile_sizes [{}, {}]\n", op, m, n);
        } else {
            text += fmt::format(
                "  %t{0}, %rows{0}, %columns{0} = transform.structured.tile {1} [{2}, {3}, 0] : (!pdl.operation) -> "
                "(!pdl.operation, !pdl.operation, !pdl.operation)\n",
                i, op, m, n);
        }
        text += fmt::format(
            "  %k{0}, %depth{0} = transform.structured.tile %t{0} [0, 0, {1}] : (!pdl.operation) -> "
            "(!pdl.operation, !pdl.operation)\n",
            i, k);
        op = fmt::format("%k{}", i);
    }
    return text + "}\n";
}

std::string script20(const std::vector<LevelTiles>& levels) {
    std::string text =
        "module attributes {transform.with_named_sequence} {\n"
        "  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {\n"
        "    %op = transform.structured.match ops{[\"linalg.matmul\"]} in %root : (!transform.any_op) -> "
        "!transform.any_op\n";
    std::string op = "%op";
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto& [m, n, k] = levels[i];
        if (i == 0) {
            text += fmt::format(
                "    %t0, %grid = transform.structured.tile_using_forall {} tile_sizes [{}, {}] : (!transform.any_op) "
                "-> "
                "(!transform.any_op, !transform.any_op)\n",
                op, m, n);
        } else {
            text += fmt::format(
                "    %t{0}, %rows{0}, %columns{0} = transform.structured.tile_using_for {1} tile_sizes [{2}, {3}, 0] : "
                "(!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)\n",
                i, op, m, n);
        }
        text += fmt::format(
            "    %k{0}, %depth{0} = transform.structured.tile_using_for %t{0} tile_sizes [0, 0, {1}] : "
            "(!transform.any_op) -> "
            "(!transform.any_op, !transform.any_op)\n",
            i, k);
        op = fmt::format("%k{}", i);
    }
    return text + "    transform.yield\n  }\n}\n";
}

// Names of what is chosen that stand in no tile of the map.
std::vector<std::string> unmapped_names(const Rules& rules) {
    std::vector<const IntegerProgram*> tiles;
    for (const MappedDimension& mapped : rules.map)
        for (const IntegerProgram& tile : mapped.tiles) tiles.push_back(&tile);
    return names_left_unsaid(rules, tiles);
}

std::string mlir_text(const Problem& problem, const std::vector<std::int64_t>& slots, bool newer) {
    const std::vector<LevelTiles> levels = levels_of(problem.rules, slots);
    return newer ? script20(levels) : script16(levels);
}

}  // namespace

std::string form_text(const Problem& problem, std::span<const std::int64_t> given, std::span<const std::int64_t> point,
                      const FormOptions& options) {
    const Rules& rules = problem.rules;
    const Form* form = rules.form(options.form);
    const bool mlir = form == nullptr && is_mlir(options.form) && !rules.map.empty();
    if (form == nullptr && !mlir) fail_unknown(rules, options.form);
    const std::vector<std::string> unsaid = mlir ? unmapped_names(rules) : form->left_unsaid;
    if (!unsaid.empty() && !options.lossy)
        throw InputError(ErrorCode::unsupported, {},
                         fmt::format("the form {} cannot say {} of {}; --lossy writes it as a comment", options.form,
                                     list_words(unsaid), rules.kernel));
    const std::vector<std::int64_t> slots = slots_of_point(problem, given, point);
    const std::string comment = unsaid.empty() ? "" : comment_of(options.form, rules, unsaid, slots);
    return comment + (mlir ? mlir_text(problem, slots, options.form == kMlir20) : filled(*form, slots) + "\n");
}

std::string table_form_text(const Problem& problem, std::span<const std::int64_t> given, const Table& table,
                            std::size_t axis, const FormOptions& options) {
    if (options.form == kHeader && problem.rules.form(kHeader) == nullptr) return c_header_text(problem, table, axis);
    const std::string& name = problem.rules.given[axis];
    std::string text;
    for (const Interval& interval : table.intervals) {
        if (interval.point.empty())
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("no point is legal for {} from {} to {}, which the form {} cannot say", name,
                                         interval.from, interval.to, options.form));
        std::vector<std::int64_t> here(given.begin(), given.end());
        here[axis] = interval.from;
        std::string point = form_text(problem, here, interval.point, options);
        if (options.form != kVllm) {
            text += fmt::format("{}..{}: {}", interval.from, interval.to, point);
            continue;
        }
        point.pop_back();
        for (const std::int64_t key : {interval.from, interval.to}) {
            text += fmt::format("{}\"{}\": {}", text.empty() ? "{\n" : ",\n", key, point);
            if (interval.from == interval.to) break;
        }
    }
    return options.form == kVllm ? text + "\n}\n" : text;
}

}  // namespace tilewright::tiles
