#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/package/package_report.hpp"

namespace tilewright::multicore {

void fields(yaml::Archive& archive, Energy& energy) {
    archive.name("Energy", "By cause, in pJ.");
    archive("leaves", energy.leaves, "of cores, with their buffers' reads and writes");
    archive("sends", energy.sends, "reads of buffers for words that leave");
    archive("arrivals", energy.arrivals, "writes of buffers for words that arrive");
    archive("sums", energy.sums, "of partial sums, but for links");
    archive("links", energy.links, "within chiplets");
    archive("d2d", energy.d2d, "links between chiplets");
    archive("dram", energy.dram);
    archive("leakage", energy.leakage);
    archive.derived("total", energy.total());
}

void fields(yaml::Archive& archive, Counts& counts) {
    archive.name("Counts", "In words, but for the operations.");
    archive("operations", counts.operations);
    archive("sends", counts.sends, "read in buffers for words that leave");
    archive("arrivals", counts.arrivals);
    archive("partials", counts.partials, "partial sums that are sent");
    archive("dram_reads", counts.dram_reads);
    archive("dram_writes", counts.dram_writes);
    archive("link_words", counts.link_words, "over all links");
}

}  // namespace tilewright::multicore

namespace tilewright::report {

void fields(yaml::Archive& archive, PackageSlot& slot) {
    archive.name("Slot");
    archive("slot", yaml::Signed{slot.slot}, "from -1 on");
    archive("cycles", slot.cycles);
    archive("compute_cycles", slot.compute_cycles);
    archive("moving_cycles", slot.moving_cycles);
    archive("bound_by", slot.bound_by, "core, link or dram; \"\": nothing happens");
}

void fields(yaml::Archive& archive, PackageStage& stage) {
    archive.name("Stage");
    archive("einsum", stage.einsum);
    archive("cores", stage.cores);
    archive("split", stage.split, "dimensions and their parts, the slowest first");
    archive("sums", stage.sums, "where split sums come together; \"\": none are split");
    archive("streamed", stage.streamed, "tensors that arrive in every slot and stay nowhere");
    archive("first_slot", stage.first_slot, "of its first step");
}

void fields(yaml::Archive& archive, PackageRun& run) {
    archive.name("Run");
    archive("step", run.step);
    archive("steps", run.steps);
    archive("repeats", run.repeats);
    archive("energy_pj", run.energy_pj, "of one repeat");
    archive("cycles", run.cycles, "of one repeat");
    archive("stages", run.stages);
    archive("slots", run.slots);
}

void fields(yaml::Archive& archive, PackageCore& core) {
    archive.name("Core");
    archive("core", core.core);
    archive("kind", core.kind);
    archive("x", core.x);
    archive("y", core.y);
    archive("busy_cycles", core.busy_cycles);
    archive("peak_words", core.peak_words);
    archive("buffer_words", core.buffer_words);
}

void fields(yaml::Archive& archive, PackageLink& link) {
    archive.name("Link");
    archive("link", link.link);
    archive("sort", link.sort, "\"link\", \"d2d\" or \"local\"");
    archive("words", link.words);
    archive("deciding_slots", link.deciding_slots, "in which it takes longest of all");
}

void fields(yaml::Archive& archive, PackageReport& report) {
    document::begin(archive, "tilewright-package/1", report.provenance);
    archive("package", report.package);
    archive("cascade", report.cascade);
    archive("objective", report.objective, "\"\": the plan was given");
    archive("value", report.value, "of the objective; energies in pJ");
    archive("bound", report.bound, "no plan of the space has less");
    archive("proven", report.proven, "the plan has that value");
    archive("interrupted", report.interrupted);
    archive("energy_pj", report.energy);
    archive("cycles", report.cycles);
    archive("counts", report.counts);
    archive("runs", report.runs);
    archive("cores", report.cores);
    archive("links", report.links, "over which words go");
    archive("plan", report.plan, "as text");
    archive("notes", report.notes);
}

std::string package_json(const PackageReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report
