#include "tiles/forms/forms.hpp"

#include <fmt/format.h>

#include <algorithm>

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

[[noreturn]] void fail_unknown(const Rules& rules, const std::string& form) {
    const std::vector<std::string> known = form_names(rules);
    throw InputError(ErrorCode::unknown_name, {},
                     fmt::format("the rules of {} have no form '{}'{}; they have {}", rules.kernel, form,
                                 did_you_mean(form, known), list_words(known)));
}

}  // namespace

std::vector<std::string> form_names(const Rules& rules) {
    std::vector<std::string> names;
    for (const Form& form : rules.forms) names.push_back(form.name);
    if (!rules.map.empty()) names.insert(names.end(), {kMlir, kMlir20});
    return names;
}

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
