// Pictures of an exploration: its designs between two metrics, and the best of them across all knobs and metrics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"
#include "report/views/figures.hpp"

namespace tilewright::views {

/// `objectives`: two or three metrics; of three, the first two are drawn against each other. `coloured_by`: a knob with
/// colours for its values (in ranges, if many). None without a valid design.
std::vector<Figure> exploration_figures(const explore::Specification& specification,
                                        const std::vector<explore::Row>& rows,
                                        const std::vector<std::size_t>& objectives, const std::string& title,
                                        std::optional<std::size_t> coloured_by = std::nullopt);

}  // namespace tilewright::views
