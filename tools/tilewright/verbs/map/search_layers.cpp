#include "verbs/map/search_layers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "run/claim.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// "12 s", "3 min", "2 h"
std::string duration_text(double seconds) {
    constexpr double kMinute = 60.0;
    constexpr double kHour = 3600.0;
    if (seconds < 2.0 * kMinute) return fmt::format("{:.0f} s", seconds);
    if (seconds < 2.0 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
    return fmt::format("{:.0f} h", seconds / kHour);
}

/// What is known of the run and of one search in it, what matters most first.
class StatusParts {
   public:
    StatusParts(const NetworkProblem& problem, const Objective& objective)
        : problem_(problem), unit_(objective_unit(objective)), begun_(problem.shapes.size()) {}

    // "[3/21] conv1", "best 1.2 uJ and 3,456 cycles", "objective in [1, 2] pJ*cycles", "12 s left", "1,200,000
    // mappings/s", "12,345 mappings",
    // ...
    std::vector<std::string> of(const NetworkProgress& now) {
        const bool ended = now.event == NetworkProgress::Event::ends;
        if (now.event == NetworkProgress::Event::begins) begun_[now.shape] = Clock::now();
        const std::size_t number = ended ? now.done : std::min(now.done + 1, now.shapes);
        std::vector<std::string> parts{
            fmt::format("[{}/{}] {}", number, now.shapes, problem_.shapes[now.shape].names.front())};
        if (now.search != nullptr) add_best(*now.search, parts);
        if (now.done > 0 && now.done < now.shapes)
            parts.push_back(duration_text(seconds_since(begin_) / static_cast<double>(now.done) *
                                          static_cast<double>(now.shapes - now.done)) +
                            " left");
        if (now.search != nullptr) add_effort(*now.search, begun_[now.shape], parts);
        return parts;
    }

   private:
    void add_best(const LayerProgress& now, std::vector<std::string>& parts) const {
        if (!now.found) return;
        parts.push_back(fmt::format("best {} and {} cycles", energy_text(now.energy_pj), count_text(now.cycles)));
        if (now.lower_bound && now.objective > 0.0)
            parts.push_back(fmt::format("objective in [{}, {}] {}", figure_text(*now.lower_bound),
                                        figure_text(now.objective), unit_));
    }

    static void add_effort(const LayerProgress& now, std::optional<Clock::time_point> begun,
                           std::vector<std::string>& parts) {
        const double seconds = begun ? seconds_since(*begun) : 0.0;
        if (seconds > 1.0 && now.sampled > 0)
            parts.push_back(count_text(std::round(static_cast<double>(now.sampled) / seconds)) + " mappings/s");
        parts.push_back(count_text(now.sampled) + (now.space ? " of " + count_text(*now.space) : "") + " mappings");
        parts.push_back(count_text(now.valid) + " legal");
    }

    const NetworkProblem& problem_;
    const std::string unit_;  ///< of the objective
    const Clock::time_point begin_ = Clock::now();
    std::vector<std::optional<Clock::time_point>> begun_;  ///< by shape
};

}  // namespace

NetworkAnswer search_layers(const NetworkProblem& problem, const MapOptions& options, AnswerCache& cache, bool quiet,
                            const MapsShape& map_shape) {
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(!quiet);
    StatusParts parts(problem, options.objective);
    const auto progress = [&](const NetworkProgress& now) {
        if (line.shown()) line.show(parts.of(now), now.event != NetworkProgress::Event::searches);
    };
    return map_network(problem, options, {&cache, &stop, progress, map_shape});
}

void RefinePlan::declare(Options& options) {
    options.group("Search");
    options
        .value("refine", 0, "HOW",
               "simulate the best mappings of every layer and take the best by that (simulate: see tilewright "
               "simulate)",
               &how)
        .choices = {"simulate"};
    options.value("candidates", 0, "N", "--refine: simulated mappings of a layer (default 8)", &candidates)
        .between(1, 1000);
    machine.declare(options);
}

const std::vector<std::string>& RefinePlan::names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names = MachinePlan::names();
        names.emplace_back("candidates");
        return names;
    }();
    return kNames;
}

std::optional<RefineOptions> RefinePlan::settle(PlannedSearch& settings, const Architecture& architecture,
                                                std::vector<report::Input>& read) const {
    if (!asked()) return std::nullopt;
    RefineOptions options;
    options.map = settings.map;
    options.machine = machine.resolve("map", read);
    options.floor = machine.floor("map", architecture);
    options.candidates = static_cast<int>(candidates.value_or(options.candidates));
    settings.for_the_report.emplace_back("refine", how);
    settings.for_the_report.emplace_back("candidates", std::to_string(options.candidates));
    return options;
}

std::vector<std::optional<report::Refinement>> refine_layers(const NetworkProblem& problem,
                                                             const RefineOptions& options, NetworkAnswer& answer,
                                                             bool quiet) {
    StopSource stop;
    if (answer.interrupted) stop.request();
    StatusLine line(!quiet);
    const Interrupt interrupt(stop);
    SimulationControl control;
    control.threads = options.map.threads;
    control.stop = &stop;
    control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t steps) {
        line.show(fmt::format("{}: simulated step {} of {}", layer, done, steps));
    };
    auto refined = refine(problem, options, answer, control);
    line.clear();
    answer.interrupted = answer.interrupted || interrupt.happened();
    return refined;
}

}  // namespace tilewright::cli
