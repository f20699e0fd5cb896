#include "run/physical/physical_latency.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "run/composition.hpp"
#include "silicon/accelerator/blocks.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/kernels/product.hpp"
#include "silicon/systolic/latency.hpp"

namespace tilewright {
namespace {

using Answer = std::variant<PhysicalLatency, std::string>;

Answer on(const silicon::SystolicMachine& machine, const Einsum& einsum, const Architecture& architecture,
          const Mapping& mapping) {
    const auto layer = silicon::tiled_layer(einsum, architecture, mapping);
    if (const auto* refusal = std::get_if<std::string>(&layer)) return *refusal;
    return physical_latency(silicon::systolic_latency(std::get<silicon::TiledLayer>(layer), machine), architecture);
}

// Words that pass once: what is no product of two tensors.
Answer pass(const Einsum& einsum, const Architecture& architecture, const silicon::Silicon& silicon) {
    const auto& machine = std::get<silicon::KernelMachine>(silicon.machine);
    double bytes = 0.0;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const std::int64_t bits = einsum.tensors[t].bits > 0 ? einsum.tensors[t].bits : machine.word_bytes * 8;
        bytes += static_cast<double>(tensor_words(einsum, t)) * static_cast<double>(bits) / 8.0;
    }
    const double us = silicon.accelerator ? silicon::pointwise_us(*silicon.accelerator, bytes, 1.0)
                                          : silicon::stream_us({.ideal_bytes = bytes, .bytes = bytes}, machine);
    const double launch_us = machine.calibration.launch_us;
    return PhysicalLatency{us / (architecture.cycle_seconds * 1e6), us, 2.0 * launch_us > us ? "launch" : "memory"};
}

template <class Machine>
Answer of_blocks(const silicon::ImplicitProduct& product, const silicon::BlockMapping& given, const Machine& machine,
                 const Architecture& architecture) {
    const auto run = silicon::latency_of_blocks(product, given, machine);
    const silicon::Product& each = product.batch.each;
    if (!run)
        return fmt::format(
            "no kernel that the machine has for a product of {} x {} x {} makes blocks of {} x {} results with the "
            "reduction in {} parts (docs/silicon.md)",
            each.rows, each.columns, each.depth, given.tile.rows, given.tile.columns, given.split);
    return physical_latency(*run, architecture);
}

Answer on_kernels(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                  const silicon::Silicon& silicon) {
    const auto& machine = std::get<silicon::KernelMachine>(silicon.machine);
    const auto found = silicon::implicit_product(einsum);
    const auto* product = std::get_if<silicon::ImplicitProduct>(&found);
    if (product == nullptr) return pass(einsum, architecture, silicon);
    if (!machine.has_blocks()) return physical_latency(silicon::batch_latency(product->batch, machine), architecture);
    const auto blocks = silicon::blocks_of(einsum, architecture, mapping, machine);
    if (const auto* refusal = std::get_if<std::string>(&blocks)) return *refusal;
    const auto& given = std::get<silicon::BlockMapping>(blocks);
    if (silicon.accelerator) return of_blocks(*product, given, *silicon.accelerator, architecture);
    return of_blocks(*product, given, machine, architecture);
}

}  // namespace

Answer physical_latency(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                        const silicon::Silicon& silicon) {
    if (const auto* machine = std::get_if<silicon::SystolicMachine>(&silicon.machine))
        return on(*machine, einsum, architecture, mapping);
    return on_kernels(einsum, architecture, mapping, silicon);
}

PhysicalLatency physical_latency(const silicon::SystolicLatency& latency, const Architecture& architecture) {
    return {latency.cycles, latency.cycles * architecture.cycle_seconds * 1e6, latency.bound};
}

PhysicalLatency physical_latency(const silicon::ProductLatency& latency, const Architecture& architecture) {
    const bool by_memory = latency.memory_us > latency.block_us;
    const char* bound = by_memory ? "memory" : latency.inlet_binds ? "inlets of multiprocessors" : "compute";
    if (latency.launch_us > std::max(latency.memory_us, latency.block_us)) bound = "launch";
    return {latency.us / (architecture.cycle_seconds * 1e6), latency.us, bound};
}

bool waits_for_memory(const PhysicalLatency& latency) {
    constexpr std::array kMoving{"load", "store", "memory", "inlets of multiprocessors"};
    return std::ranges::find(kMoving, latency.bound) != kMoving.end();
}

namespace {

std::string nine_of_ten_text(const silicon::Measured& measured) {
    if (!measured.nine_of_ten) return "";
    return fmt::format(", by at most {:.0f} % in nine of ten", 100.0 * *measured.nine_of_ten);
}

// Errors of machines without calibration, of docs/evidence/accelerators.md: bfloat16 products, medians of A100,
// H100, H200, B200 and GB200.
constexpr const char* kBlind =
    "with the calibration of a relative such predictions were off by 4 to 16 % in the median on five other machines";
constexpr const char* kWithoutForm =
    "the kernels of its generation have no form here: predictions by the general form were off by 7 to 13 % in the "
    "median "
    "on five other machines, and by 7 to 19 % with the calibration of a relative";

std::string not_measured_text(const silicon::Silicon& silicon) {
    if (silicon.accelerator && !silicon.accelerator->inherited_of.empty())
        return fmt::format("no row of this machine was measured; its calibration is that of {}: {}",
                           silicon.accelerator->inherited_of, kBlind);
    const auto* kernels = std::get_if<silicon::KernelMachine>(&silicon.machine);
    if (kernels != nullptr && !silicon.accelerator)
        return fmt::format("no prediction of this machine as built was measured yet; {}", kWithoutForm);
    return "no prediction of this machine as built was measured yet";
}

}  // namespace

