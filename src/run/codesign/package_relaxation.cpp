#include "run/codesign/package_relaxation.hpp"

#include <algorithm>

#include "codesign/relaxation.hpp"

namespace tilewright {
namespace {

using package::CoreKind;
using package::Dram;
using package::LinkRate;
using package::Package;

// Meshes stay: cores of other fan-outs are of another form.
Architecture form_of(Architecture architecture) {
    const auto keep_mesh = [](auto& part) {
        auto form = codesign::form_of(part);
        form.mesh = part.mesh;
        form.instances = part.instances;
        part = std::move(form);
    };
    for (Memory& memory : architecture.memories) keep_mesh(memory);
    keep_mesh(architecture.compute);
    return architecture;
}

Package form_of(Package form) {
    form.name.clear();
    form.chiplet_columns = form.chiplet_rows = 1;
    form.link = form.d2d = form.local = {};
    form.partial_words = 1;
    for (CoreKind& kind : form.kinds) {
        kind.name.clear();
        kind.buffer_words = 0;
        kind.read_pj = kind.write_pj = kind.operation_pj = kind.leak_pj_per_cycle = 0.0;
        kind.lanes.clear();
        if (kind.architecture) kind.architecture = form_of(std::move(*kind.architecture));
    }
    for (Dram& dram : form.drams) dram = {.at = dram.at};
    return form;
}

void take_least(double& best, double other) { best = std::min(best, other); }

void relax(LinkRate& best, const LinkRate& other) {
    best.words_per_cycle = std::max(best.words_per_cycle, other.words_per_cycle);
    take_least(best.energy_pj, other.energy_pj);
    best.latency_cycles = std::min(best.latency_cycles, other.latency_cycles);
}

void relax(Architecture& best, const Architecture& other) {
    for (std::size_t level = 0; level < best.memories.size(); ++level)
        codesign::relax(best.memories[level], other.memories[level]);
    codesign::relax(best.compute, other.compute);
    codesign::spread_out(best, codesign::Fanouts(codesign::meshes_of(best)));
}

void relax(CoreKind& best, const CoreKind& other) {
    best.buffer_words = std::max(best.buffer_words, other.buffer_words);
    take_least(best.read_pj, other.read_pj);
    take_least(best.write_pj, other.write_pj);
    take_least(best.operation_pj, other.operation_pj);
    take_least(best.leak_pj_per_cycle, other.leak_pj_per_cycle);
    for (const auto& [dimension, lanes] : other.lanes) {
        std::int64_t& most = best.lanes.try_emplace(dimension, 1).first->second;
        most = std::max(most, lanes);
    }
    if (best.architecture) relax(*best.architecture, *other.architecture);
}

}  // namespace

Package with_links_in_use(Package package) {
    if (package.chiplet_columns >= package.columns && package.chiplet_rows >= package.rows)
        package.d2d = package.link;
    else if (package.chiplet_columns == 1 && package.chiplet_rows == 1)
        package.link = package.d2d;
    return package;
}

bool relax(Package& best, const Package& other) {
    if (form_of(best) != form_of(other)) return false;
    relax(best.link, other.link);
    relax(best.d2d, other.d2d);
    relax(best.local, other.local);
    if (best.chiplet_columns != other.chiplet_columns || best.chiplet_rows != other.chiplet_rows) {
        relax(best.link, best.d2d);
        best.d2d = best.link;
    }
    best.partial_words = std::min(best.partial_words, other.partial_words);
    for (std::size_t kind = 0; kind < best.kinds.size(); ++kind) relax(best.kinds[kind], other.kinds[kind]);
    for (std::size_t i = 0; i < best.drams.size(); ++i) {
        best.drams[i].words_per_cycle = std::max(best.drams[i].words_per_cycle, other.drams[i].words_per_cycle);
        take_least(best.drams[i].read_pj, other.drams[i].read_pj);
        take_least(best.drams[i].write_pj, other.drams[i].write_pj);
    }
    return true;
}

}  // namespace tilewright
