#include "run/simulate/simulate_network.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "base/threads.hpp"
#include "mapper/shortlist.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "model/lean/lean.hpp"
#include "run/claim.hpp"
#include "run/search.hpp"
#include "sim/machine/cosa/cosa_replay.hpp"

namespace tilewright {
namespace {

// Reason a mapping cannot be simulated, or "".
std::string problem_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const MappingPlaces& places, const sim::Floor& floor, const sim::MachineOptions& machine) {
    const std::vector<Violation> violations = check(einsum, architecture, mapping);
    if (!violations.empty()) return placed_text(violations.front(), places);
    if (!mapping.options.empty()) return "the mapping sets accounting switches, which a machine does not have";
    return machine.cosa_network ? sim::problem_with_cosa_program(einsum, architecture, mapping, floor)
                                : sim::problem_with_program(einsum, architecture, mapping);
}

class Replays {
   public:
    Replays(const Architecture& architecture, const sim::Floor& floor, const sim::MachineOptions& machine,
            const SimulationControl& control)
        : architecture_(architecture), floor_(floor), machine_(machine), control_(control) {}

    report::SimulatedLayer replay(const Replayed& subject) const {
        report::SimulatedLayer layer{.names = subject.names,
                                     .repeats = subject.repeats,
                                     .einsum = subject.einsum,
                                     .evaluation = {},
                                     .floor = {},
                                     .result = {},
                                     .failure = subject.failure};
        if (!layer.failure.empty()) return layer;
        if (control_.stop != nullptr && control_.stop->requested()) {
            layer.failure = "interrupted before it was simulated";
            return layer;
        }
        layer.failure = problem_of(layer.einsum, architecture_, *subject.mapping, subject.places, floor_, machine_);
        if (layer.failure.empty()) run(subject, layer);
        return layer;
    }

   private:
    void run(const Replayed& subject, report::SimulatedLayer& layer) const {
        const Mapping& mapping = *subject.mapping;
        try {
            layer.evaluation = evaluate(layer.einsum, architecture_, mapping);
            layer.floor = floor_;
            sim::ReplayControl replay;
            replay.stop = control_.stop;
            replay.trace = control_.trace;
            replay.most_cycles = subject.most_cycles;
            replay.progress = [&](std::int64_t done, std::int64_t steps) {
                if (control_.progress) control_.progress(layer.names.front(), done, steps);
            };
            if (machine_.cosa_network) {
                layer.result = sim::replay_on_cosa(sim::cosa_program(layer.einsum, architecture_, mapping, floor_),
                                                   floor_, machine_, replay);
                return;
            }
            sim::Program program = sim::program_of(layer.einsum, architecture_, mapping, control_.stop);
            program.floor = floor_;
            layer.result = sim::replay(layer.einsum, architecture_, program, layer.evaluation, machine_, replay);
        } catch (const sim::Interrupted&) {
            layer.failure = "interrupted before its steps were known";
        }
    }

    const Architecture& architecture_;
    const sim::Floor& floor_;
    const sim::MachineOptions& machine_;
    const SimulationControl& control_;
};

}  // namespace

std::string memory_name(const sim::MachineOptions& machine) {
    if (!machine.dram && !machine.cosa_network) return "";
    const sim::dram::MemoryOptions& options = machine.dram_options;
    const sim::OneReadMemory memory = machine.cosa_network
                                          ? sim::cosa_memory(machine, 0)
                                          : sim::OneReadMemory{.device = *machine.dram, .options = options};
    const bool in_turn = memory.options.controller.scheduling == sim::dram::Scheduling::round_robin;
    return memory.device.name + (in_turn ? " (round-robin controller)" : "") +
           (machine.cosa_network ? ", one read outstanding, CoSA's network" : "");
}

std::vector<Replayed> replayed(const Network& network, const std::vector<LayerMapping>& mappings) {
    std::vector<Replayed> all;
    for (const auto& [index, mapping, places] : mappings) {
        const Layer& layer = network.layers[index];
        const auto same = std::find_if(all.begin(), all.end(), [&, &given = mapping](const Replayed& one) {
            return one.einsum.dimensions == layer.einsum.dimensions && one.einsum.tensors == layer.einsum.tensors &&
                   *one.mapping == given;
        });
        if (same == all.end()) {
            all.push_back({.names = {layer.name},
                           .repeats = layer.repeats,
                           .einsum = layer.einsum,
                           .mapping = mapping,
                           .places = places});
        } else {
            same->names.push_back(layer.name);
            same->repeats += layer.repeats;
        }
    }
    return all;
}

