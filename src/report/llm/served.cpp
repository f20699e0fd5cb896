#include "report/llm/served.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr std::size_t kMostServers = 12;  // of a table of the best

std::string part_text(const char* name, std::int64_t devices) {
    return devices == 1 ? "" : fmt::format(" {}{}", name, devices);
}

std::string per_second_text(double rate) {
    return rate < 1000.0 ? fmt::format("{:.4g}", rate) : count_text(std::round(rate));
}

std::string memory_text(const llm::ServedCase& one) {
    if (!one.memory_bytes) return "unknown";
    const double share = (one.weight_bytes + one.cache_bytes) / *one.memory_bytes;
    return fmt::format("{:.0f} %{}", 100.0 * share, one.load.requests > one.most_requests ? ": too small" : "");
}

std::string fitting_text(const llm::ServedCase& one) {
    const std::string fits = one.memory_bytes ? count_text(one.most_requests) : "-";
    return one.most_within ? fmt::format("{} of {}", count_text(*one.most_within), fits) : fits;
}

Table case_table(const ServedReport& report) {
    const bool searched = report.searched.has_value();
    Table table({"layout", "requests", searched ? "within" : "fit", "token", "first", "tokens/s", "a device",
                 "tokens/J", "memory"},
                "lrrrrrrrr");
    for (std::size_t i = 0; i < report.cases.size() && (!searched || i < kMostServers); ++i) {
        const llm::ServedCase& one = report.cases[i];
        const double rate = one.tokens_per_second();
        const std::optional<double> joules = one.joules_per_token();
        table.add({deployment_text(one.deployment), count_text(one.load.requests), fitting_text(one),
                   si_text(one.served.tpot_us * kMicrosecond, "s"), si_text(one.served.ttft_us * kMicrosecond, "s"),
                   per_second_text(rate), per_second_text(rate / static_cast<double>(one.deployment.devices())),
                   joules ? fmt::format("{:.3g}", 1.0 / *joules) : "-", memory_text(one)});
    }
    return table;
}

std::string case_title(const ServedReport& report) {
    const llm::Load& load = report.cases.front().load;
    const std::string lengths =
        fmt::format("prompts of {}, outputs of {} tokens", count_text(load.prompt), count_text(load.output));
    return (report.searched ? "served within " + report.limits + ": " : "served: ") + lengths;
}

double error_of(double predicted, double measured) { return predicted / measured - 1.0; }

void add_delays(Table& table, const char* name, const std::vector<double>& predicted,
                const std::vector<double>& measured) {
    if (predicted.empty()) return;
    const auto row = [&](const std::string& title, const Distribution& of, std::string error) {
        table.add({title, si_text(of.mean, "s"), si_text(of.median, "s"), si_text(of.nine_of_ten, "s"),
                   si_text(of.worst_of_hundred, "s"), std::move(error)});
    };
    if (measured.empty()) return row(name, distribution_of(predicted), "");
    std::vector<double> errors;
    for (std::size_t i = 0; i < predicted.size(); ++i) errors.push_back(std::abs(error_of(predicted[i], measured[i])));
    row(name, distribution_of(predicted), fmt::format("{:.1f} %", 100.0 * distribution_of(errors).median));
    row("  measured", distribution_of(measured), "");
}

Table trace_table(const TraceReport& trace) {
    Table table({"", "mean", "median", "P90", "P99", trace.measured.empty() ? "" : "median error"}, "lrrrrr");
    const RequestDelays ours = delays_of(trace.requests, trace.simulated.requests);
    const RequestDelays theirs = trace.measured.empty() ? RequestDelays{} : delays_of(trace.requests, trace.measured);
    add_delays(table, "first token", ours.first, theirs.first);
    add_delays(table, "a token", ours.token, theirs.token);
    add_delays(table, "last token", ours.last, theirs.last);
    return table;
}

