#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/llm/serving.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

using llm::PhaseCosts;

// The devices' column is shown for several only.
bool has_devices(const ServingReport& report) {
    return std::ranges::any_of(report.points, [](const PhaseCosts& costs) { return costs.point.devices > 1; });
}

std::vector<PhaseCosts> of_phase(const ServingReport& report, Phase phase) {
    std::vector<PhaseCosts> points;
    for (const PhaseCosts& costs : report.points)
        if (costs.point.phase == phase) points.push_back(costs);
    return points;
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

// "memory 74 %"
std::string bound_text(const PhaseCosts& costs) {
    if (costs.bounds.empty()) return "-";
    return fmt::format("{} {}", costs.bounds.front().bound, whole_percent(costs.bounds.front().share));
}

std::string rate_text(std::optional<double> rate) {
    if (!rate) return "-";
    return *rate < 1000.0 ? fmt::format("{:.4g}", *rate) : count_text(std::round(*rate));
}

std::string if_complete(const PhaseCosts& costs, std::string text) {
    return costs.is_complete() ? std::move(text) : "-";
}

Table phase_table(const std::vector<PhaseCosts>& points, const char* length, const char* time, bool devices) {
    std::vector<std::string> names{"batch", length, time, "tokens/s", "tokens/J", "attention", "bound by"};
    std::string alignment = "rrrrrrl";
    if (devices) {
        names.insert(names.begin(), "devices");
        names.insert(names.end() - 1, "links");
        alignment = "rrrrrrrrl";
    }
    Table table(names, alignment);
    for (const PhaseCosts& costs : points) {
        const llm::Point& point = costs.point;
        const std::int64_t tokens = point.phase == Phase::prefill ? point.tokens : point.context;
        std::vector<std::string> row{count_text(point.batch),
                                     count_text(tokens),
                                     if_complete(costs, si_text(costs.seconds, "s")),
                                     rate_text(costs.tokens_per_second()),
                                     rate_text(costs.tokens_per_joule()),
                                     if_complete(costs, whole_percent(costs.attention_share())),
                                     if_complete(costs, bound_text(costs))};
        if (devices) {
            row.insert(row.begin(), count_text(point.devices));
            row.insert(row.end() - 1, if_complete(costs, whole_percent(costs.collective_share())));
        }
        table.add(std::move(row));
    }
    return table;
}

std::string fits_text(const PhaseCosts& costs) {
    if (!costs.capacity_bytes) return "unknown";
    const std::string share = whole_percent(costs.room_bytes() / *costs.capacity_bytes);
    return *costs.fits() ? share : share + ": too small";
}

Table room_table(const ServingReport& report, bool devices) {
    std::vector<std::string> names{"phase", "batch", "tokens", "weights", "cache", "capacity", "in use"};
    if (devices) names.insert(names.begin() + 1, "devices");
    Table table(names, devices ? "lrrrrrrr" : "lrrrrrr");
    for (const PhaseCosts& costs : report.points) {
        const llm::Point& point = costs.point;
        std::vector<std::string> row{point.phase == Phase::prefill ? "prefill" : "decode",
                                     count_text(point.batch),
                                     count_text(point.tokens + point.context),
                                     si_text(costs.weight_bytes, "B"),
                                     si_text(costs.cache_bytes, "B"),
                                     costs.capacity_bytes ? si_text(*costs.capacity_bytes, "B") : "-",
                                     fits_text(costs)};
        if (devices) row.insert(row.begin() + 1, count_text(point.devices));
        table.add(std::move(row));
    }
    return table;
}

std::string failures_text(const ServingReport& report) {
    std::vector<std::string> all;
    for (const PhaseCosts& costs : report.points)
        for (const std::string& failure : costs.failures)
            if (std::ranges::find(all, failure) == all.end()) all.push_back(failure);
    std::string text = all.empty() ? "" : "\n  no cost, and so no times of the points that need it:\n";
    for (const std::string& failure : all) text += "    " + failure + "\n";
    return text;
}

struct PhaseTable {
    std::string title;
    Table table;
};

// Those of the requested phases, then the room.
std::vector<PhaseTable> tables_of(const ServingReport& report) {
    const bool devices = has_devices(report);
    std::vector<PhaseTable> tables;
    if (report.served)
        for (TitledTable& one : served_tables(*report.served))
            tables.push_back({std::move(one.first), std::move(one.second)});
    if (report.points.empty()) return tables;
    if (const auto prefill = of_phase(report, Phase::prefill); !prefill.empty())
        tables.push_back(
            {"prefill: a prompt of every request at once", phase_table(prefill, "prompt", "first token", devices)});
    if (const auto decode = of_phase(report, Phase::decode); !decode.empty())
        tables.push_back(
            {"decode: one more token of every request", phase_table(decode, "context", "each token", devices)});
    tables.push_back(
        {devices ? "room on each device, tokens of each request" : "room on the device, tokens of each request",
         room_table(report, devices)});
    return tables;
}

std::string title_of(const ServingReport& report) {
    return fmt::format("{} on {}, times: {}", report.model, report.machine, report.latency);
}

// "batch 8, prompt 512"
std::string point_text(const llm::Point& point) {
    const bool prefill = point.phase == Phase::prefill;
    return fmt::format("batch {}, {} {}{}", count_text(point.batch), prefill ? "prompt" : "context",
                       count_text(prefill ? point.tokens : point.context),
                       point.devices > 1 ? fmt::format(", {} devices", point.devices) : "");
}

// The complete point of a phase with the least value; null: none.
const PhaseCosts* least(const ServingReport& report, Phase phase, double (*of)(const PhaseCosts& costs)) {
    const PhaseCosts* best = nullptr;
    for (const PhaseCosts& costs : report.points)
        if (costs.point.phase == phase && costs.is_complete() && (best == nullptr || of(costs) < of(*best)))
            best = &costs;
    return best;
}

double seconds_of(const PhaseCosts& costs) { return costs.seconds; }
double rate_below(const PhaseCosts& costs) { return -costs.tokens_per_second().value_or(0.0); }
double tokens_per_joule_below(const PhaseCosts& costs) { return -costs.tokens_per_joule().value_or(0.0); }

std::vector<views::Card> cards_of(const ServingReport& report) {
    std::vector<views::Card> cards;
    if (report.served && !report.served->cases.empty()) {
        const llm::ServedCase& one = report.served->cases.front();
        cards.push_back({"A token", si_text(one.served.tpot_us * 1e-6, "s"), deployment_text(one.deployment)});
        cards.push_back({"First token", si_text(one.served.ttft_us * 1e-6, "s"),
                         count_text(one.load.requests) + " requests under way"});
        cards.push_back({"Tokens per second", rate_text(one.tokens_per_second()), deployment_text(one.deployment)});
    }
    if (const PhaseCosts* first = least(report, Phase::prefill, seconds_of))
        cards.push_back({"First token, soonest", si_text(first->seconds, "s"), point_text(first->point)});
    if (const PhaseCosts* each = least(report, Phase::decode, seconds_of))
        cards.push_back({"A token, soonest", si_text(each->seconds, "s"), point_text(each->point)});
    if (const PhaseCosts* most = least(report, Phase::decode, rate_below))
        cards.push_back({"Most tokens per second", rate_text(most->tokens_per_second()), point_text(most->point)});
    if (const PhaseCosts* most = least(report, Phase::decode, tokens_per_joule_below); most && most->tokens_per_joule())
        cards.push_back({"Most tokens per joule", rate_text(most->tokens_per_joule()), point_text(most->point)});
    return cards;
}

}  // namespace

