#include "codesign/found_machines.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "codesign/search.hpp"

namespace tilewright::codesign {

bool covers(const Values& values, const Values& floors) {
    for (std::size_t m = 0; m < values.size(); ++m)
        if (floors[m] < values[m] * kClose) return false;
    return true;
}

bool FoundMachines::covered(const Values& floors) const {
    return std::ranges::any_of(all_, [&](const FrontMachine& one) { return covers(one.values, floors); });
}

bool FoundMachines::add(const FrontMachine& machine) {
    const auto no_worse = [](const FrontMachine& a, const FrontMachine& b) {
        return std::ranges::equal(a.values, b.values, std::less_equal<>{});
    };
    for (const FrontMachine& one : all_)
        if (no_worse(one, machine) && (one.values != machine.values || one.point < machine.point)) return false;
    std::erase_if(all_, [&](const FrontMachine& one) { return no_worse(machine, one); });
    all_.push_back(machine);
    return true;
}

double FoundMachines::enough(const Values& floors, std::size_t metric) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    double least = kNever;
    for (const FrontMachine& one : all_) {
        Values others = floors;
        others[metric] = kNever;
        if (covers(one.values, others)) least = std::min(least, one.values[metric] * kClose);
    }
    return least;
}

std::vector<FrontMachine> FoundMachines::front() const {
    std::vector<FrontMachine> sorted = all_;
    std::ranges::sort(sorted, [](const FrontMachine& a, const FrontMachine& b) {
        return std::tie(a.values, a.point) < std::tie(b.values, b.point);
    });
    std::vector<FrontMachine> front;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        bool beaten = false;
        for (std::size_t j = 0; j < sorted.size() && !beaten; ++j)
            beaten = j != i && covers(sorted[j].values, sorted[i].values) &&
                     (j < i || !covers(sorted[i].values, sorted[j].values));
        if (!beaten) front.push_back(sorted[i]);
    }
    return front;
}

double FoundMachines::gap(const Values& floors) const {
    double least = 1.0;
    for (const FrontMachine& one : all_) {
        double most = 0.0;
        for (std::size_t m = 0; m < floors.size(); ++m)
            if (one.values[m] > 0.0) most = std::max(most, 1.0 - floors[m] / one.values[m]);
        least = std::min(least, most);
    }
    return least;
}

}  // namespace tilewright::codesign
