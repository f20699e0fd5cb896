// The fields of report.json and its smaller relatives (yaml/archive.hpp).
#include "report/document.hpp"
#include "report/fields.hpp"

namespace tilewright {

void fields(yaml::Archive& archive, SearchSummary& search) {
    archive.name("Search");
    archive("evaluations", search.evaluations, "mappings costed");
    archive("valid", search.valid, "of those, the legal ones");
    archive.also("sampled", search.sampled, "mappings proposed, legal or not");
    archive.where_any("space", search.space, "mappings there are, where the search counted them");
    archive("stopped_by", search.stopped_by);
    archive.where_any("lower_bound", search.lower_bound,
                      "no mapping of the space has a smaller value of the objective (pJ, cycles, and their products)");
    archive.also("proven", search.proven, "no mapping of the space is better");
    archive.where_any("claim", search.claim,
                      "what is proven, and of which mappings; or how far the best is from the bound");
}

}  // namespace tilewright

namespace tilewright::report {

void fields(yaml::Archive& archive, Totals& totals) {
    archive.name("Totals");
    archive("layers", totals.layers, "with repeats");
    archive("layers_without_mapping", totals.missing, "not in the sums");
    archive("computes", totals.computes);
    archive("cycles", totals.cycles, "one layer after another");
    archive("energy_pj", totals.energy_pj);
    archive.derived("edp_pj_cycles", totals.edp_pj_cycles(), "total energy * total cycles");
    archive("utilization", totals.utilization);
    archive.where(totals.as_built > 0, "layers_as_built", totals.as_built,
                  "with repeats: cycles are of the machine as built; those of other layers are the plain model's");
    archive.where(totals.as_built > 0, "plain_cycles", totals.plain_cycles, "the plain model's of all layers");
}

yaml::Choice<Bound> bound_key(Bound& bound) {
    return {bound,
            {{Bound::compute, "compute"},
             {Bound::read_bandwidth, "read_bandwidth"},
             {Bound::write_bandwidth, "write_bandwidth"},
             {Bound::shared_bandwidth, "shared_bandwidth"}}};
}

yaml::Choice<LatencyBound> latency_bound_key(LatencyBound& bound) {
    return {bound,
            {{LatencyBound::compute, "compute"},
             {LatencyBound::read_bandwidth, "read_bandwidth"},
             {LatencyBound::write_bandwidth, "write_bandwidth"},
             {LatencyBound::shared_bandwidth, "shared_bandwidth"},
             {LatencyBound::vector_unit, "vector_unit"},
             {LatencyBound::as_built, "as_built"}}};
}

void fields(yaml::Archive& archive, BoundShare& bound) {
    archive.name("BoundShare", "the layers whose latency one resource decides");
    archive("memory", bound.memory, "null: the compute units, or the vector unit");
    archive("by", latency_bound_key(bound.bound));
    archive.where_any("as_built", bound.as_built, "what most of the time as built goes into");
    archive("layers", bound.layers, "with repeats");
    archive("cycles", bound.cycles, "of these layers");
    archive("share", bound.share, "of all cycles");
}

void fields(yaml::Archive& archive, SpilledActivations& spilled) {
    archive.name("SpilledActivations",
                 "words that are no weights (all results, and operands that are called neither Weights nor W) at the "
                 "outermost memory");
    archive("memory", spilled.memory);
    archive("bytes", spilled.bytes, "read and written there");
    archive("once_bytes", spilled.once_bytes, "of each tensor once");
    archive("energy_pj", spilled.energy_pj, "of these accesses and the wires below");
}

void fields(yaml::Archive& archive, Summary& summary) {
    archive.name("Summary", "layers count as often as they run");
    archive("bounds", summary.bounds, "resources deciding the latency, most cycles first");
    archive("memory_bound_layers", summary.memory_bound_layers, "with repeats");
    archive("memory_bound_share", summary.memory_bound_share, "of the layers");
    archive("memory_bound_cycles_share", summary.memory_bound_cycles_share, "of the cycles");
    archive("spilled_activations", summary.spilled, "null: none");
}

void fields(yaml::Archive& archive, AsBuilt& built) {
    archive.name("AsBuilt",
                 "what the layer takes on the machine as built (--latency physical): the evaluation's cycles, and what "
                 "follows from them, are these in whole cycles");
    archive("cycles", built.cycles, "of the machine's clock, not rounded");
    archive("seconds", built.seconds);
    archive("bound", built.bound, "what most of it goes into");
    archive.also("waits_for_memory", built.waits_for_memory, "that is moving words");
    archive.also("plain_cycles", built.plain_cycles, "what the plain model says instead");
}

void fields(yaml::Archive& archive, WhatIf& what_if) {
    archive.name("WhatIf", "the layers with a mapping on a machine that differs in one number");
    archive("change", what_if.change);
    archive("mapped_again", what_if.mapped_again, "else the mappings that were found are costed again");
    archive("energy_pj", what_if.energy_pj, "null: failure says why");
    archive("cycles", what_if.cycles);
    archive.where_any("failure", what_if.failure);
}

void fields(yaml::Archive& archive, CheckProblem& problem) {
    archive("code", problem.code);
    archive("file", problem.file);
    archive("line", problem.line);
    archive("column", problem.column);
    archive("message", problem.message);
}

}  // namespace tilewright::report

