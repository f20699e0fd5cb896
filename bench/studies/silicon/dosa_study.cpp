// Timeloop's cycles of DOSA's runs, recorded and counted by the library's Timeloop account, as JSON: how many are
// equal, and each row that is not.
//
//     silicon_dosa arch.yaml timeloop.csv [--threads 2]
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdio>
#include <exception>

#include "command_line/command_line.hpp"
#include "dosa_rows.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::silicon_study;

struct Counted {
    std::int64_t cycles = 0;
    std::string refusal;
};

Counted counted(const Architecture& published, const Table& table, std::size_t row) {
    const account::TimeloopResult result = dosa_counted(published, table, row);
    if (result.refusal) return {0, result.refusal->message};
    return {result.cycles, ""};
}

void print(const Table& table, const std::vector<Counted>& all) {
    std::size_t equal = 0;
    std::string different;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t recorded = table.integer(i, "target.cycle");
        if (all[i].refusal.empty() && all[i].cycles == recorded) {
            ++equal;
            continue;
        }
        different += fmt::format(
            "{}\n  {{\"line\": {}, \"recorded\": {}, \"counted\": {}, \"refusal\": \"{}\", \"mapping\": \"{}\"}}",
            different.empty() ? "" : ",", i + 2, recorded, all[i].cycles, all[i].refusal,
            table.text(i, "mapping.mapping"));
    }
    fmt::print("{{\"rows\": {}, \"equal\": {}, \"different\": [{}]}}\n", all.size(), equal, different);
}

void study(const std::string& machine, const std::string& file, int threads) {
    const Architecture published = timeloop::read_architecture(timeloop::load({machine}));
    const Table table = Table::read(file);
    std::vector<Counted> all(table.size());
    tbb::task_arena(threads).execute([&] {
        tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { all[i] = counted(published, table, i); });
    });
    print(table, all);
}

}  // namespace

int main(int argc, char** argv) {
    std::string machine;
    std::string file;
    int threads = 2;
    CommandLine line("Timeloop's cycles of DOSA's runs, recorded and counted");
    line.option("MACHINE", &machine, "arch.yaml, of which the columns are changes", {.required = true});
    line.option("ROWS", &file, "timeloop.csv, or rows of the same form", {.required = true});
    line.option("--threads", &threads, "", {.positive = true});
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    try {
        study(machine, file, threads);
    } catch (const std::exception& error) {
        fmt::print(stderr, "silicon_dosa: {}\n", error.what());
        return 1;
    }
    return 0;
}
