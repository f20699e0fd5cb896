// A plan on a package in figures and tables, for a page. Pure functions; thread-safe.
#pragma once

#include <vector>

#include "report/package/package_report.hpp"
#include "report/views/figures.hpp"

namespace tilewright::report {

views::Headline package_headline(const PackageReport& report);

/// Energy by place and cause; slots of the runs (the first 24): stages on their cores beside words that move; the loads
/// of links on the mesh; room of each run's fullest core by tensor.
std::vector<views::Figure> package_figures(const PackageReport& report);

}  // namespace tilewright::report
