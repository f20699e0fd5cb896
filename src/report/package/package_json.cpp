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
    archive("step_cycles", stage.step_cycles, "by step, of its slowest core; 0: nothing is made");
}

void fields(yaml::Archive& archive, PackageRoom& room) {
    archive.name("Room", "Words of a tensor, by slot from -1 on.");
    archive("tensor", room.tensor);
    archive("words", room.words, "in all cores");
    archive("fullest_words", room.fullest_words, "in the run's fullest core");
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
    archive("fullest_core", run.fullest_core, "with the largest share of its buffer filled in some slot");
    archive("room", run.room, "by tensor");
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
    archive("energy_pj", core.energy, "links and DRAM have their own");
}

void fields(yaml::Archive& archive, PackageLink& link) {
    archive.name("Link");
    archive("link", link.link);
    archive("sort", link.sort, "\"link\", \"d2d\" or \"local\"");
    archive("x", link.x, "of the router that it leaves; of a local link: at which it is");
    archive("y", link.y);
    archive("to_x", link.to_x);
    archive("to_y", link.to_y);
    archive("words", link.words);
    archive("busy_cycles", link.busy_cycles);
    archive("deciding_slots", link.deciding_slots, "in which it takes longest of all");
    archive("energy_pj", link.energy_pj);
}

void fields(yaml::Archive& archive, PackageDram& dram) {
    archive.name("Dram");
    archive("dram", dram.dram);
    archive("x", dram.x);
    archive("y", dram.y);
    archive("words", dram.words, "read and written");
    archive("busy_cycles", dram.busy_cycles);
    archive("deciding_slots", dram.deciding_slots);
    archive("energy_pj", dram.energy_pj);
}

void fields(yaml::Archive& archive, PackageTensor& tensor) {
    archive.name("Tensor", "Words that travel, of all repeats.");
    archive("tensor", tensor.tensor);
    archive("dram_words", tensor.dram_words, "read and written");
    archive("link_words", tensor.link_words, "over all links");
    archive("d2d_words", tensor.d2d_words, "over links between chiplets");
}

void fields(yaml::Archive& archive, PackageMesh& mesh) {
    archive.name("Mesh", "Routers.");
    archive("columns", mesh.columns);
    archive("rows", mesh.rows);
    archive("chiplet_columns", mesh.chiplet_columns);
    archive("chiplet_rows", mesh.chiplet_rows);
}

void fields(yaml::Archive& archive, PackageReport& report) {
    document::begin(archive, "tilewright-package/1", report.provenance);
    archive("package", report.package);
    archive("mesh", report.mesh);
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
    archive("drams", report.drams);
    archive("tensors", report.tensors, "that travel");
    archive("plan", report.plan, "as text");
    archive("notes", report.notes);
}

std::string package_json(const PackageReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report
