// Reports of ZigZag's accounting, where they go: standard output and the -o directory.
#pragma once

#include "output.hpp"
#include "report/zigzag.hpp"

namespace tilewright::cli {

/// The mappings of all layers as one ZigZag mapping file; "" when there is none.
std::string zigzag_mappings_yaml(const report::ZigzagReport& report);

/// mapping.yaml, report.json and report.txt into the -o directory, if one was given; the report in text or JSON on
/// standard output, the reasons of layers without a result on standard error.
void write_report(const report::ZigzagReport& report, const OutputOptions& options);

}  // namespace tilewright::cli