namespace tilewright::sparse {

void fields(yaml::Archive& archive, Counts& counts) {
    archive.name("FateCounts", "accesses or computes by their fate");
    archive("actual", counts.actual, "done");
    archive("gated", counts.gated, "the time passes, the energy is saved");
    archive("skipped", counts.skipped, "neither is spent");
}

void fields(yaml::Archive& archive, RankCounts& counts) {
    archive.name("RankCounts", "accesses of one rank of a format");
    archive("metadata", counts.metadata, "coordinates, runs or bits");
    archive("payload", counts.payload, "what points into the rank below");
}

void fields(yaml::Archive& archive, Saved& saved) {
    archive.name("SavedEnergy", "spent is dense_pj - left_out_pj - gating_pj - skipping_pj + metadata_pj");
    archive("dense_pj", saved.dense_pj, "were nothing done about zeros");
    archive("left_out_pj", saved.left_out_pj, "of what never came up: not stored, or avoided further out");
    archive("gating_pj", yaml::Signed{saved.gating_pj}, "below 0 where that costs more than the access");
    archive("skipping_pj", yaml::Signed{saved.skipping_pj}, "below 0 where that costs more than the access");
    archive("metadata_pj", saved.metadata_pj, "spent on what formats add, and on compressing and decompressing");
}

void fields(yaml::Archive& archive, RankWords& words) {
    archive.name("RankWords", "room for one rank of a format, in words of its own widths");
    archive("metadata", words.metadata);
    archive("payload", words.payload);
}

}  // namespace tilewright::sparse

