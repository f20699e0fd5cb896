// What the search for the best fused mapping of a cascade found, as figures and tables. Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fused/fusion_report.hpp"
#include "report/views/figures.hpp"

namespace tilewright::report {

/// The same in figures and tables, for a page.
views::Headline fusion_headline(const FusionReport& report);

/// One row for every size of the buffer.
std::string buffers_csv(const FusionReport& report);

/// Energy and DRAM words of all ways; the front; what is in the buffer while each einsum runs; loops and stores of
/// every group of several einsums (the first 40); DRAM words by size of the buffer.
std::vector<views::Figure> fusion_figures(const FusionReport& report);
/// The last of them alone; nothing where it was not asked for.
std::optional<views::Figure> buffers_figure(const FusionReport& report);

}  // namespace tilewright::report
