#include <fmt/format.h>

#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/fused/search.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string start_of(const FusionReport& report) {
    return csv_cell(report.cascade) + "," + csv_cell(report.architecture) + "," + csv_cell(report.objective) + ",";
}

void add(std::string& csv, const std::string& start, const FusionWords& words) {
    const std::pair<const char*, double> actions[] = {
        {"read", words.reads}, {"fill", words.fills}, {"update", words.updates}};
    for (const auto& [action, count] : actions)
        if (count > 0.0)
            csv += fmt::format("{},{},{},{},{}\n", start, csv_cell(words.tensor), csv_cell(words.role), action,
                               csv_number(count));
}

}  // namespace

void fields(yaml::Archive& archive, FusionWords& words) {
    archive.name("Words", "Of all repeats.");
    archive("tensor", words.tensor);
    archive("role", words.role, "\"input\", \"weight\", \"cache\", \"intermediate\", \"output\"");
    archive("reads", words.reads);
    archive("fills", words.fills, "from outside");
    archive("updates", words.updates, "from inside");
    archive("energy_pj", words.energy_pj);
}

void fields(yaml::Archive& archive, FusionMemory& memory) {
    archive.name("MemoryCosts");
    archive("memory", memory.memory, "of \"every word once\" the buffer may stand for all inside, too");
    archive("energy_pj", memory.energy_pj);
    archive("peak_words", memory.peak_words, "the most that is reserved; null: unlimited, or of no mapping");
    archive("tensors", memory.tensors, "those that move");
}

void fields(yaml::Archive& archive, FusionCosts& costs) {
    archive.name("Way");
    archive("way", costs.way,
            "\"unfused\": the best mapping that fuses nothing; \"fused\": the best found; \"every word once\": no "
            "mapping, but what none can be below");
    archive("energy_pj", costs.energy_pj);
    archive("cycles", costs.cycles);
    archive("compute_energy_pj", costs.compute_energy_pj);
    archive("memories", costs.memories, "outermost first");
    archive.derived("dram_words", dram_words(costs), "read from and written to the outermost memory");
}

yaml::Choice<FusionLineKind> line_choice(FusionLineKind& kind) {
    using Kind = FusionLineKind;
    return {kind, {{Kind::loop, "loop"}, {Kind::store, "store"}, {Kind::leaf, "leaf"}}};
}

void fields(yaml::Archive& archive, FusionLine& line) {
    using Kind = FusionLineKind;
    archive.name("Line");
    archive("kind", line_choice(line.kind));
    archive("name", line.name, "dimension of the last einsum inside, tensor, or einsum");
    archive.where(line.kind == Kind::store, "memory", line.memory);
    archive.where(line.kind == Kind::store, "role", line.role, "of the tensor");
    archive.where(line.kind != Kind::loop, "words", line.words, "that the store or a leaf's own tiles reserve");
    archive.where(line.kind == Kind::loop, "step", line.step);
    archive.where(line.kind == Kind::loop, "extent", line.extent, "of the dimension");
    archive.where(line.kind == Kind::store, "throughout", line.throughout,
                  "reserved for all that lies inside it, not from first use to last");
    archive("first", line.first, "einsum from which on it holds, from 0");
    archive("last", line.last, "to which it does");
}

void fields(yaml::Archive& archive, FusionGroup& group) {
    archive.name("Group");
    archive("first", group.first, "number of its first einsum in the cascade, from 0");
    archive("einsums", group.einsums, "that run together");
    archive("energy_pj", group.energy_pj);
    archive("cycles", group.cycles);
    archive("lines", group.lines, "loops, stores and leaves from the root downwards");
}

void fields(yaml::Archive& archive, FusionBuffer& buffer) {
    archive.name("Buffer");
    archive("buffer_words", buffer.buffer_words);
    archive("bound_words", buffer.bound_words, "no fused mapping of the space moves fewer through the DRAM");
    archive("proven", buffer.proven, "fused_words is that bound");
    archive("fused_words", buffer.fused_words, "the fewest found; null: nothing fits, or none was found in time");
    archive("unfused_words", buffer.unfused_words, "likewise where nothing is fused");
}

