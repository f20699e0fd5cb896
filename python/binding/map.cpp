// map(): what `tilewright map` does with a machine and a network.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/report.hpp"
#include "run/claim.hpp"
#include "run/composition.hpp"
#include "run/explore/design_knobs.hpp"
#include "run/map_network.hpp"
#include "run/physical/map_physically.hpp"
#include "run/physical/physical_latency.hpp"
#include "run/report_of.hpp"
#include "run/simulate/simulate_network.hpp"
#include "run/what_if/what_if.hpp"
#include "run/words.hpp"
#include "values.hpp"
#include "wishes.hpp"
#include "work.hpp"
#include "zeros.hpp"

namespace tilewright::python {

const silicon::Silicon* as_built(const Wishes& wishes, const Machine& machine) {
    if (wishes.latency.empty() || wishes.latency == "plain") return nullptr;
    if (wishes.latency != "physical") refuse_choice("latency", wishes.latency, {"physical", "plain"});
    if (machine.silicon() == nullptr)
        throw InputError(
            ErrorCode::usage, {},
            "latency='physical' needs a machine with a section 'silicon' (docs/silicon.md), such as gemmini");
    return machine.silicon();
}

SearchSettings settings_of(const Wishes& wishes, const Machine& machine) {
    SearchWishes asked{.mapper = std::nullopt,
                       .objective = wishes.objective.value_or(as_built(wishes, machine) ? "latency" : ""),
                       .factors = wishes.factors.value_or(""),
                       .uneven = wishes.uneven,
                       .seed = wishes.seed,
                       .threads = wishes.threads,
                       .evaluations = wishes.evaluations,
                       .victory = wishes.victory,
                       .largest_space = wishes.largest_space,
                       .streams = wishes.streams,
                       .timeout = wishes.timeout,
                       .time_limit_seconds = wishes.time_limit,
                       .layer_time_limit_seconds = wishes.layer_time_limit,
                       .dashes = ""};
    if (wishes.mapper) {
        asked.mapper = mapper_kind_named(*wishes.mapper);
        if (!asked.mapper) refuse_choice("mapper", *wishes.mapper, mapper_names());
    }
    if (wishes.factors && !factor_rule_named(*wishes.factors))
        refuse_choice("factors", *wishes.factors, factor_rule_names());
    return machine.settled(asked);
}

DetailsOf details_of(const ReadNetwork& network, const SparseFiles& zeros, const Architecture& architecture) {
    return [&network, &zeros, &architecture](std::size_t layer) {
        LayerDetails details;
        if (!network.words.empty()) details.words = network.words[layer];
        details.zeros = zeros.design(network.network.layers[layer], architecture);
        return details;
    };
}

Progress progress_of(const NetworkProblem& problem, const NetworkProgress& now) {
    using Event = NetworkProgress::Event;
    Progress progress;
    progress.event = now.event == Event::begins ? "begins" : now.event == Event::ends ? "ends" : "searches";
    progress.layer = problem.shapes[now.shape].names.front();
    progress.done = static_cast<std::int64_t>(now.done);
    progress.total = static_cast<std::int64_t>(now.shapes);
    if (now.search == nullptr) return progress;
    progress.sampled = now.search->sampled;
    progress.valid = now.search->valid;
    progress.lower_bound = now.search->lower_bound;
    if (!now.search->found) return progress;
    progress.energy_pj = now.search->energy_pj;
    progress.cycles = now.search->cycles;
    progress.objective = now.search->objective;
    return progress;
}

namespace {

NetworkAnswer search(const NetworkProblem& problem, const MapOptions& options, AnswerCache& cache,
                     const silicon::Silicon* built, const StopSource& stop, Watch& watch) {
    NetworkControl control{.cache = &cache, .stop = &stop};
    if (built != nullptr) control.map_shape = physical_mapper(problem, *built);
    if (watch.has_callback())
        control.progress = [&](const NetworkProgress& now) {
            watch.tell([&] { return py::cast(progress_of(problem, now)); });
        };
    return map_network(problem, options, control);
}

constexpr int kMostCandidates = 1000;

// Nothing where nothing is to be simulated.
std::optional<RefineOptions> refinement_of(const Wishes& wishes, const MapOptions& options,
                                           const Architecture& architecture) {
    const auto fail = [](const std::string& why) { throw InputError(ErrorCode::usage, {}, why); };
    if (!wishes.refine) {
        if (wishes.candidates) fail("candidates is for refine='simulate'");
        if (wishes.machine) fail("machine is for refine='simulate': nothing else here is simulated");
        return std::nullopt;
    }
    if (*wishes.refine != "simulate") refuse_choice("refine", *wishes.refine, {"simulate"});
    const SimulatedMachine machine = wishes.machine.value_or(SimulatedMachine{});
    RefineOptions refinement{
        .map = options, .machine = machine_options(machine), .floor = floor_of(machine, architecture)};
    refinement.candidates = wishes.candidates.value_or(refinement.candidates);
    if (refinement.candidates < 1 || refinement.candidates > kMostCandidates)
        fail("candidates takes 1 to 1000, found " + std::to_string(refinement.candidates));
    return refinement;
}

// By layer of the report; what was interrupted before it says so in its candidates.
void refine_report(const NetworkProblem& problem, const RefineOptions& options, NetworkAnswer& answer,
                   const StopSource& stop, Watch& watch, std::vector<std::optional<report::Refinement>>& refined) {
    SimulationControl control{.threads = options.map.threads, .stop = &stop};
    if (watch.has_callback())
        control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t steps) {
            watch.tell(
                [&] { return py::cast(Progress{.event = "steps", .layer = layer, .done = done, .total = steps}); });
        };
    refined = refine(problem, options, answer, control);
    answer.interrupted = answer.interrupted || stop.requested();
}

std::vector<sparse::Design> designs_of(const NetworkProblem& problem) {
    std::vector<sparse::Design> designs;
    for (const ShapeProblem& shape : problem.shapes)
        if (shape.layer.zeros) designs.push_back(*shape.layer.zeros);
    return designs;
}

void refuse_together(const NetworkProblem& problem, const MapOptions& options, const Wishes& wishes) {
    std::vector<Capability> together = capabilities_of(problem, options);
    if (wishes.refine) together.push_back(Capability::refinement);
    if (wishes.latency == "physical") together.push_back(Capability::as_built);
    if (const std::string why = refusal(together); !why.empty()) throw InputError(ErrorCode::usage, {}, why);
}

/// What a report is made of, beside the answers.
struct Subject {
    const ReadNetwork& network;
    const Machine& machine;
    const Wishes& wishes;
    const SearchSettings& settings;
    const NetworkProblem& problem;
    const silicon::Silicon* built;  ///< null: its time was not asked for
};

// `told`: of densities; `of_time`: of the time as built.
std::vector<std::string> all_notes(const Subject& of, const std::vector<std::string>& told,
                                   const std::vector<std::string>& of_time, const std::vector<std::string>& block_words,
                                   const report::Report& report) {
    std::vector<std::string> notes = notes_of(of.machine, of.network);
    add_design_notes(designs_of(of.problem), of.machine, notes);
    for (const auto* more : {&told, &block_words, &of.settings.notes, &of_time})
        notes.insert(notes.end(), more->begin(), more->end());
    if (const silicon::Silicon* silicon = of.machine.silicon(); silicon != nullptr && of.wishes.latency.empty())
        for (std::string& note : time_as_built_notes(*silicon, of.problem, report)) notes.push_back(std::move(note));
    for (std::string& note : energy_range_notes(report)) notes.push_back(std::move(note));
    if (std::string note = unproven_note(report, of.settings.map); !note.empty()) notes.push_back(std::move(note));
    return notes;
}

report::Provenance provenance_of(const Subject& of, const std::vector<std::string>& block_words,
                                 const std::optional<RefineOptions>& refinement) {
    report::Provenance provenance = provenance_of("map", of.machine, of.network);
    provenance.seed = of.settings.map.seed;
    provenance.options = provenance_options(of.settings.map, of.settings.objective, of.settings.factors);
    if (of.built != nullptr) provenance.options.emplace_back("latency", "physical");
    if (!block_words.empty()) provenance.options.emplace_back(kBlocksOption, list_words(block_words));
    if (refinement) {
        provenance.options.emplace_back("refine", *of.wishes.refine);
        provenance.options.emplace_back("candidates", std::to_string(refinement->candidates));
    }
    return provenance;
}

// (report, whether Ctrl-C ended it)
std::pair<std::shared_ptr<report::Report>, bool> searched(const ReadNetwork& network, const Machine& machine,
                                                          const Wishes& wishes, const std::vector<DensityWord>& density,
                                                          py::object progress) {
    const SearchSettings settings = settings_of(wishes, machine);
    std::vector<std::string> told;
    const SparseFiles zeros = zeros_of(network, machine, density, told);
    const Architecture& architecture = machine.architecture();
    const std::optional<RefineOptions> refinement = refinement_of(wishes, settings.map, architecture);
    const NetworkProblem problem =
        network_problem(network.network, architecture, machine.constraints(), details_of(network, zeros, architecture));
    refuse_together(problem, settings.map, wishes);
    const Subject subject{network, machine, wishes, settings, problem, as_built(wishes, machine)};
    Watch watch(std::move(progress), wishes.stop);
    std::vector<std::optional<report::Refinement>> refined;
    const NetworkAnswer answer = watch.run([&](const StopSource& stop) {
        NetworkAnswer found = search(problem, settings.map, wishes.cache->answers(), subject.built, stop, watch);
        if (refinement) refine_report(problem, *refinement, found, stop, watch, refined);
        return found;
    });
    auto report = std::make_shared<report::Report>(report_of(network.network, architecture, problem, answer));
    for (report::LayerResult& layer : report->layers) name_density_sources(zeros, network.network, layer);
    if (subject.built != nullptr) take_time_as_built(*subject.built, *report);
    const std::vector<std::string> of_time = std::exchange(report->notes, {});
    for (std::size_t i = 0; i < refined.size(); ++i) report->layers[i].refinement = std::move(refined[i]);
    const std::vector<std::string> block_words = block_notes(network.network, network.words);
    report->notes = all_notes(subject, told, of_time, block_words, *report);
    report->provenance = provenance_of(subject, block_words, refinement);
    return {report, watch.interrupted()};
}

// All that decides the report of a call but its machine; "" where the report is of this call alone.
std::string key_of(const ReadNetwork& network, const Wishes& wishes, const std::vector<DensityWord>& density,
                   const py::object& progress) {
    if (!progress.is_none() || wishes.refine || (wishes.stop && wishes.stop->requested())) return "";
    const auto text = [](const auto& wish) { return wish ? fmt::format("{} ", *wish) : std::string("- "); };
    std::string key = text(wishes.objective) + text(wishes.mapper) + text(wishes.factors) + text(wishes.seed) +
                      text(wishes.evaluations) + text(wishes.victory) + text(wishes.largest_space) +
                      text(wishes.streams) + text(wishes.timeout) + text(wishes.time_limit) +
                      text(wishes.layer_time_limit) + wishes.latency + (wishes.uneven ? " uneven " : " ");
    for (const DensityWord& word : density) {
        const auto* words = std::get_if<std::string>(&word);
        key += words != nullptr ? *words + " " : std::get<1>(word).first + "=" + std::get<1>(word).second + " ";
    }
    for (const report::Input& input : network.inputs) key += input.name + " " + input.xxh3 + " ";
    for (const std::string& note : network.notes) key += note + " ";
    for (const std::string& layer : network.left_out) key += layer + " ";
    return key + identity_of(network);
}

// Limits of time and stops make it another one the next time, but for proofs.
bool is_worth_keeping(const Wishes& wishes, const report::Report& report) {
    if (report.interrupted) return false;
    const bool limited = wishes.time_limit || wishes.layer_time_limit;
    return !limited || is_proven(report);
}

py::tuple map(const ReadNetwork& network, const NamedMachine& machine, const Wishes& wishes,
              const std::vector<DensityWord>& density, py::object progress) {
    const std::string key = key_of(network, wishes, density, progress);
    if (!key.empty())
        if (const auto known = wishes.cache->report(machine, key)) return py::make_tuple(known, false, py::list());
    const auto [report, interrupted] = searched(network, machine.machine, wishes, density, std::move(progress));
    if (!key.empty() && is_worth_keeping(wishes, *report)) wishes.cache->keep(machine, key, report);
    return py::make_tuple(report, interrupted, wishes.cache->take_warnings());
}

}  // namespace

