#include "report/simulation/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

/// Less is not worth a name.
constexpr double kWorthNaming = 0.01;
/// Sums of shares are off by less.
constexpr double kRounding = 1e-6;

double number(std::int64_t count) { return static_cast<double>(count); }

struct WeightedPart {
    std::string name;
    double weight = 0.0;
};

constexpr std::array<const char*, sim::dram::kLost> kLostNames{"refresh", "row changes", "turnaround",
                                                               "command spacing"};

/// Clocks of a DRAM by cause.
std::vector<WeightedPart> dram_parts(const std::string& memory, const sim::dram::Counts& counts) {
    std::vector<WeightedPart> parts{{memory + " bandwidth", number(counts.busy)}};
    for (std::size_t i = 0; i < kLostNames.size(); ++i)
        parts.push_back({memory + " " + kLostNames[i], number(counts.lost[i])});
    return parts;
}

/// `cycles`, divided in proportion to the weights; all in the first part without weights.
void add_divided(std::vector<Term>& terms, const std::vector<WeightedPart>& parts, double model, double cycles) {
    double sum = 0.0;
    for (const WeightedPart& part : parts) sum += part.weight;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double share = sum > 0.0 ? parts[i].weight / sum : i == 0 ? 1.0 : 0.0;
        terms.push_back({parts[i].name, i == 0 ? model : 0.0, share * cycles});
    }
}

/// The model's cycles of the elements, with memories inside them.
double inside_elements(const SimulatedLayer& layer) {
    std::int64_t cycles = layer.evaluation.compute_cycles;
    for (std::size_t m = static_cast<std::size_t>(layer.floor.element); m < layer.evaluation.memories.size(); ++m)
        cycles = std::max(cycles, layer.evaluation.memories[m].cycles);
    return number(cycles);
}

constexpr const char* kTermsHeader = "network,architecture,memory,layer,repeats,term,model_cycles,simulated_cycles\n";

template <class SomeLayer>
std::string term_rows(const std::string& before, const SomeLayer& layer, const std::vector<Term>& terms) {
    const std::string start = fmt::format("{},{},{}", before, csv_cell(layer.names.front()), layer.repeats);
    if (!layer.failure.empty()) return start + ",not_simulated,,\n";
    std::string rows;
    for (const Term& term : terms)
        rows += fmt::format("{},{},{},{}\n", start, csv_cell(term.name), csv_number(term.model_cycles),
                            csv_number(term.simulated_cycles));
    return rows;
}

}  // namespace

std::vector<Term> terms_of(const SimulatedLayer& layer) {
    const sim::ReplayResult& r = layer.result;
    const Evaluation& model = layer.evaluation;
    const double working = std::max(1, r.elements.working);
    const double inside = inside_elements(layer);
    const double latency = number(model.link_latency_cycles);
    const double bandwidth = std::max(0.0, number(model.cycles) - latency - inside);  // of the bounding memory
    const auto waited = [&](sim::Wait why) {
        return number(r.elements.waits[static_cast<std::size_t>(why)]) / working;
    };

    // The model has all elements compute as long as the busiest: known.
    const double computing = number(r.elements.computing) / working;
    const double model_inside = std::min(inside, number(model.cycles));
    const double model_for_others = r.interrupted ? 0.0 : std::max(0.0, model_inside - computing);
    std::vector<Term> terms{{"computing", model_inside - model_for_others, computing},
                            {"waiting for others", model_for_others, 0.0},
                            {"filling", 0.0, number(r.elements.filling) / working}};
    const std::string& outermost = model.memories.front().name;
    const bool inner_bounds = model.bounding_memory > 0;
    const std::vector<WeightedPart> parts =
        r.dram.busy > 0 ? dram_parts(outermost, r.dram) : std::vector<WeightedPart>{{outermost + " bandwidth", 1.0}};
    add_divided(terms, parts, inner_bounds ? 0.0 : bandwidth, waited(sim::Wait::outermost));
    const std::string inner = inner_bounds ? model.memories[model.bounding_memory].name : std::string("inner memory");
    terms.push_back({inner + " bandwidth", inner_bounds ? bandwidth : 0.0, waited(sim::Wait::memories)});
    if (const double banks = waited(sim::Wait::banks); banks > 0.0) terms.push_back({"bank conflicts", 0.0, banks});
    terms.push_back({"links", 0.0, waited(sim::Wait::links)});
    terms.push_back({"room for the next tile", 0.0, waited(sim::Wait::room)});
    terms.push_back({"partial sums", 0.0, waited(sim::Wait::sums)});
    terms.push_back({"network latency", latency, waited(sim::Wait::flight)});
    terms.push_back({"draining", 0.0, number(r.draining)});
    double rest = number(r.cycles);
    for (const Term& term : terms) rest -= term.simulated_cycles;
    terms[1].simulated_cycles = std::abs(rest) < kRounding ? 0.0 : rest;
    return terms;
}

