#include "verbs/calibrate_silicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/csv_rows.hpp"
#include "options/verb.hpp"
#include "report/parts/table.hpp"
#include "silicon/accelerator/calibrate.hpp"
#include "silicon/files/accelerator.hpp"
#include "timeloop/files/zoo.hpp"

namespace tilewright::cli {
namespace {

using silicon::Fitted;
using silicon::FittedNumbers;

std::vector<silicon::MeasuredProduct> products_in(const std::string& file) {
    const CsvRows table(file);
    const std::size_t m = table.column("m");
    const std::size_t n = table.column("n");
    const std::size_t k = table.column("k");
    const std::size_t us = table.column("us");
    std::vector<silicon::MeasuredProduct> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.has("dtype") && table.text(i, table.column("dtype")) != "bfloat16") continue;
        rows.push_back({{static_cast<double>(table.number<std::int64_t>(i, m)),
                         static_cast<double>(table.number<std::int64_t>(i, n)),
                         static_cast<double>(table.number<std::int64_t>(i, k))},
                        table.us(i, us)});
        const silicon::ProductSize& size = rows.back().size;
        if (std::min({size.m, size.n, size.k}) < 1.0)
            throw InputError(ErrorCode::bad_value, table.where(i), "sizes of a product are at least 1");
    }
    if (rows.empty()) throw InputError(ErrorCode::bad_value, {file, 1, 0}, "there is no row of a bfloat16 product");
    return rows;
}

std::vector<silicon::MeasuredAllReduce> links_in(const std::string& file) {
    if (file.empty()) return {};
    const CsvRows table(file);
    std::vector<silicon::MeasuredAllReduce> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.has("op") && table.text(i, table.column("op")) != "all_reduce") continue;
        rows.push_back({table.number<double>(i, table.column("gpus")), table.number<double>(i, table.column("bytes")),
                        table.us(i, table.column("us"))});
        if (rows.back().devices < 2.0 || rows.back().bytes < 1.0)
            throw InputError(ErrorCode::bad_value, table.where(i), "an all-reduce has two devices and a byte at least");
    }
    return rows;
}

void add(report::Table& table, const char* name, const Fitted& one) {
    table.add({name, fmt::format("{:.4g}", one.value), fmt::format("{:.4g} to {:.4g}", one.least, one.most),
               one.rows.empty() ? "none: as before" : fmt::format("{}", fmt::join(one.rows, ", "))});
}

std::string table_text(const FittedNumbers& found, std::size_t products) {
    report::Table table({"number", "median", "spread", "rows"}, "lrll");
    add(table, "launch_us", found.launch_us);
    add(table, "bandwidth_share", found.bandwidth_share);
    add(table, "rate_share", found.rate_share);
    add(table, "link_share", found.link_share);
    return table.text() + fmt::format("\n  With these, {} products are off by {:.1f} % in the median.\n", products,
                                      100.0 * found.median_error);
}

std::string calibrated_lines(const FittedNumbers& found, const std::string& from, int indent) {
    const std::string space(static_cast<std::size_t>(indent), ' ');
    return fmt::format(
        "{0}calibrated:\n{0}  {{launch_us: {1:.4g}, bandwidth_share: {2:.4g}, rate_share: {3:.4g}, link_share: "
        "{4:.4g},\n"
        "{0}   rows: \"medians of three rows each in {5}\"}}\n",
        space, found.launch_us.value, found.bandwidth_share.value, found.rate_share.value, found.link_share.value,
        from);
}

// Lines of the file but those of an old calibration, with the new ones in their place or behind the generation's.
std::string with_lines(const std::string& text, const yaml::Node& accelerator, const std::string& added) {
    int first = 0;
    int next = 0;  // of the entry behind the old calibration
    for (const yaml::Node::Entry& entry : accelerator.entries()) {
        if (first > 0 && next == 0) next = entry.key_node.where().line;
        if (entry.key == "calibrated") first = entry.key_node.where().line;
    }
    const int column = accelerator.entries().front().key_node.where().column;
    const int behind = accelerator.at("generation").where().line;
    std::string result;
    std::istringstream lines(text);
    std::string line;
    bool in_old = false;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::size_t indent = line.find_first_not_of(' ');
        if (number == first) {
            in_old = true;
            result += added;
            continue;
        }
        if (in_old && (number == next || (indent != std::string::npos && static_cast<int>(indent) < column)))
            in_old = false;
        if (!in_old) result += line + "\n";
        if (first == 0 && number == behind) result += added;
    }
    return result;
}

}  // namespace

CalibrationText calibration_text(const yaml::Node& root, const Architecture& architecture,
                                 const CalibrationFiles& files) {
    const auto machine = silicon::read_accelerator(root, architecture);
    if (!machine)
        fail_usage("calibrate",
                   "--from needs a machine with a part 'accelerator' in its section 'silicon' "
                   "(docs/silicon.md), such as h100");
    const std::vector<silicon::MeasuredProduct> products = products_in(files.products);
    const FittedNumbers found = silicon::fitted(*machine, products, links_in(files.links));
    const yaml::Node& accelerator = root.at("silicon").at("accelerator");
    const std::string& place = accelerator.where().file;
    const std::string stem = place.substr(place.rfind('/') + 1);
    const std::string text =
        timeloop::is_zoo_file(place) ? timeloop::zoo_file(stem.substr(0, stem.rfind('.'))) : read_file(place);
    const int column = accelerator.entries().front().key_node.where().column;
    return {table_text(found, products.size()),
            with_lines(text, accelerator, calibrated_lines(found, files.products, column - 1))};
}

}  // namespace tilewright::cli
