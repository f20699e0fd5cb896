#include "tiles/document/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "yaml/writer.hpp"

namespace tilewright::tiles {
namespace {

NamedNumbers named(const std::vector<std::string>& names, std::span<const std::int64_t> values) {
    NamedNumbers pairs;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) pairs.emplace_back(names[i], values[i]);
    return pairs;
}

std::size_t scores_of(const Asked& asked) {
    std::size_t count = 0;
    for (const Measure measure : asked.measures) count += score_count(asked.problem.rules, measure);
    return count;
}

PointDocument point_of(const Asked& asked, const RankedPoint& point, const Score& best) {
    PointDocument document;
    document.values = named(asked.problem.rules.chosen, point.point);
    if (std::ranges::find(asked.measures, Measure::time) != asked.measures.end()) document.time_us = point.time_us;
    document.scores.assign(point.score.begin(), point.score.begin() + static_cast<std::ptrdiff_t>(scores_of(asked)));
    document.loss = best.front() > 0.0 ? point.score.front() / best.front() - 1.0 : 0.0;
    return document;
}

TilesDocument question_of(const Asked& asked) {
    const Machine& machine = asked.problem.machine;
    TilesDocument document;
    document.kernel = asked.problem.rules.kernel;
    document.machine = machine.name;
    for (const Measure measure : asked.measures) document.objective.emplace_back(name_of(measure));
    document.given = named(asked.problem.rules.given, asked.given);
    document.left_out = asked.problem.rules.left_out;
    if (machine.measured_rows > 0) document.median_error = machine.measured_error;
    document.measured_rows = machine.measured_rows;
    return document;
}

std::string claim_name(Claim claim) {
    switch (claim) {
        case Claim::proven: return "proven";
        case Claim::within: return "within";
        default: return "best found";
    }
}

std::string values_text(const NamedNumbers& values, const char* between = " ") {
    std::string text;
    for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : between, name, value);
    return text;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string scores_text(const TilesDocument& document, const PointDocument& point) {
    if (point.time_us) return fmt::format("{:.2f} us", *point.time_us);
    std::string text = document.objective.front();
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
    std::string text = fmt::format("  {}\n  {}\n", values_text(answer.best.values), scores_text(document, answer.best));
    for (const auto& [name, part] : answer.parts) text += fmt::format("    {:12} {:.4g}\n", name, part);
    for (const auto& [name, value] : answer.lets) text += fmt::format("    {:12} {}\n", name, value);
    text += claim_text(document) + "\n";
    for (const PointDocument& next : answer.runners_up)
        text += fmt::format("next: {}, {} ({} more)\n", values_text(next.values), scores_text(document, next),
                            percent(next.loss));
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

TilesDocument document_of(const Asked& asked, const Answer& answer, const std::vector<std::string>& conflicts) {
    TilesDocument document = question_of(asked);
    document.legal = answer.walked.legal;
    document.tried = answer.walked.tried;
    document.complete = answer.walked.complete;
    document.conflicts = conflicts;
    if (!answer.has_point()) return document;
    const Rules& rules = asked.problem.rules;
    AnswerDocument best;
    best.best = point_of(asked, answer.best, answer.best.score);
    best.claim = claim_name(answer.claim);
    best.within = answer.within;
    for (std::size_t i = 0; i < rules.lets.size(); ++i) best.lets.emplace_back(rules.lets[i].name, answer.lets[i]);
    if (best.best.time_us)
        for (std::size_t i = 0; i < rules.time.size(); ++i)
            best.parts.emplace_back(rules.time[i].name, answer.parts[i]);
    for (const RankedPoint& next : answer.runners_up)
        best.runners_up.push_back(point_of(asked, next, answer.best.score));
    document.answer = std::move(best);
    return document;
}

TilesDocument document_of(const Asked& asked, const Table& table, std::size_t axis, double loss) {
    TilesDocument document = question_of(asked);
    document.given.erase(document.given.begin() + static_cast<std::ptrdiff_t>(axis));
    TableDocument rows{asked.problem.rules.given[axis], loss, table.complete, {}};
    for (const Interval& interval : table.intervals) {
        rows.intervals.push_back({interval.from, interval.to, {}, interval.worst_loss});
        if (!interval.point.empty()) rows.intervals.back().values = named(asked.problem.rules.chosen, interval.point);
    }
    document.complete = table.complete;
    document.table = std::move(rows);
    return document;
}

void fields(yaml::Archive& archive, PointDocument& of) {
    archive.name("TilesPoint");
    archive("values", yaml::Signed{of.values}, "of what is chosen, by name");
    archive("time_us", of.time_us, "predicted; null where times were not asked for");
    archive("scores", yaml::Signed{of.scores}, "what points are compared by, the first before the second");
    archive("loss", of.loss, "over the best point, in the first score: 0.02 is 2 %");
}

void fields(yaml::Archive& archive, IntervalDocument& of) {
    archive.name("TilesInterval");
    archive("from", of.from);
    archive("to", of.to, "itself within the interval");
    archive("values", yaml::Signed{of.values}, "of what is chosen; empty: no point is legal there");
    archive("worst_loss", of.worst_loss, "over the best legal point, at any whole number of the interval");
}

void fields(yaml::Archive& archive, TableDocument& of) {
    archive.name("TilesTable");
    archive("axis", of.axis, "the extent that varies");
    archive("loss", of.loss, "that was allowed");
    archive("complete", of.complete, "false: some search ended early");
    archive("intervals", of.intervals, "the fewest, ascending");
}

void fields(yaml::Archive& archive, AnswerDocument& of) {
    archive.name("TilesAnswer");
    archive("best", of.best);
    archive("claim", of.claim, "proven, within (see there) or best found");
    archive("within", of.within, "no legal point is better by more: 0.02 is 2 %; 0 where it is proven");
    archive("lets", yaml::Signed{of.lets}, "of the best point");
    archive("parts", yaml::Signed{of.parts}, "of its time, before its quality is taken into account");
    archive("runners_up", of.runners_up, "the next points, best first");
}

void fields(yaml::Archive& archive, TilesDocument& of) {
    archive.constant("schema", "tilewright-tiles/1");
    archive("kernel", of.kernel, "of the rules");
    archive("machine", of.machine);
    archive("objective", of.objective, "time, count, words: the first before the second");
    archive("given", yaml::Signed{of.given});
    archive("answer", of.answer, "null: no point is legal, or a table was asked for");
    archive("legal", of.legal, "points that were evaluated");
    archive("tried", of.tried, "values of choices");
    archive("complete", of.complete, "false: the search ended early");
    archive("conflicts", of.conflicts, "why no point is legal, a line each");
    archive("table", of.table);
    archive("left_out", of.left_out, "what the objective does not know");
    archive("median_error", of.median_error, "of such times, where the machine was calibrated");
    archive("measured_rows", of.measured_rows, "that it was calibrated on");
}

std::string json_text(const TilesDocument& document) { return yaml::Writer::write(document).dump(2) + "\n"; }

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