std::vector<std::string> physical_caveats(const silicon::Silicon& silicon) {
    std::vector<std::string> notes;
    if (!silicon.left_out.empty()) notes.push_back("cycles as built leave out: " + silicon.left_out);
    if (silicon.measured)
        notes.push_back(fmt::format(
            "such predictions were off by {:.1f} % in the median{} and {:.0f} % at worst, in {} measured "
            "cases: {}; a layer that is not among them may be further off than the worst",
            100.0 * silicon.measured->median_error, nine_of_ten_text(*silicon.measured),
            100.0 * silicon.measured->worst_error, count_text(silicon.measured->cases), silicon.measured->by));
    else
        notes.push_back(not_measured_text(silicon));
    return notes;
}

namespace {

std::int64_t whole_cycles(const PhysicalLatency& latency) {
    return std::max<std::int64_t>(1, std::llround(latency.cycles));
}

// What leaks follows from the time; the sums are those of the exact model.
void add_up(double longer, Evaluation& all) {
    all.compute_leakage_pj *= longer;
    all.energy_pj = all.compute_energy_pj + all.compute_leakage_pj;
    for (MemoryEvaluation& memory : all.memories) {
        memory.leakage_pj *= longer;
        memory.energy_pj = memory.leakage_pj;
        for (const TensorTraffic& traffic : memory.tensors)
            memory.energy_pj += traffic.energy_pj + traffic.address_energy_pj;
        all.energy_pj += memory.energy_pj + memory.link_energy_pj;
    }
}

void take(const PhysicalLatency& found, const Architecture& architecture, report::LayerResult& layer) {
    layer.as_built =
        report::AsBuilt{found.cycles, found.us * 1e-6, found.bound, waits_for_memory(found), layer.evaluation->cycles};
    layer.evaluation = with_cycles(*layer.evaluation, architecture, whole_cycles(found));
}

// A sentence for each reason, with the layers that it is of.
void add_reasons(report::Report& report) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const report::LayerResult& layer : report.layers) {
        if (layer.not_as_built.empty()) continue;
        auto found = std::ranges::find(reasons, layer.not_as_built, &decltype(reasons)::value_type::first);
        if (found == reasons.end()) found = reasons.insert(reasons.end(), {layer.not_as_built, {}});
        found->second.push_back(layer.names.front());
    }
    for (const auto& [reason, layers] : reasons)
        report.notes.push_back(fmt::format("no time as built of {}: {}", list_words(layers), reason));
}

}  // namespace

Evaluation with_cycles(const Evaluation& plain, const Architecture& architecture, std::int64_t cycles) {
    Evaluation all = plain;
    const std::int64_t leaking = plain.cycles - plain.link_latency_cycles;
    all.cycles = cycles;
    all.link_latency_cycles = 0;
    all.bounding_memory = -1;
    all.utilization = static_cast<double>(all.computes) / static_cast<double>(architecture.compute.instances) /
                      static_cast<double>(cycles);
    add_up(leaking > 0 ? static_cast<double>(cycles) / static_cast<double>(leaking) : 1.0, all);
    return all;
}

std::string why_not_as_built(const LayerProblem& problem) {
    std::vector<Capability> together = capabilities_of(problem, {});
    together.push_back(Capability::as_built);
    return refusal(together);
}

void take_time_as_built(const silicon::Silicon& silicon, report::Report& report) {
    bool any = false;
    for (report::LayerResult& layer : report.layers) {
        if (!layer.mapping || !layer.evaluation || !layer.not_as_built.empty()) continue;
        auto latency = physical_latency(layer.einsum, report.architecture, *layer.mapping, silicon);
        if (auto* refusal = std::get_if<std::string>(&latency)) {
            layer.not_as_built = std::move(*refusal);
            continue;
        }
        any = true;
        take(std::get<PhysicalLatency>(latency), report.architecture, layer);
    }
    add_reasons(report);
    if (!any) return;
    for (std::string& note : physical_caveats(silicon)) report.notes.push_back(std::move(note));
}

std::vector<std::string> time_as_built_notes(const silicon::Silicon& silicon, const NetworkProblem& problem,
                                             report::Report report) {
    constexpr const char* kHow = "; --latency physical finds the least such time";
    for (const ShapeProblem& shape : problem.shapes)
        if (!why_not_as_built(shape.layer).empty()) return {};
    take_time_as_built(silicon, report);
    const std::int64_t mapped = report::totals(report).layers - report::totals(report).missing;
    std::erase_if(report.layers, [](const report::LayerResult& layer) { return !layer.as_built; });
    const report::Totals sum = report::totals(report);
    if (sum.layers == 0)
        return {std::string("as built (docs/silicon.md) the time of these mappings is not known") + kHow};
    const std::string known = sum.layers == mapped ? ""
                                                   : fmt::format(" in {} of {} layers; of the others that is not known",
                                                                 count_text(sum.layers), count_text(mapped));
    return {fmt::format("as built (docs/silicon.md) these mappings take {} cycles ({}){}{}", count_text(sum.cycles),
                        si_text(static_cast<double>(sum.cycles) * report.architecture.cycle_seconds, "s"), known,
                        kHow)};
}

}  // namespace tilewright
