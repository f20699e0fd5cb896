#include "verbs/compare/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "report/parts/table.hpp"
#include "timeloop/account/printed_stats.hpp"
#include "timeloop/files/stats.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "timeloop/sparse/sparse_account.hpp"
#include "timeloop/sparse/stats_text.hpp"
#include "workload/widths.hpp"

namespace tilewright::cli {
namespace {

std::string number(const account::PrintedFigure& figure, double value) {
    const bool is_energy = figure.what.starts_with("energy");
    return is_energy ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

std::string unindented(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string::npos ? "" : line.substr(begin);
}

std::string table_of(const account::ConventionFit& fit) {
    report::Table table({"level", "tensor", "what", "here", "there"}, "lllrr");
    for (const account::PrintedFigure& figure : fit.figures)
        if (!figure.equal)
            table.add({figure.level.empty() ? "total" : figure.level, figure.tensor, figure.what,
                       number(figure, figure.counted), number(figure, figure.printed)});
    return table.empty() ? "" : "\n" + table.text(4);
}

std::string dense_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                       const Mapping& mapping, const account::TimeloopOptions& options) {
    if (const std::string own = own_width_in(layer.einsum); !own.empty())
        throw InputError(ErrorCode::unsupported, {file},
                         "the layer has " + own + ", which Timeloop cannot have counted");
    const account::PrintedStats printed = timeloop::read_stats(read_file(file), file);
    const account::ConventionFit given =
        account::compare_with_stats(layer.einsum, architecture, mapping, options, printed);
    if (given.refusal) return "";  // the report says why
    std::string text = fmt::format("\n  against {}\n  with {}\n{}", file, account::summary_of(given), table_of(given));
    if (!given.unknown_levels.empty()) text += fmt::format("  there only: {}\n", list_words(given.unknown_levels));
    if (given.differences() == 0) return text;
    const account::ConventionFit best = account::best_convention(layer.einsum, architecture, mapping, options, printed);
    if (best.options == options) return text + "\n  no other convention fits better\n";
    return text + fmt::format("\n  the convention that fits best: {}\n{}", account::summary_of(best), table_of(best));
}

std::string sparse_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                        const Mapping& mapping, const account::TimeloopOptions& options, const sparse::Design& zeros,
                        const yaml::Node& root) {
    const std::string printed = read_file(file);
    static_cast<void>(timeloop::read_stats(printed, file));  // refuses what is no output of Timeloop
    const account::SparseResult counted =
        account::sparse_timeloop(layer.einsum, architecture, mapping, zeros,
                                 timeloop::read_loop_orders(root, layer.einsum, architecture), options);
    if (counted.common.refusal) return "";  // the report says why
    const std::vector<account::StatsLine> here = account::sparse_stats(counted, layer.einsum, architecture);
    const std::vector<account::StatsLine> there = account::stats_lines(printed);
    report::Table table({"level", "here", "there"}, "lll");
    std::size_t equal = 0;
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
        const account::StatsLine ours = i < here.size() ? here[i] : account::StatsLine{"", "nothing"};
        const account::StatsLine theirs = i < there.size() ? there[i] : account::StatsLine{"", "nothing"};
        if (ours == theirs)
            ++equal;
        else
            table.add({theirs.level.empty() ? "total" : theirs.level, unindented(ours.text), unindented(theirs.text)});
    }
    return fmt::format("\n  against {}\n  {} of {} lines of statistics are equal\n{}", file, equal, there.size(),
                       table.empty() ? "" : "\n" + table.text(4));
}

}  // namespace

void AgainstOptions::declare(Options& options) {
    options
        .value("against", 0, "FILE",
               "what Timeloop printed (timeloop-model.stats.txt): shows what differs from --account timeloop, level by "
               "level, and names the switches that fit best",
               &file)
        .completes = "file";
    options.not_with({"against"}, {"json", "csv", "mappers"}, kWhy);
}

std::string against_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping, const account::TimeloopOptions& options, const sparse::Design* zeros,
                         const yaml::Node& root) {
    return zeros == nullptr ? dense_text(file, layer, architecture, mapping, options)
                            : sparse_text(file, layer, architecture, mapping, options, *zeros, root);
}

}  // namespace tilewright::cli