void fields(yaml::Archive& archive, FusionPoint& point) {
    archive.name("Point");
    archive("energy_pj", point.energy_pj);
    archive("cycles", point.cycles);
    archive("groups", point.groups);
    archive("proven", point.proven, "no fused mapping of the space costs less where a cycle costs from .. to pJ");
    archive("from_pj_per_cycle", point.from_pj_per_cycle, "null, if proven: where cycles alone count");
    archive("to_pj_per_cycle", point.to_pj_per_cycle, "null, if proven: without end");
    archive("mapping", point.mapping, "as text, which evaluate --fused-mapping takes");
}

void fields(yaml::Archive& archive, FusionProof& line) {
    archive.name("Proof");
    archive("pj_per_cycle", line.pj_per_cycle, "null: cycles alone count");
    archive("least", line.least, "pJ of energy and cycles together, or cycles: no fused mapping of the space has less");
}

void fields(yaml::Archive& archive, FusionReport& report) {
    document::begin(archive, "tilewright-fusion/1", report.provenance);
    archive("architecture", report.architecture);
    archive("cascade", report.cascade);
    archive("objective", report.objective);
    archive("proven", report.proven,
            "no fused mapping of the space (docs/fusion.md) has a lower value; of a front: gap is 0");
    archive("interrupted", report.interrupted);
    archive("value", report.value, "of the objective, in pJ, cycles or pJ * cycles; of a front the least pJ * cycles");
    archive("bound", report.bound, "no fused mapping of the space has a lower value");
    archive.group("effort", [&](auto& effort) {
        effort("proofs", report.proofs, "weighted searches");
        effort("rounds", report.rounds, "with those whose guess was too low");
        effort("leaves", report.leaves, "kinds of leaves that were asked for");
    });
    archive.group("buffer", [&](auto& buffer) {
        buffer("memory", report.buffer, "of the shared stores");
        buffer("words", report.buffer_words);
    });
    archive("ways", report.ways);
    archive("groups", report.groups);
    archive("buffers", report.buffers, "DRAM words by size of the buffer, ascending; empty: not asked for");
    archive.where_any("front", report.front,
                      "of the objective pareto: mappings that none found beats in both, ascending energy; all else is "
                      "of the one of the least pJ * cycles");
    archive.where_any("proven_lines", report.lines, "from energy alone to cycles alone: under none lies a mapping");
    archive.where(!report.front.empty(), "gap", report.gap,
                  "whatever a cycle costs, no fused mapping is cheaper than the front by a larger share");
    archive("mapping", report.mapping, "as text, which evaluate --fused-mapping takes");
    archive("notes", report.notes);
}

}  // namespace tilewright::report

namespace tilewright::report {

std::string fusion_json(const FusionReport& report) { return dumped(yaml::place_of(report)); }

std::string fusion_csv(const FusionReport& report) {
    std::string csv = "network,architecture,objective,mapping,memory,tensor,role,action,words\n";
    for (const FusionCosts& costs : report.ways)
        for (const FusionMemory& memory : costs.memories)
            for (const FusionWords& words : memory.tensors)
                add(csv, start_of(report) + csv_cell(costs.way) + "," + csv_cell(memory.memory), words);
    return csv;
}

std::string buffers_csv(const FusionReport& report) {
    std::string csv = "network,architecture,buffer_words,bound_dram_words,proven,fused_dram_words,unfused_dram_words\n";
    for (const FusionBuffer& buffer : report.buffers)
        csv += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(report.cascade), csv_cell(report.architecture),
                           buffer.buffer_words, csv_number(buffer.bound_words), buffer.proven ? "true" : "false",
                           csv_number(buffer.fused_words), csv_number(buffer.unfused_words));
    return csv;
}

}  // namespace tilewright::report