std::vector<Term> terms_of(const ReplayedLayer& layer, const sim::npu::ReplayOptions& options) {
    const sim::npu::Replay& r = layer.result;
    std::vector<Term> terms{{"computing", number(r.ideal_path.computing), number(r.path.computing), true},
                            {"moving", number(r.ideal_path.moving), number(r.path.moving), true},
                            {"idle times", number(layer.scheduled_cycles - r.ideal_cycles), 0.0, true}};
    if (!options.dram) return terms;
    const std::string& name = options.dram->name;
    const double per_cycle = 1000.0 / options.clock_ghz / options.dram->timing.clock_ps *
                             options.dram_options.channels *
                             (options.dram->organisation.own_data_bus ? options.dram->organisation.ranks : 1);
    std::int64_t wanted = 0;
    std::int64_t least = 0;
    for (const schedule::Transfer& one : r.schedule.transfers) {
        wanted += one.bytes;
        least += schedule::transfer_cycles(layer.problem.machine, one.bytes);
    }
    const double accessed = number((r.dram_reads + r.dram_writes) * options.dram->organisation.access_bytes());
    const double busy = number(r.dram.busy) / per_cycle;
    const double useful = accessed > 0.0 ? busy * number(wanted) / accessed : 0.0;
    const double channels = number(layer.problem.machine.dma_channels);
    double beyond = std::max(0.0, number(r.channel_cycles - least) / channels);
    std::vector<WeightedPart> parts{{name + " latency", 0.0}};
    const auto take = [&](const std::string& part, double cycles) {
        parts.push_back({part, std::clamp(cycles, 0.0, beyond)});
        beyond -= parts.back().weight;
    };
    take(name + " bandwidth", useful - number(least) / channels);
    take(name + " bytes beside those wanted", busy - useful);
    for (std::size_t i = 0; i < kLostNames.size(); ++i)
        take(name + " " + kLostNames[i], number(r.dram.lost[i]) / per_cycle);
    parts.front().weight = beyond;  // the first access of a transfer, alone on its channel
    add_divided(terms, parts, 0.0, number(r.path.memory));
    terms.push_back({"draining", 0.0, number(r.path.draining)});
    return terms;
}

std::optional<Term> underestimated(const std::vector<Term>& terms) {
    double model = 0.0;
    double beyond = 0.0;
    const Term* most = nullptr;
    for (const Term& term : terms) {
        model += term.model_cycles;
        beyond += term.beyond();
        if (!term.known && (most == nullptr || term.beyond() > most->beyond())) most = &term;
    }
    if (most == nullptr || beyond <= kWorthNaming * model) return std::nullopt;
    return *most;
}

std::string underestimated_text(const std::vector<Term>& terms) {
    const std::optional<Term> most = underestimated(terms);
    if (!most) return "";
    double simulated = 0.0;
    for (const Term& term : terms) simulated += term.simulated_cycles;
    return fmt::format("{}, {:.1f} %", most->name, 100.0 * most->beyond() / simulated);
}

std::string simulation_csv(const Simulation& simulation) {
    const std::string before = fmt::format("{},{},{}", csv_cell(simulation.network),
                                           csv_cell(simulation.architecture.name), csv_cell(simulation.memory));
    std::string text = kTermsHeader;
    for (const SimulatedLayer& layer : simulation.layers)
        text += term_rows(before, layer, layer.failure.empty() ? terms_of(layer) : std::vector<Term>{});
    return text;
}

std::string replay_csv(const ScheduleReplay& replay) {
    const std::string memory = replay.options.dram ? replay.options.dram->name : "";
    const std::string before = fmt::format(",{},{}", csv_cell(replay.machine.name), csv_cell(memory));
    std::string text = kTermsHeader;
    for (const ReplayedLayer& layer : replay.layers)
        text += term_rows(before, layer, layer.failure.empty() ? terms_of(layer, replay.options) : std::vector<Term>{});
    return text;
}

}  // namespace tilewright::report