std::vector<Replayed> replayed(const NetworkProblem& problem, const NetworkAnswer& answer) {
    std::vector<Replayed> all;
    for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
        const ShapeProblem& shape = problem.shapes[i];
        const LayerAnswer& layer = answer.layers[i];
        all.push_back(
            {shape.names, shape.repeats, layer.einsum, layer.mapping, layer.mapping ? "" : "no mapping was found"});
    }
    return all;
}

std::vector<report::SimulatedLayer> simulate_layers(const std::vector<Replayed>& layers,
                                                    const Architecture& architecture, const sim::Floor& floor,
                                                    const sim::MachineOptions& machine,
                                                    const SimulationControl& control) {
    require_threads(control.threads);
    const Replays replays(architecture, floor, machine, control);
    const int threads = control.threads > 0 ? control.threads : tbb::info::default_concurrency();
    std::vector<report::SimulatedLayer> simulated(layers.size());
    std::atomic<std::size_t> begun{0};
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(0, std::min(threads, static_cast<int>(layers.size())), [&](int) {
            for (std::size_t i = begun++; i < layers.size(); i = begun++) simulated[i] = replays.replay(layers[i]);
        });
    });
    return simulated;
}

namespace {

// The mapped layer, with padding. Padded forms are searched with perfect factors.
LayerProblem mapped_problem(const ShapeProblem& shape, const LayerAnswer& answer) {
    return {answer.einsum, shape.layer.architecture, shape.layer.constraints};
}

MapOptions inside(MapOptions options) {
    if (options.factors == FactorRule::padded) options.factors = FactorRule::perfect;
    return options;
}

// Simulation often finds mappings with many words slow: the least-energy ones count, too, besides the model's best.
std::vector<Objective> objectives_of(const MapOptions& options) {
    std::vector<Objective> objectives{options.objective};
    for (const ObjectiveKind kind : {ObjectiveKind::edp, ObjectiveKind::energy})
        if (kind != options.objective.kind) objectives.push_back({kind});
    return objectives;
}

/// The mappings around one, by each of the objectives.
std::vector<std::vector<Mapping>> around(const LayerProblem& problem, const Mapping& mapping,
                                         const RefineOptions& options, const StopSource* stop) {
    std::optional<TilingPoint> point = point_of(mapping, problem.einsum, problem.architecture);
    const Mapspace mapspace = mapspace_of(problem, inside(options.map));
    if (!point || !mapspace.problem().empty()) return {};
    mapspace.arrange(*point);  // a mapping has no places for loops that run once
    if (!mapspace.contains(*point)) return {};
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const ShortlistOptions list{.count = options.candidates, .seed = options.map.seed, .stop = stop};
    std::vector<std::vector<Mapping>> lists;
    for (const Objective& objective : objectives_of(options.map)) {
        lists.emplace_back();
        for (const FrontPoint& one : shortlist(mapspace, evaluator, *point, objective, list))
            lists.back().push_back(mapping_of(one.mapping, problem.einsum).value());
    }
    return lists;
}

/// The answer first, then the best of each list in turn.
std::vector<Mapping> dealt(const Mapping& answer, const std::vector<std::vector<Mapping>>& lists, std::size_t most) {
    std::vector<Mapping> mappings{answer};
    for (std::size_t place = 0; place < most; ++place)
        for (const std::vector<Mapping>& list : lists)
            if (place < list.size() && mappings.size() < most && std::ranges::count(mappings, list[place]) == 0)
                mappings.push_back(list[place]);
    return mappings;
}

report::Refinement candidates_of(const ShapeProblem& shape, const LayerAnswer& answer, const RefineOptions& options,
                                 const StopSource* stop) {
    const LayerProblem problem = mapped_problem(shape, answer);
    report::Refinement refinement;
    for (Mapping& mapping : dealt(*answer.mapping, around(problem, *answer.mapping, options, stop),
                                  static_cast<std::size_t>(options.candidates))) {
        const Evaluation evaluation = evaluate(problem.einsum, problem.architecture, mapping);
        refinement.candidates.push_back({std::move(mapping), evaluation.energy_pj, evaluation.cycles, {}, ""});
    }
    return refinement;
}

Score simulated_score(const report::RefinedCandidate& candidate, const Objective& objective) {
    return candidate.simulated_cycles ? objective.score(candidate.energy_pj, *candidate.simulated_cycles) : Score{};
}

void choose(report::Refinement& refinement, const Objective& objective) {
    for (std::size_t i = 1; i < refinement.candidates.size(); ++i)
        if (simulated_score(refinement.candidates[i], objective) <
            simulated_score(refinement.candidates[refinement.choice], objective))
            refinement.choice = i;
    const double own = simulated_score(refinement.candidates[0], objective).value;
    const double chosen = simulated_score(refinement.candidates[refinement.choice], objective).value;
    if (std::isfinite(own) && own > 0.0) refinement.gain = 1.0 - chosen / own;
}

void replace(const ShapeProblem& shape, const report::Refinement& refinement, LayerAnswer& answer) {
    if (refinement.choice == 0) return;
    answer.mapping = refinement.candidates[refinement.choice].mapping;
    answer.evaluation = evaluate(answer.einsum, shape.layer.architecture, *answer.mapping);
    if (!answer.search) return;
    answer.search->claim = refined_claim(*answer.search, refinement);
    answer.search->proven = false;
}

class Refining {
   public:
    Refining(const NetworkProblem& problem, const RefineOptions& options, const SimulationControl& control)
        : problem_(problem), options_(options), control_(control) {}

