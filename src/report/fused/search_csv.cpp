#include <fmt/format.h>

#include "report/fused/search.hpp"
#include "report/parts/csv_cell.hpp"

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
