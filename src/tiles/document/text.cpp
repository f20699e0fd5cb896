#include <fmt/format.h>

#include "tiles/document/document.hpp"

namespace tilewright::tiles {
namespace {

std::string values_text(const NamedNumbers& values, const char* between = " ") {
    std::string text;
    for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : between, name, value);
    return text;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string scores_text(const PointDocument& point) {
    if (point.time_us) return fmt::format("{:.2f} us", *point.time_us);
    std::string text = "count";
    for (const double score : point.scores) text += fmt::format(" {:.0f}", score);
    return text;
}

std::string claim_text(const TilesDocument& document) {
    const AnswerDocument& answer = *document.answer;
    const std::string seen = fmt::format("{} legal points evaluated, {} values tried", document.legal, document.tried);
    if (answer.claim == "within") return fmt::format("within {} of the best: {}", percent(answer.within), seen);
    if (answer.claim == "proven") return "proven the best: " + seen;
    return "the best found, not proven: " + seen;
}

std::string answer_text(const TilesDocument& document) {
    const AnswerDocument& answer = *document.answer;
    std::string text = fmt::format("  {}\n  {}\n", values_text(answer.best.values), scores_text(answer.best));
    for (const auto& [name, part] : answer.parts) text += fmt::format("    {:12} {:.4g}\n", name, part);
    for (const auto& [name, value] : answer.lets) text += fmt::format("    {:12} {}\n", name, value);
    text += claim_text(document) + "\n";
    for (const PointDocument& next : answer.runners_up)
        text +=
            fmt::format("next: {}, {} ({} more)\n", values_text(next.values), scores_text(next), percent(next.loss));
    return text;
}

std::string table_text(const TableDocument& table) {
    std::string text = fmt::format("{} interval{} of {}, each point within {} of the best at every whole number{}\n",
                                   table.intervals.size(), table.intervals.size() == 1 ? "" : "s", table.axis,
                                   percent(table.loss), table.complete ? "" : " that was found (a search ended early)");
    for (const IntervalDocument& row : table.intervals)
        text += fmt::format("  {:>8}..{:<8} {}\n", row.from, row.to,
                            row.values.empty()
                                ? "no point is legal"
                                : fmt::format("{} (worst {})", values_text(row.values), percent(row.worst_loss)));
    return text;
}

}  // namespace

std::string text_of(const TilesDocument& document) {
    std::string text = fmt::format("{}{}{}: {}\n", document.kernel, document.machine.empty() ? "" : " on ",
                                   document.machine, values_text(document.given, ", "));
    if (document.table) text += table_text(*document.table);
    if (document.answer) text += answer_text(document);
    if (!document.answer && !document.table)
        text += document.complete ? "no point is legal\n" : "no legal point was found before the search ended\n";
    for (const std::string& line : document.conflicts) text += line + "\n";
    if (!document.left_out.empty() && (document.answer || document.table))
        text += fmt::format("left out: {}\n", document.left_out);
    if (document.median_error)
        text += fmt::format("such times were {} off in the median of {} rows that calibrated them\n",
                            percent(*document.median_error), document.measured_rows);
    return text;
}

}  // namespace tilewright::tiles
