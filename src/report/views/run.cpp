#include "report/views/run.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::views {
namespace {

std::string option_of(const Run& run, const std::string& name) {
    for (const auto& [key, value] : run.options)
        if (key == name) return value;
    return "";
}

// Possible distinctions of runs with one title, the most telling first.
std::vector<std::string> marks_of(const Run& run) {
    return {run.accounting, option_of(run, "objective"), option_of(run, "mapper"), option_of(run, "factors"), run.file};
}

}  // namespace

double MemoryCosts::energy_pj() const {
    double sum = leakage_pj;
    for (const TensorCosts& tensor : tensors) sum += tensor.energy_pj + tensor.link_energy_pj;
    return sum;
}

double MemoryCosts::words() const {
    double sum = 0.0;
    for (const TensorCosts& tensor : tensors) sum += tensor.read_words + tensor.fill_words + tensor.update_words;
    return sum;
}

const RunMemory* Run::memory(const std::string& name) const {
    const auto found =
        std::find_if(memories.begin(), memories.end(), [&](const RunMemory& memory) { return memory.name == name; });
    return found == memories.end() ? nullptr : &*found;
}

Totals totals(const Run& run) {
    Totals sum;
    for (const Layer& layer : run.layers) {
        sum.layers += layer.repeats;
        if (!layer.costs) {
            sum.missing += layer.repeats;
            continue;
        }
        sum.computes += layer.costs->computes * layer.repeats;
        sum.cycles += layer.costs->cycles * layer.repeats;
        sum.energy_pj += layer.costs->energy_pj * layer.repeats;
    }
    return sum;
}

void make_titles_distinct(std::vector<Run>& runs) {
    std::map<std::string, std::vector<Run*>> equal;
    for (Run& run : runs) equal[run.title].push_back(&run);
    for (const auto& [title, group] : equal) {
        if (group.size() == 1) continue;
        for (std::size_t mark = 0; mark < marks_of(*group.front()).size(); ++mark) {
            std::set<std::string> values;
            for (const Run* run : group) values.insert(marks_of(*run)[mark]);
            if (values.size() == 1) continue;
            for (Run* run : group) run->title += ", " + marks_of(*run)[mark];
            if (values.size() == group.size()) break;
        }
    }
    std::map<std::string, int> seen;
    for (Run& run : runs)
        if (const int number = ++seen[run.title]; number > 1) run.title += " (" + std::to_string(number) + ")";
}

}  // namespace tilewright::views
