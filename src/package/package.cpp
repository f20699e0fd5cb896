#include "package/package.hpp"

#include <algorithm>

namespace tilewright::package {
namespace {

bool is_outside(const Package& package, const Place& at) {
    return at.x < 0 || at.y < 0 || at.x >= package.columns || at.y >= package.rows;
}

std::string text_of(const Place& at) { return "[" + std::to_string(at.x) + ", " + std::to_string(at.y) + "]"; }

std::string problem_with(const CoreKind& kind) {
    const std::string of = "the core kind '" + kind.name + "' ";
    if (kind.buffer_words < 1) return of + "needs a buffer of at least one word";
    if (kind.window_words < 1) return of + "needs a window of at least one word";
    if (kind.read_pj < 0.0 || kind.write_pj < 0.0 || kind.operation_pj < 0.0 || kind.leak_pj_per_cycle < 0.0)
        return of + "has a negative energy";
    return "";
}

}  // namespace

int Package::home_of(const std::string& tensor) const {
    if (interleave && drams.size() > 1) return -1;
    const auto home = homes.find(tensor);
    return home == homes.end() ? 0 : home->second;
}

std::string problem_with(const Package& package) {
    if (package.columns < 1 || package.rows < 1) return "the mesh needs at least one router";
    if (package.chiplet_columns < 1 || package.chiplet_rows < 1) return "a chiplet has at least one router";
    if (package.partial_words < 1) return "a partial sum takes at least one word";
    if (package.cores.empty()) return "the package has no core";
    if (package.core_count() > kMaxCores) return "more than " + std::to_string(kMaxCores) + " cores";
    if (package.drams.empty()) return "the package has no DRAM";
    for (const LinkRate* one : {&package.link, &package.d2d, &package.local})
        if (!(one->words_per_cycle > 0.0) || one->energy_pj < 0.0 || one->latency_cycles < 0)
            return "a link needs a positive rate, and energy and latency of at least 0";
    for (const CoreKind& kind : package.kinds)
        if (std::string why = problem_with(kind); !why.empty()) return why;
    for (const Core& core : package.cores) {
        if (is_outside(package, core.at)) return "the core at " + text_of(core.at) + " lies outside the mesh";
        if (core.kind < 0 || core.kind >= static_cast<int>(package.kinds.size())) return "a core of an unknown kind";
    }
    for (const Dram& dram : package.drams) {
        if (is_outside(package, dram.at)) return "the DRAM at " + text_of(dram.at) + " lies outside the mesh";
        if (!(dram.words_per_cycle > 0.0) || dram.read_pj < 0.0 || dram.write_pj < 0.0)
            return "a DRAM needs a positive rate and energies of at least 0";
    }
    for (const auto& [tensor, home] : package.homes)
        if (home < 0 || home >= package.dram_count()) return "'" + tensor + "' lies in a DRAM that there is not";
    return "";
}

}  // namespace tilewright::package
