#include "silicon/systolic/machine.hpp"

#include <string>

namespace tilewright::silicon {
namespace {

std::string number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string problem_with(const SystolicArray& array, std::string& where) {
    where = "least_rows";
    if (array.least_rows > array.block_rows)
        return "a computation takes at most " + std::to_string(array.block_rows) +
               " rows (block_rows), so it cannot take " + std::to_string(array.least_rows) + " at least";
    where = "latency_cycles";
    const double through = array.fill_cycles() + array.drain_cycles();
    if (array.latency_cycles < through)
        return "words take " + number(through) + " cycles through " + std::to_string(array.rows) + " rows and " +
               std::to_string(array.columns) + " columns with a skew of " + number(array.skew_cycles) +
               ": a latency of " + number(array.latency_cycles) +
               " is too short (--set silicon.systolic_array.latency_cycles=" + number(through) + ")";
    where = "preload_cycles";
    const auto longest = static_cast<double>(array.block_rows);
    if (array.preload_behind && array.preload_cycles > longest && array.in_flight == 1)
        return "with one computation in flight, of " + number(longest) + " cycles, a preload of " +
               number(array.preload_cycles) + " cannot hide behind it";
    return "";
}

}  // namespace

std::string problem_with(const SystolicMachine& machine, std::string& where) {
    if (std::string problem = problem_with(machine.array, where); !problem.empty()) return problem;
    where = "caches";
    for (const Cache& cache : machine.caches)
        if (cache.bytes < cache.line_bytes) return "cache '" + cache.name + "' is smaller than one of its lines";
    where = "store_bytes";
    if (machine.dma.store_bytes > machine.dma.request_bytes)
        return "a write of " + std::to_string(machine.dma.store_bytes) + " bytes is more than a request of " +
               std::to_string(machine.dma.request_bytes);
    where.clear();
    return "";
}

}  // namespace tilewright::silicon
