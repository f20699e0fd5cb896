#include "report/peers/tileflow_report.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

void fields(yaml::Archive& archive, TileflowTensor& tensor) {
    archive.name("TileflowTensor");
    archive("name", tensor.name);
    archive("read_words", tensor.words.reads, "of one instance");
    archive("fill_words", tensor.words.fills);
    archive("update_words", tensor.words.updates);
}

void fields(yaml::Archive& archive, TileflowMemory& memory) {
    archive.name("TileflowMemory");
    archive("name", memory.counts.memory);
    archive("accesses", memory.counts.accesses, "of all instances");
    archive("slow_down", memory.counts.slow_down, "the largest: cycles with its bandwidth by cycles without");
    archive("capacity_share", memory.counts.capacity_share);
    archive("instances_share", memory.counts.instances_share);
    archive("tensors", memory.tensors);
}

void fields(yaml::Archive& archive, TileflowReport& report) {
    document::begin(archive, "tilewright-tileflow/1", report.provenance);
    archive("machine", report.machine);
    archive("cycles", report.cycles);
    archive("operations", report.operations);
    archive("memories", report.memories, "outermost first");
}

}  // namespace tilewright::report

namespace tilewright::report {
namespace {

std::string whole_words(double count) { return count_text(static_cast<std::int64_t>(count)); }

std::string moved_words_text(const TileflowReport& report) {
    Table table({"memory", "tensor", "reads", "fills", "updates"}, "llrrr");
    for (const TileflowMemory& memory : report.memories)
        for (const auto& [name, words] : memory.tensors)
            if (words.reads + words.fills + words.updates != 0.0)
                table.add({memory.counts.memory, name, whole_words(words.reads), whole_words(words.fills),
                           whole_words(words.updates)});
    return table.text();
}

}  // namespace

TileflowReport tileflow_report(const Provenance& provenance, const std::string& machine,
                               const tileflow::Problem& problem, const tileflow::Counts& counts) {
    TileflowReport report{provenance, machine, counts.cycles, counts.operations, {}};
    for (const tileflow::MemoryCounts& memory : counts.memories) {
        report.memories.push_back({memory, {}});
        for (std::size_t t = 0; t < memory.tensors.size(); ++t)
            report.memories.back().tensors.push_back({problem.tensors[t].name, memory.tensors[t]});
    }
    return report;
}

std::string tileflow_text(const TileflowReport& report) {
    const std::string title = "mapping on " + report.machine + ", as TileFlow counts";
    return title + "\n" + std::string(title.size(), '=') + "\n" +
           fmt::format("  cycles      {}\n  operations  {}\n\n", count_text(report.cycles),
                       whole_words(report.operations)) +
           moved_words_text(report) + "  words of one instance of each memory\n";
}

std::string tileflow_json(const TileflowReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report