double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string cases_csv(const ServedReport& report) {
    std::string csv =
        "layout,devices,requests,prompt,output,tpot_us,ttft_us,step_us,tokens_per_second,joules_per_token,fits,within,"
        "weight_bytes,cache_bytes,memory_bytes\n";
    for (const llm::ServedCase& one : report.cases) {
        csv += csv_cell(deployment_text(one.deployment));
        for (const std::int64_t number :
             {one.deployment.devices(), one.load.requests, one.load.prompt, one.load.output})
            csv += "," + std::to_string(number);
        for (const std::optional<double>& number :
             {std::optional(one.served.tpot_us), std::optional(one.served.ttft_us), std::optional(one.served.step_us),
              std::optional(one.tokens_per_second()), one.joules_per_token()})
            csv += "," + csv_number(number);
        csv += "," + std::to_string(one.most_requests) + "," +
               (one.most_within ? std::to_string(*one.most_within) : "") + "," + csv_number(one.weight_bytes) + "," +
               csv_number(one.cache_bytes) + "," + csv_number(one.memory_bytes) + "\n";
    }
    return csv;
}

}  // namespace

std::string layout_text(const llm::Layout& layout) {
    std::string text = fmt::format("tp{}", layout.tensor);
    text += part_text("dp", layout.data) + part_text("pp", layout.pipeline) + part_text("ep", layout.expert);
    if (layout.groups > 1) text += fmt::format(" x{}", layout.groups);
    return text;
}

std::string deployment_text(const llm::Deployment& deployment) {
    const std::string text = layout_text(deployment.layout);
    return deployment.prefill ? layout_text(*deployment.prefill) + " + " + text : text;
}

Distribution distribution_of(std::vector<double> seconds) {
    std::ranges::sort(seconds);
    double sum = 0.0;
    for (const double one : seconds) sum += one;
    return {sum / static_cast<double>(seconds.size()), quantile(seconds, 0.5), quantile(seconds, 0.9),
            quantile(seconds, 0.99)};
}

RequestDelays delays_of(const std::vector<llm::Request>& requests, const std::vector<llm::RequestTimes>& times) {
    RequestDelays delays;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        delays.first.push_back(times[i].first_s - requests[i].arrival_s);
        delays.last.push_back(times[i].last_s - requests[i].arrival_s);
        if (requests[i].output > 1)
            delays.token.push_back((times[i].last_s - times[i].first_s) / static_cast<double>(requests[i].output - 1));
    }
    return delays;
}

std::vector<TitledTable> served_tables(const ServedReport& report) {
    std::vector<TitledTable> tables;
    if (!report.cases.empty()) tables.emplace_back(case_title(report), case_table(report));
    if (report.trace)
        tables.emplace_back(fmt::format("{} requests one by one, on {}",
                                        count_text(static_cast<std::int64_t>(report.trace->requests.size())),
                                        deployment_text(report.trace->deployment)),
                            trace_table(*report.trace));
    return tables;
}

std::vector<std::string> served_sentences(const ServedReport& report) {
    std::vector<std::string> sentences;
    if (report.searched) {
        const llm::BestCounts& counts = *report.searched;
        sentences.push_back(fmt::format(
            "proven by exhaustion: {} layouts with every number of requests that fits, {} servers; {} layouts hold not "
            "one request, {} servers miss a limit",
            count_text(counts.deployments), count_text(counts.cases), count_text(counts.too_large),
            count_text(counts.missed)));
        if (report.cases.empty()) sentences.push_back("nothing is served within " + report.limits);
    }
    if (report.trace) {
        const TraceReport& trace = *report.trace;
        sentences.push_back(
            fmt::format("{} steps, {} times a request gave up its cache{}", count_text(trace.simulated.steps),
                        count_text(trace.simulated.preemptions),
                        trace.blocks > 0 ? fmt::format("; {} blocks of it", count_text(trace.blocks)) : ""));
    }
    return sentences;
}

std::string served_csv(const ServedReport& report) {
    if (!report.trace) return cases_csv(report);
    const TraceReport& trace = *report.trace;
    std::string csv = "id,input,output,arrival_s,first_token_s,last_token_s,preempted\n";
    for (std::size_t i = 0; i < trace.requests.size(); ++i) {
        const llm::Request& request = trace.requests[i];
        const llm::RequestTimes& times = trace.simulated.requests[i];
        csv += fmt::format("{},{},{},{},{:.6f},{:.6f},{}\n", i, request.prompt, request.output,
                           csv_number(request.arrival_s), times.first_s, times.last_s, times.preempted);
    }
    return csv;
}

}  // namespace tilewright::report
