#include "search_layers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interrupt.hpp"
#include "report/number.hpp"
#include "status_line.hpp"

namespace tilewright::cli {
namespace {

// "  12,345 of 1,000,000 mappings, 1,234 legal, best 1.2 uJ and 3,456 cycles"
std::string status_of(const LayerProgress& now) {
    std::string text = "  " + report::count_text(now.sampled);
    if (now.space) text += " of " + report::count_text(*now.space);
    text += " mappings, " + report::count_text(now.valid) + " legal";
    if (!now.found) return text;
    text += fmt::format(", best {} and {} cycles", report::energy_text(now.energy_pj), report::count_text(now.cycles));
    if (now.lower_bound && now.objective > 0.0)
        text += fmt::format(", objective in [{}, {}]", report::figure_text(*now.lower_bound),
                            report::figure_text(now.objective));
    return text;
}

// "[3/21] conv1  12,345 mappings, ..."
std::string line_of(const NetworkProblem& problem, const NetworkProgress& now) {
    const bool ended = now.event == NetworkProgress::Event::ends;
    const std::size_t number = ended ? now.done : std::min(now.done + 1, now.shapes);
    return fmt::format("[{}/{}] {}{}", number, now.shapes, problem.shapes[now.shape].names.front(),
                       now.search == nullptr ? "" : status_of(*now.search));
}

}  // namespace

NetworkAnswer search_layers(const NetworkProblem& problem, const MapOptions& options, AnswerCache& cache, bool quiet) {
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(!quiet);
    const auto progress = [&](const NetworkProgress& now) {
        if (line.shown()) line.show(line_of(problem, now), now.event != NetworkProgress::Event::searches);
    };
    return map_network(problem, options, {&cache, &stop, progress});
}

}  // namespace tilewright::cli
