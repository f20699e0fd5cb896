#include "verbs/map/refinement.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {

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
