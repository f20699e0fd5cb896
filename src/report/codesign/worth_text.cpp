#include "report/codesign/worth_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers/number_text.hpp"

namespace tilewright::report {
namespace {

// Equal to nine digits, within rounding of sums.
bool as_good(double value, double best) { return value * codesign::kClose <= best; }

}  // namespace

std::string worth_text(const KnobWorth& worth, double best) {
    const auto worse = [&](double value) { return fmt::format("{:.2f} %", 100.0 * (value / best - 1.0)); };
    if (worth.of_best) return "the best machine has it";
    if (worth.proven && !worth.found) return "no valid machine has it";
    if (worth.found && as_good(*worth.found, best)) return "as good";
    if (worth.proven) return worse(*worth.found) + " worse";
    const double least = worth.least.value_or(0.0);
    const std::string floor = as_good(least, best) ? "perhaps as good" : "at least " + worse(least) + " worse";
    return worth.found ? floor + ", at most " + worse(*worth.found) + " worse" : floor;
}

std::vector<KnobWorth> knob_worth(const std::vector<codesign::Held>& all, const explore::Space& space,
                                  const codesign::Best& best) {
    std::vector<KnobWorth> worth;
    for (const codesign::Held& held : all) {
        const explore::Knob& knob = space.knobs()[held.knob];
        KnobWorth one{knob.name, knob.values[held.position], held.machines, {}, {}, {}, held.proven};
        if (std::isfinite(held.bound)) one.least = held.bound;
        one.of_best = space.position(best.point, held.knob) == held.position;
        if (held.best) {
            one.found = held.best->value;
            one.point = held.best->point;
        }
        worth.push_back(std::move(one));
    }
    return worth;
}

Table worth_table(const BestMachineReport& report) {
    Table table({"knob", "value", "the best machine with it", "point", "machines"}, "lrlrr");
    std::string last;
    for (const KnobWorth& worth : report.worth) {
        if (!last.empty() && worth.knob != last) table.rule();
        last = worth.knob;
        table.add({worth.knob, worth.value, worth_text(worth, report.value.value()),
                   worth.point ? std::to_string(*worth.point) : "-", count_text(worth.machines)});
    }
    return table;
}

}  // namespace tilewright::report