namespace tilewright::document {

using report::bound_key;

yaml::Choice<LoopKind> loop_kind(LoopKind& kind) {
    return {kind,
            {{LoopKind::temporal, "temporal"}, {LoopKind::spatial_x, "spatial_x"}, {LoopKind::spatial_y, "spatial_y"}}};
}

void fields(yaml::Archive& archive, Extent& dimension) {
    archive.name("Extent");
    archive("name", dimension.name);
    archive("extent", yaml::Positive{dimension.extent});
}

void fields(yaml::Archive& archive, Tensor& tensor) {
    archive.name("Tensor");
    archive("name", tensor.name);
    archive("words", tensor.words, "of the whole tensor");
    archive("written", tensor.written, "a result; otherwise an operand");
    archive.where(tensor.bits > 0, "bits", tensor.bits, "of a word; absent: those of each memory's words");
}

void fields(yaml::Archive& archive, EinsumText& einsum) {
    archive.name("Einsum");
    archive("text", einsum.text, "\"O[n,k] += W[k,c] * I[n,c]\"");
    archive("dimensions", einsum.dimensions);
    archive("tensors", einsum.tensors);
}

void fields(yaml::Archive& archive, StoreLine& line) {
    archive.name("StoreLine");
    archive("store", line.store, "memory that holds tiles from here inwards");
    archive("tensors", line.tensors);
}

void fields(yaml::Archive& archive, LoopLine& line) {
    archive.name("LoopLine");
    archive("loop", line.loop, "dimension");
    archive("extent", yaml::Positive{line.extent});
    archive("remainder", yaml::Positive{line.remainder},
            "trip count when all enclosing loops of the dimension are at their last iteration");
    archive("kind", loop_kind(line.kind));
}

void fields(yaml::Archive& archive, Traffic& traffic) {
    auto& of = traffic.of;
    archive.name("Traffic", "one tensor kept in a memory");
    archive("tensor", traffic.tensor);
    archive("tile_words", of.tile_words, "largest tile, per instance");
    archive.also("instances", of.instances, "in use");
    archive("read_words", of.reads, "over all instances; so are all counts");
    archive("fill_words", of.fills, "written from outside");
    archive("update_words", of.updates, "written from inside");
    archive.also("address_generations", of.address_generations);
    archive("energy_pj", of.energy_pj, "of reads, fills and updates");
    archive("address_energy_pj", of.address_energy_pj);
    archive.also("read_words_per_cycle", of.read_words_per_cycle, "per instance, as delivered");
    archive.also("write_words_per_cycle", of.write_words_per_cycle);
    archive.where(of.bandwidth_share != 1.0, "bandwidth_share", of.bandwidth_share,
                  "words of the memory that a word of the tensor takes of its bandwidth; absent: 1");
}

void fields(yaml::Archive& archive, Wires& wires) {
    auto& of = wires.of;
    archive.name("Wires", "one tensor on the wires below a memory");
    archive("tensor", wires.tensor);
    archive("words", of.words, "sent or received by the memory, a multicast counted once");
    archive.also("delivered_words", of.delivered, "copies arriving below");
    archive.derived("multicast", of.multicast(), "delivered_words / words");
    archive.also("link_transfer_words", of.link_transfers, "passed between neighbours (Timeloop's accounting)");
    archive.also("spatial_reductions", of.spatial_reductions);
    archive.also("hops", of.hops);
    archive("energy_pj", of.energy_pj);
}

void fields(yaml::Archive& archive, MemoryCosts& memory) {
    auto& of = memory.of;
    archive.name("MemoryCosts");
    archive("name", of.name);
    archive("used_words", of.used_words, "per instance");
    archive.also("cycles", of.cycles, "of this memory alone");
    archive.also("slowdown", of.slowdown, "compute cycles / cycles, at most 1");
    archive("bound", bound_key(of.bound));
    archive.also("energy_pj", of.energy_pj, "accesses, address generation and leakage, without the link");
    archive("leakage_pj", of.leakage_pj);
    archive.also("link_energy_pj", of.link_energy_pj);
    archive.also("area_um2", of.area_um2, "of all instances");
    archive("tensors", memory.tensors);
    archive("link", memory.link);
}

void fields(yaml::Archive& archive, Costs& costs) {
    auto& of = costs.of;
    archive.name("Evaluation");
    archive("computes", of.computes, "multiply-accumulates");
    archive("compute_cycles", of.compute_cycles, "if no memory were too slow");
    archive("cycles", of.cycles);
    archive("utilization", of.utilization, "computes / (compute units * cycles)");
    archive.also("compute_units_used", of.compute_units_used);
    archive("energy_pj", of.energy_pj);
    archive.derived("edp_pj_cycles", of.edp_pj_cycles(), "energy_pj * cycles");
    archive("compute_energy_pj", of.compute_energy_pj);
    archive("compute_leakage_pj", of.compute_leakage_pj);
    archive.also("area_um2", of.area_um2);
    archive("link_latency_cycles", of.link_latency_cycles);
    archive.where(costs.on_vector_unit, "on_vector_unit", costs.on_vector_unit,
                  "beside the array: compute_cycles and compute_energy_pj are the vector unit's, without a mapping");
    archive.group(
        "bound",
        [&](auto& bound) {
            bound("memory", costs.memory, "null: the compute units, or the vector unit");
            bound("by", report::latency_bound_key(costs.bound));
            bound("text", costs.bound_text, "a sentence");
        },
        "the bound of the latency");
    archive("memories", costs.memories, "outermost first");
}

void fields(yaml::Archive& archive, Padded& padded) {
    archive("from", yaml::Positive{padded.from});
    archive("to", yaml::Positive{padded.to});
}

void fields(yaml::Archive& archive, Padding& padding) {
    archive.name("Padding",
                 "of a padded layer: extents before and after, and the share of the operations that compute nothing; "
                 "einsum, mapping and evaluation include it");
    archive("dimensions", padding.dimensions);
    archive("share", padding.share);
}

void fields(yaml::Archive& archive, FrontPoint& point) {
    archive.name("FrontPoint");
    archive("energy_pj", point.energy_pj);
    archive("cycles", point.cycles);
    archive("mapping", point.mapping);
    archive.where_any("padding", point.padding);
}

void fields(yaml::Archive& archive, Candidate& candidate) {
    archive("energy_pj", candidate.energy_pj, "of the model");
    archive("cycles", candidate.cycles, "of the model");
    archive("simulated_cycles", candidate.simulated_cycles, "null: failure says why");
    archive.where_any("failure", candidate.failure);
    archive("mapping", candidate.mapping);
}

void fields(yaml::Archive& archive, Refinement& refinement) {
    archive.name("Refinement",
                 "of map --refine: mappings that were simulated; mapping and evaluation are of the choice");
    archive("choice", refinement.choice, "index of the candidate with the best objective, cycles as simulated");
    archive("gain", refinement.gain,
            "share of the objective of the search's own answer that it saves, cycles as simulated");
    archive("candidates", refinement.candidates, "the search's own answer first");
}

void fields(yaml::Archive& archive, SparseRank& rank) {
    archive.name("SparseRank");
    archive("format", rank.format, "uop, cp, rle, b or ub");
    archive("most", rank.most, "of the fullest tile");
    archive("expected", rank.expected, "on average");
    archive("reads", rank.reads);
    archive("fills", rank.fills);
    archive("updates", rank.updates);
}

void fields(yaml::Archive& archive, SparseTensor& tensor) {
    auto& of = tensor.of;
    archive.name("SparseTensor", "one tensor at one memory; counts are per instance");
    archive("tensor", tensor.tensor);
    archive("density", of.density, "name of its model");
    archive("tile_words", of.tile_words, "were nothing zero");
    archive("most_words", of.most_words, "of data in the fullest tile");
    archive("expected_words", of.expected_words, "of data in a tile on average");
    archive("most_metadata_bits", of.most_metadata_bits, "of the fullest tile");
    archive("most_instances", of.most_instances);
    archive("instances", of.instances, "on average: an instance whose tile is empty is not used");
    archive("algorithmic_reads", of.reads.algorithmic, "were nothing zero");
    archive("reads", of.reads.data);
    archive("algorithmic_fills", of.fills.algorithmic);
    archive("fills", of.fills.data);
    archive("algorithmic_updates", of.updates.algorithmic);
    archive("updates", of.updates.data);
    archive("metadata_row_reads", of.reads.metadata_rows, "accesses of the metadata's memory");
    archive("metadata_row_fills", of.fills.metadata_rows);
    archive("metadata_row_updates", of.updates.metadata_rows);
    archive("decompressions", of.decompressions, "words");
    archive("compressions", of.compressions, "words");
    archive("metadata_share", of.metadata_share, "of the words that pass");
    archive("ranks", tensor.ranks, "of its format, outermost first; none: it is not compressed");
}

void fields(yaml::Archive& archive, SparseMemory& memory) {
    archive.name("SparseMemory");
    archive("name", memory.name);
    archive("tensors", memory.tensors);
}

void fields(yaml::Archive& archive, SparseDensity& density) {
    archive.name("SparseDensity", "what is known of a tensor");
    archive("tensor", density.tensor);
    archive("model", density.of.model, "fixed_structured, hypergeometric, banded-3, 2:4 or measured");
    archive("density", density.of.share, "share of its elements that are not zero");
    archive("from", density.of.from, "who says so; empty: it is not said, and counts as dense");
}

void fields(yaml::Archive& archive, SparseSavings& savings) {
    archive.name("SparseSavings", "what the same mapping would take were nothing done about zeros, and what saves it");
    archive("dense_energy_pj", savings.dense_energy_pj);
    archive("dense_cycles", savings.dense_cycles);
    archive("components", savings.components, "accesses of memories, outermost first, and computes");
    archive("elsewhere_pj", yaml::Signed{savings.elsewhere_pj},
            "saved on links, address generation and leakage; below 0 where metadata makes the layer longer");
}

void fields(yaml::Archive& archive, SparseCosts& costs) {
    archive.name("SparseCosts", "what became of accesses and computes on a machine that does something about zeros");
    archive("algorithmic_computes", costs.algorithmic_computes, "were nothing zero");
    archive("computes", costs.computes);
    archive("memories", costs.memories, "outermost first");
    archive.where_any("densities", costs.densities, "by tensor");
    archive.where_any("savings", costs.savings, "of the exact account");
}

void fields(yaml::Archive& archive, Layer& layer) {
    const bool evaluated = layer.evaluation.has_value();
    archive.name("Layer");
    archive("name", layer.name, "of the first layer with this shape");
    archive("same_shape", layer.same_shape, "all layers with this shape");
    archive("operator", layer.op);
    archive("repeats", yaml::Positive{layer.repeats}, "how often a layer of this shape runs");
    archive("einsum", layer.einsum);
    archive.where_any("partial_bits", layer.partial_bits,
                      "by tensor: bits of a word while more is to be added to it; einsum says those of final words");
    archive.where_any("padding", layer.padding);
    archive.derived("status", yaml::Choice<const bool>{evaluated, {{true, "evaluated"}, {false, "no_mapping"}}});
    archive.where(!evaluated, "failures", layer.failures, "why there is no evaluation");
    archive.where_any("mapping", layer.mapping, "the loop nest, outermost first");
    archive.where_any("evaluation", layer.evaluation);
    archive.where_any("front", layer.front,
                      "of a Pareto search: mappings of which none is better in energy and latency, by energy; mapping "
                      "and evaluation are of the one with the least energy-delay product");
    archive.where_any("search", layer.search);
    archive.where_any("refinement", layer.refinement);
    archive.where_any("sparse", layer.sparse);
    archive.where_any("as_built", layer.as_built);
    archive.where_any("not_as_built", layer.not_as_built,
                      "in a report of times as built, why the cycles are the plain model's");
}

void fields(yaml::Archive& archive, Report& report) {
    begin(archive, "tilewright-report/2", report.provenance);
    archive.also("interrupted", report.interrupted, "the search was cut short; the mappings are the best so far");
    archive.also("notes", report.notes);
    archive("architecture", report.architecture);
    archive.group("network", [&](auto& network) {
        network("name", report.network);
        network("unmapped_operators", report.unmapped);
    });
    archive.also("totals", report.totals);
    archive.where_any("summary", report.summary);
    archive.where_any("what_if", report.what_if, "of map --what-if: the machine as it is, then each change");
    archive("layers", report.layers);
}

void fields(yaml::Archive& archive, Comparison& comparison) {
    begin(archive, "tilewright-comparison/1", comparison.provenance);
    archive.also("notes", comparison.notes);
    archive("architecture", comparison.architecture);
    archive("einsum", comparison.einsum);
    archive.where_any("mapping", comparison.mapping);
    archive("evaluations", comparison.evaluations, "by accounting");
}

void fields(yaml::Archive& archive, ShownLayer& layer) {
    archive("name", layer.name);
    archive("operator", layer.op);
    archive("repeats", layer.repeats);
    archive("computes", layer.computes);
    archive("einsum", layer.einsum);
}

void fields(yaml::Archive& archive, ShownNetwork& network) {
    archive("name", network.name);
    archive("layers", network.layers);
    archive("unmapped_operators", network.unmapped);
}

void fields(yaml::Archive& archive, Shown& shown) {
    archive.constant("schema", "tilewright-show/1");
    archive.where_any("architecture", shown.architecture);
    archive.where_any("network", shown.network);
}

void fields(yaml::Archive& archive, Checked& checked) {
    archive.constant("schema", "tilewright-check/1");
    archive("sound", checked.sound);
    archive("problems", checked.problems);
}

}  // namespace tilewright::document
