#include "report/peers/tileflow_report.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/json_parts.hpp"
#include "report/parts/table.hpp"
#include "report/peers/tileflow_fields.hpp"

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

std::string tileflow_json(const TileflowReport& report) { return dumped(yaml::Writer::write(report)); }

}  // namespace tilewright::report