    std::vector<std::optional<report::Refinement>> run(NetworkAnswer& answer) {
        require_threads(control_.threads);
        list(answer);
        simulate(answer);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (!all_[i]) continue;
            choose(*all_[i], options_.map.objective);
            replace(problem_.shapes[i], *all_[i], answer.layers[i]);
        }
        return std::move(all_);
    }

   private:
    void list(const NetworkAnswer& answer) {
        all_.resize(answer.layers.size());
        tbb::task_arena arena(control_.threads > 0 ? control_.threads : tbb::info::default_concurrency());
        arena.execute([&] {
            tbb::parallel_for(std::size_t{0}, all_.size(), [&](std::size_t i) {
                if (answer.layers[i].mapping)
                    all_[i] = candidates_of(problem_.shapes[i], answer.layers[i], options_, control_.stop);
            });
        });
    }

    // The searches' own answers first: they limit the others.
    void simulate(const NetworkAnswer& answer) {
        for (const bool own : {true, false}) {
            std::vector<Replayed> subjects;
            std::vector<report::RefinedCandidate*> candidates;
            for (std::size_t i = 0; i < all_.size(); ++i) {
                if (!all_[i]) continue;
                for (report::RefinedCandidate& one : all_[i]->candidates) {
                    if ((&one == &all_[i]->candidates[0]) != own) continue;
                    subjects.push_back({problem_.shapes[i].names, 1, answer.layers[i].einsum, one.mapping});
                    if (!own) subjects.back().most_cycles = most_cycles(one, all_[i]->candidates[0]);
                    candidates.push_back(&one);
                }
            }
            simulate(subjects, candidates);
        }
    }

    void simulate(const std::vector<Replayed>& subjects, const std::vector<report::RefinedCandidate*>& candidates) {
        if (subjects.empty()) return;
        const std::vector<report::SimulatedLayer> simulated = simulate_layers(
            subjects, problem_.shapes.front().layer.architecture, options_.floor, options_.machine, control_);
        for (std::size_t i = 0; i < simulated.size(); ++i) take(simulated[i], subjects[i], *candidates[i]);
    }

    /// Most cycles of a candidate no worse than the search's answer, at most 16 times its cycles. Nothing: unknown.
    std::optional<sim::Cycle> most_cycles(const report::RefinedCandidate& candidate,
                                          const report::RefinedCandidate& own) const {
        if (!own.simulated_cycles) return std::nullopt;
        const Objective& objective = options_.map.objective;
        const Score limit = simulated_score(own, objective);
        constexpr std::int64_t kMostTimes = 16;  // of the cycles: an equal factor of energy may be saved
        std::int64_t enough = 0;
        std::int64_t too_many = saturating_mul(kMostTimes, *own.simulated_cycles);
        while (too_many - enough > 1) {
            const std::int64_t middle = enough + (too_many - enough) / 2;
            (objective.score(candidate.energy_pj, middle) <= limit ? enough : too_many) = middle;
        }
        return enough;
    }

    void take(const report::SimulatedLayer& simulated, const Replayed& subject,
              report::RefinedCandidate& candidate) const {
        candidate.failure = simulated.failure;
        if (candidate.failure.empty() && simulated.result.interrupted)
            candidate.failure = control_.stop != nullptr && control_.stop->requested()
                                    ? "interrupted while it was simulated"
                                    : fmt::format("not done in {} cycles: not simulated further",
                                                  count_text(subject.most_cycles.value_or(0)));
        if (candidate.failure.empty()) candidate.simulated_cycles = simulated.result.cycles;
    }

    const NetworkProblem& problem_;
    const RefineOptions& options_;
    const SimulationControl& control_;
    std::vector<std::optional<report::Refinement>> all_;  ///< by shape
};

}  // namespace

std::vector<std::optional<report::Refinement>> refine(const NetworkProblem& problem, const RefineOptions& options,
                                                      NetworkAnswer& answer, const SimulationControl& control) {
    return Refining(problem, options, control).run(answer);
}

}  // namespace tilewright
