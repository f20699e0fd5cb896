#include "zigzag_output.hpp"

#include "frontend/zigzag/mapping.hpp"
#include "report/csv.hpp"

namespace tilewright::cli {

std::string zigzag_mappings_yaml(const report::ZigzagReport& report) {
    std::string text;
    for (const report::ZigzagLayer& one : report.layers)
        if (one.mapping) text += zigzag::write_mapping(report.accelerator, one.layer, one.unrolling, *one.mapping);
    return text;
}

void write_report(const report::ZigzagReport& report, const OutputOptions& options) {
    const std::string json = report::zigzag_json(report);
    std::vector<NamedBytes> files = csv_file(options.csv, options.csv.empty() ? "" : report::costs_csv(report));
    if (!options.directory.empty()) {
        if (const std::string mappings = zigzag_mappings_yaml(report); !mappings.empty())
            files.emplace_back(kMappingFile, mappings);
        files.emplace_back("report.json", json);
        files.emplace_back("report.txt", report::zigzag_text(report));
        for (NamedBytes& page : page_file(json)) files.push_back(std::move(page));
    }
    write_results(options.directory, files);
    if (options.csv == kStandardOutput)
        print(report::costs_csv(report));
    else if (options.json)
        print(json);
    else if (!options.quiet)
        print(report::zigzag_summary(report));
    for (const report::ZigzagLayer& one : report.layers)
        for (const std::string& failure : one.failures) print_error("error: " + one.layer.name + ": " + failure);
}

}  // namespace tilewright::cli
