#include "report/views/overview.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::views {
namespace {

constexpr const char* kUnits = "compute units";

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

// A layer with no claim of its own counts against "proven".
void add_proof(const Run& run, Overview& overview) {
    bool searched = false;
    for (const Layer& layer : run.layers) {
        if (!layer.costs) continue;
        ++overview.shapes;
        if (!layer.costs->on_vector_unit) ++overview.chosen;
        if (layer.search) searched = true;
        if (layer.search && layer.search->proven) ++overview.proven;
    }
    if (searched) overview.proof = fmt::format("{} of {} shapes proven optimal", overview.proven, overview.chosen);
}

void add_limits(const Run& run, double cycles, Overview& overview) {
    for (const Layer& layer : run.layers) {
        if (!layer.costs || layer.costs->bound.empty()) continue;
        const std::string& memory = layer.costs->bound_memory;
        const std::string what = memory.empty() ? layer.costs->computed_by() : memory;
        auto found = std::ranges::find(overview.limits, what, &Limit::what);
        if (found == overview.limits.end()) found = overview.limits.insert(overview.limits.end(), {what, 0.0, 0.0});
        ++found->shapes;
        if (cycles > 0.0) found->cycles_share += layer.costs->cycles * layer.repeats / cycles;
    }
    std::ranges::stable_sort(overview.limits, std::ranges::greater{}, &Limit::cycles_share);
}

std::string sentence_of(const Limit& limit, double shapes) {
    const char* bounds = limit.what == kUnits ? "bound" : "bounds";
    std::string what = limit.what;
    if (limit.what == kUnits) what = "Compute units";
    if (limit.what == report::kVectorUnit) what = "The vector unit";
    return fmt::format("{} {} the latency of {} of {} shapes, with {} of the cycles.", what, bounds, limit.shapes,
                       shapes, percent(limit.cycles_share));
}

double idle_of(const Layer& layer) {
    return layer.costs ? (1.0 - layer.costs->utilization) * layer.costs->cycles * layer.repeats : 0.0;
}

void add_idleness(const Run& run, const Totals& sum, Overview& overview) {
    if (!(run.units > 0.0) || !(sum.cycles > 0.0)) return;
    const double idle = 1.0 - sum.computes / (run.units * sum.cycles);
    if (idle < 0.0005) return overview.findings.emplace_back("All compute units are at work all the time."), void();
    const auto worst = std::ranges::max_element(run.layers, {}, idle_of);
    overview.findings.push_back(
        fmt::format("{} of the compute units' time is idle, most of it in {}, with {} of "
                    "them at work.",
                    percent(idle), worst->name, percent(worst->costs->utilization)));
}

/// Energy of a memory, or of the compute units, all layers together.
struct Share {
    std::string of;
    double energy_pj = 0.0;
    std::vector<Amount> tensors;
};

void add_to(std::vector<Amount>& amounts, const std::string& name, double value) {
    auto found = std::ranges::find(amounts, name, &Amount::name);
    if (found == amounts.end()) found = amounts.insert(amounts.end(), {name, 0.0});
    found->value += value;
}

std::vector<Share> shares_of(const Run& run) {
    std::vector<Share> shares;
    const auto share_of = [&](const std::string& of) {
        auto found = std::ranges::find(shares, of, &Share::of);
        return found == shares.end() ? shares.insert(shares.end(), {of, 0.0, {}}) : found;
    };
    for (const Layer& layer : run.layers) {
        if (!layer.costs) continue;
        share_of(layer.costs->computed_by())->energy_pj += layer.costs->compute_energy_pj * layer.repeats;
        for (const MemoryCosts& memory : layer.costs->memories) {
            const auto found = share_of(memory.memory);
            found->energy_pj += memory.energy_pj() * layer.repeats;
            for (const TensorCosts& tensor : memory.tensors)
                add_to(found->tensors, tensor.tensor, (tensor.energy_pj + tensor.link_energy_pj) * layer.repeats);
        }
    }
    std::ranges::stable_sort(shares, std::ranges::greater{}, &Share::energy_pj);
    return shares;
}

void add_energy(const Run& run, double energy_pj, Overview& overview) {
    if (!(energy_pj > 0.0)) return;
    const std::vector<Share> shares = shares_of(run);
    for (std::size_t i = 0; i < shares.size() && i < 3 && shares[i].energy_pj > 0.0; ++i) {
        const Share& share = shares[i];
        const auto most = std::ranges::max_element(share.tensors, {}, &Amount::value);
        const std::string what = share.of == kUnits                ? "Compute units take"
                                 : share.of == report::kVectorUnit ? "The vector unit takes"
                                                                   : share.of + " takes";
        const std::string mostly =
            most == share.tensors.end() || most->value <= 0.0
                ? ""
                : fmt::format(", {} of it for {}", percent(most->value / share.energy_pj), most->name);
        overview.findings.push_back(
            fmt::format("{} {} of the energy{}.", what, percent(share.energy_pj / energy_pj), mostly));
    }
}

}  // namespace

Overview overview_of(const Run& run) {
    Overview overview;
    const Totals sum = totals(run);
    add_proof(run, overview);
    add_limits(run, sum.cycles, overview);
    for (const Limit& limit : overview.limits) overview.findings.push_back(sentence_of(limit, overview.shapes));
    add_idleness(run, sum, overview);
    add_energy(run, sum.energy_pj, overview);
    return overview;
}

}  // namespace tilewright::views
