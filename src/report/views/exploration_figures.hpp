// Pictures of an exploration: its designs between two metrics, and the best of them across all knobs and metrics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"
#include "report/views/figures.hpp"

namespace tilewright::views {

/// `objectives`: two or three metrics that are looked at; of three, the first two are drawn against each other.
/// `title`: what was explored. `coloured_by`: a knob, whose values (in ranges, where there are many) have colours of
/// their own. No figures where no design is valid.
std::vector<Figure> exploration_figures(const explore::Specification& specification,
                                        const std::vector<explore::Row>& rows,
                                        const std::vector<std::size_t>& objectives, const std::string& title,
                                        std::optional<std::size_t> coloured_by = std::nullopt);

}  // namespace tilewright::views
