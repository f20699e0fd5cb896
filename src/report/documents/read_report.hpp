// report.json read back as the report that it was written from, for programs that go on with what another one found.
//
//     const report::Report report = documents::read_report(text, "out/report.json");
//     report::report_json(report) == text;
//
// Of the machine it has what report.json says (names, sizes, energies and areas, not wires below memories): enough to
// write the report in every form, not to map or simulate on it. Pure functions; thread-safe. Throw InputError at the
// place of what cannot be read.
#pragma once

#include <string>

#include "report/fused/search.hpp"
#include "report/package/package_report.hpp"
#include "report/report.hpp"

namespace tilewright::documents {

report::Report read_report(const std::string& text, const std::string& file);

/// The same of the report.json of a fused mapping.
report::FusionReport read_fusion_report(const std::string& text, const std::string& file);

/// Likewise of a plan on a package.
report::PackageReport read_package_report(const std::string& text, const std::string& file);

}  // namespace tilewright::documents
