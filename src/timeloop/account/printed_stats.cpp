#include "timeloop/account/printed_stats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace tilewright::account {
namespace {

struct Convention {
    bool TimeloopOptions::* option;
    bool unless;  ///< the value without a switch
    const char* name;
};
constexpr std::array<Convention, 5> kConventions{
    {{&TimeloopOptions::link_transfers, true, "--no-link-transfers"},
     {&TimeloopOptions::first_read_elision, true, "--no-first-read-elision"},
     {&TimeloopOptions::reuse_after_pause, true, "--no-reuse-after-pause"},
     {&TimeloopOptions::first_fills, false, "--first-fills"},
     {&TimeloopOptions::dearest_action, false, "--dearest-action"}}};

class Comparing {
   public:
    Comparing(const Einsum& einsum, const TimeloopResult& result, ConventionFit& fit)
        : einsum_(einsum), result_(result), fit_(fit) {}

    void run(const PrintedStats& printed) {
        for (const PrintedLevel& level : printed.levels) compare(level);
        add("", "", "cycles", static_cast<double>(result_.cycles), printed.cycles, 0.0);
        add("", "", "energy (uJ)", result_.energy_pj * 1e-6, printed.energy_uj, kHalfDigit);
    }

   private:
    static constexpr double kHalfDigit = 0.00501;  // energies have two decimals
    static constexpr double kRounding = 1e-6;      // Timeloop sums some energies in 32-bit floats

    void compare(const PrintedLevel& level) {
        if (level.tensors.empty())
            return add(level.name, "", "energy (pJ)", result_.compute_energy_pj, level.energy_pj, kHalfDigit);
        const auto memory = std::find_if(result_.memories.begin(), result_.memories.end(),
                                         [&](const TimeloopMemory& one) { return one.name == level.name; });
        if (memory == result_.memories.end()) return fit_.unknown_levels.push_back(level.name);
        for (const PrintedTensor& tensor : level.tensors) {
            const int index = find_tensor(einsum_, tensor.name);
            if (index < 0) {
                fit_.unknown_levels.push_back(level.name + ": " + tensor.name);
                continue;
            }
            const TimeloopTensor& counted = memory->tensors[index];
            add(level.name, tensor.name, "reads", static_cast<double>(counted.reads), tensor.reads, 0.0);
            add(level.name, tensor.name, "fills", static_cast<double>(counted.fills), tensor.fills, 0.0);
            add(level.name, tensor.name, "updates", static_cast<double>(counted.updates), tensor.updates, 0.0);
            add(level.name, tensor.name, "energy (pJ)", counted.energy_pj, tensor.energy_pj, kHalfDigit);
        }
    }

    void add(const std::string& level, const std::string& tensor, const char* what, double counted,
             const std::optional<double>& printed, double half_digit) {
        if (!printed) return;
        const double room = half_digit == 0.0 ? 0.0 : half_digit + kRounding * std::abs(*printed);
        fit_.figures.push_back({level, tensor, what, counted, *printed, std::abs(counted - *printed) <= room});
    }

    const Einsum& einsum_;
    const TimeloopResult& result_;
    ConventionFit& fit_;
};

int switches_between(const TimeloopOptions& a, const TimeloopOptions& b) {
    return static_cast<int>(std::count_if(kConventions.begin(), kConventions.end(),
                                          [&](const Convention& one) { return a.*(one.option) != b.*(one.option); }));
}

}  // namespace

std::size_t ConventionFit::differences() const {
    return static_cast<std::size_t>(
        std::count_if(figures.begin(), figures.end(), [](const PrintedFigure& one) { return !one.equal; }));
}

double ConventionFit::distance() const {
    double sum = 0.0;
    for (const PrintedFigure& one : figures)
        if (!one.equal)
            sum += std::abs(one.counted - one.printed) / std::max(std::abs(one.counted), std::abs(one.printed));
    return sum;
}

ConventionFit compare_with_stats(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                 const TimeloopOptions& options, const PrintedStats& printed) {
    ConventionFit fit;
    fit.options = options;
    const TimeloopResult result = timeloop(einsum, architecture, mapping, options);
    fit.refusal = result.refusal;
    if (!fit.refusal) Comparing(einsum, result, fit).run(printed);
    return fit;
}

ConventionFit best_convention(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                              const TimeloopOptions& options, const PrintedStats& printed) {
    ConventionFit best = compare_with_stats(einsum, architecture, mapping, options, printed);
    if (best.refusal) return best;
    const auto rank = [&](const ConventionFit& fit) {
        return std::tuple(fit.differences(), fit.distance(), switches_between(fit.options, options));
    };
    for (unsigned set = 0; set < 1U << kConventions.size(); ++set) {
        TimeloopOptions tried = options;
        for (std::size_t i = 0; i < kConventions.size(); ++i)
            tried.*(kConventions[i].option) = ((set >> i & 1U) != 0) != kConventions[i].unless;
        ConventionFit fit = compare_with_stats(einsum, architecture, mapping, tried, printed);
        if (!fit.refusal && rank(fit) < rank(best)) best = std::move(fit);
    }
    return best;
}

std::string switches_of(const TimeloopOptions& options) {
    std::string text;
    for (const Convention& one : kConventions)
        if (options.*(one.option) != one.unless) text += (text.empty() ? "" : " ") + std::string(one.name);
    return text;
}

std::string summary_of(const ConventionFit& fit) {
    const std::string switches = switches_of(fit.options);
    const std::size_t all = fit.figures.size();
    return (switches.empty() ? "no switches" : switches) + ": " + std::to_string(all - fit.differences()) + " of " +
           std::to_string(all) + " figures are equal";
}

}  // namespace tilewright::account