std::string serving_text(const ServingReport& report) {
    const std::string title = title_of(report);
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    bool first = true;
    for (const PhaseTable& one : tables_of(report)) {
        text += (first ? "" : "\n") + one.title + "\n" + one.table.text();
        first = false;
    }
    text += failures_text(report);
    if (report.served)
        for (const std::string& sentence : served_sentences(*report.served)) text += "  " + sentence + "\n";
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

views::Headline serving_headline(const ServingReport& report) {
    views::Headline headline{title_of(report), cards_of(report), {}, report.notes};
    for (PhaseTable& one : tables_of(report)) headline.tables.push_back({one.title, std::move(one.table)});
    return headline;
}

std::string serving_csv(const ServingReport& report) {
    if (report.served) return served_csv(*report.served);
    std::string csv =
        "architecture,network,latency,phase,devices,batch,tokens,context,seconds,tokens_per_second,energy_pj,"
        "tokens_per_joule,attention_seconds,collective_seconds,bound,bound_share,weight_bytes,cache_bytes,"
        "capacity_bytes,unlimited_energy_pj\n";
    const std::string run =
        csv_cell(report.machine) + "," + csv_cell(report.model) + "," + csv_cell(report.latency) + ",";
    for (const llm::PhaseCosts& costs : report.points) {
        const llm::Point& point = costs.point;
        csv += run + (point.phase == Phase::prefill ? "prefill" : "decode");
        for (const std::int64_t number : {point.devices, point.batch, point.tokens, point.context})
            csv += "," + std::to_string(number);
        const std::vector<std::optional<double>> numbers{costs.seconds,           costs.tokens_per_second(),
                                                         costs.energy_pj,         costs.tokens_per_joule(),
                                                         costs.attention_seconds, costs.collective_seconds};
        for (const std::optional<double>& number : numbers)
            csv += "," + csv_number(costs.is_complete() ? number : std::nullopt);
        csv += "," + (costs.bounds.empty()
                          ? ","
                          : csv_cell(costs.bounds.front().bound) + "," + csv_number(costs.bounds.front().share));
        csv += "," + csv_number(costs.weight_bytes) + "," + csv_number(costs.cache_bytes) + "," +
               csv_number(costs.capacity_bytes) + "," + csv_number(costs.unlimited_energy_pj) + "\n";
    }
    return csv;
}

}  // namespace tilewright::report
