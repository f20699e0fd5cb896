#include "run/what_if/energy_ranges.hpp"

#include <fmt/format.h>

#include "arch/estimation/dram.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

struct Energies {
    double memory_pj = 0.0;
    double all_pj = 0.0;
};

Energies energies_of(const report::Report& report, std::size_t memory) {
    Energies sum;
    for (const report::LayerResult& layer : report.layers) {
        if (!layer.evaluation || memory >= layer.evaluation->memories.size()) continue;
        const auto repeats = static_cast<double>(layer.repeats);
        sum.memory_pj += repeats * layer.evaluation->memories[memory].energy_pj;
        sum.all_pj += repeats * layer.evaluation->energy_pj;
    }
    return sum;
}

}  // namespace

std::vector<std::string> energy_range_notes(const report::Report& report) {
    std::vector<std::string> notes;
    for (std::size_t m = 0; m < report.architecture.memories.size(); ++m) {
        const Memory& memory = report.architecture.memories[m];
        const std::optional<DramEstimate> range = range_behind(memory.energy.read_pj.source);
        const Energies energies = energies_of(report, m);
        if (!range || energies.all_pj <= 0.0) continue;
        const auto whole = [&](double pj_per_bit) {
            return energy_text(energies.all_pj + energies.memory_pj * (pj_per_bit / range->pj_per_bit - 1.0));
        };
        notes.push_back(
            fmt::format("{} of the energy rests on an assumption, {} pJ/bit of {} ({}): at {} it is {} in all, "
                        "at {} {}",
                        share_text(energies.memory_pj / energies.all_pj), range->pj_per_bit, memory.name, range->type,
                        *range->low, whole(*range->low), *range->high, whole(*range->high)));
    }
    return notes;
}

}  // namespace tilewright