void bind_map(py::module_& module) {
    py::class_<SharedCache, std::shared_ptr<SharedCache>>(module, "AnswerCache")
        .def(py::init<std::optional<std::filesystem::path>>(), py::arg("directory"))
        .def("found", &SharedCache::found);
    py::class_<Wishes>(module, "MapOptions")
        .def(py::init<>())
        .def_readwrite("objective", &Wishes::objective)
        .def_readwrite("mapper", &Wishes::mapper)
        .def_readwrite("factors", &Wishes::factors)
        .def_readwrite("uneven", &Wishes::uneven)
        .def_readwrite("seed", &Wishes::seed)
        .def_readwrite("threads", &Wishes::threads)
        .def_readwrite("evaluations", &Wishes::evaluations)
        .def_readwrite("victory", &Wishes::victory)
        .def_readwrite("largest_space", &Wishes::largest_space)
        .def_readwrite("streams", &Wishes::streams)
        .def_readwrite("timeout", &Wishes::timeout)
        .def_readwrite("time_limit", &Wishes::time_limit)
        .def_readwrite("layer_time_limit", &Wishes::layer_time_limit)
        .def_readwrite("cache", &Wishes::cache)
        .def_readwrite("latency", &Wishes::latency)
        .def_readwrite("stop", &Wishes::stop)
        .def_readwrite("refine", &Wishes::refine)
        .def_readwrite("candidates", &Wishes::candidates)
        .def_readwrite("machine", &Wishes::machine);
    module.def("map", &map, py::arg("network"), py::arg("architecture"), py::arg("options"), py::arg("density"),
               py::arg("progress"));
    module.def("mappers", &mapper_names);
    module.def("factor_rules", &factor_rule_names);
    module.def("is_search_knob", &is_search_knob);
    module.def("check_search_value", [](const std::string& knob, const std::string& value, const std::string& place) {
        check_search_value({knob, {value}, {place}}, value);
    });
}

}  // namespace tilewright::python
