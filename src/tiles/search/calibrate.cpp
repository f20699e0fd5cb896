#include "tiles/search/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "tiles/search/objective.hpp"
#include "tiles/search/points.hpp"

namespace tilewright::tiles {
namespace {

// More rows say no more of seven numbers.
constexpr std::size_t kMostFittedRows = 4000;
constexpr int kMostRounds = 12;
constexpr double kSmallestGain = 1e-4;
// What a median of few rows may say of code.
constexpr double kBestQuality = 0.5;
constexpr double kWorstQuality = 2.0;
// Chosen on the tables of docs/evidence/tiles.md.
constexpr double kUnmeasured = 1.2;
constexpr double kPrior = 0.08;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Rows with their slots filled in, against numbers of the machine that vary.
class Fit {
   public:
    Fit(const Rules& rules, Machine machine, const std::vector<MeasuredPoint>& rows)
        : problem_(make_problem(rules, std::move(machine))), scorer_(problem_, {Measure::time}) {
        for (const MeasuredPoint& row : rows) {
            if (!(row.us > 0.0)) throw InputError(ErrorCode::bad_value, {}, "a measured time is above 0");
            slots_.push_back(slots_for(problem_, row.given));
            if (row.point.size() != rules.chosen.size())
                throw InputError(ErrorCode::bad_value, {}, "a row has another number of values than are chosen");
            std::ranges::copy(row.point, slots_.back().begin() + rules.point_slot());
            complete(rules, slots_.back().data());
            measured_.push_back(row.us);
        }
    }

    double predicted(std::size_t row) {
        scorer_.score(slots_[row].data());
        return scorer_.time_us();
    }
    double measured(std::size_t row) const { return measured_[row]; }
    std::size_t rows() const { return slots_.size(); }
    const std::vector<std::int64_t>& slots(std::size_t row) const { return slots_[row]; }

    double error() {
        const std::size_t step = std::max<std::size_t>(1, rows() / kMostFittedRows);
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t row = 0; row < rows(); row += step, ++count)
            sum += std::abs(std::log(predicted(row) / measured(row)));
        return sum / static_cast<double>(count);
    }

    /// The value of that number among `values` with the least error; whether it is a better one.
    bool improve(const std::string& name, const std::vector<double>& values, double& error_now) {
        const auto at = std::ranges::find(problem_.rules.machine, name) - problem_.rules.machine.begin();
        bool better = false;
        for (const double value : values) {
            const double before = std::exchange(problem_.real[at], value);
            const double after = error();
            if (after < error_now - kSmallestGain * 0.1) {
                error_now = after;
                better = true;
            } else {
                problem_.real[at] = before;
            }
        }
        return better;
    }

    double number(const std::string& name) const {
        return problem_.real[std::ranges::find(problem_.rules.machine, name) - problem_.rules.machine.begin()];
    }

   private:
    Problem problem_;
    Scorer scorer_;
    std::vector<std::vector<std::int64_t>> slots_;
    std::vector<double> measured_;
};

// The listed values first, then between them: an eighth of the way to each side, then less.
void fit_numbers(Fit& fit, const Rules& rules) {
    double error = fit.error();
    for (int round = 0; round < kMostRounds; ++round) {
        const double before = error;
        for (const auto& [name, values] : rules.calibrate) {
            if (round < 3) {
                fit.improve(name, values, error);
                continue;
            }
            const double now = fit.number(name);
            const double step = round < 7 ? 1.12 : 1.04;
            const auto [least, most] = std::ranges::minmax(values);
            fit.improve(name, {std::max(least, now / step), std::min(most, now * step)}, error);
        }
        if (round > 3 && before - error < kSmallestGain) return;
    }
}

void take_qualities(Fit& fit, const Rules& rules, Machine& machine) {
    std::map<std::vector<std::int64_t>, std::vector<double>> by_code;
    for (std::size_t row = 0; row < fit.rows(); ++row) {
        std::vector<std::int64_t> key;
        for (const IntegerProgram& part : rules.quality) key.push_back(part(fit.slots(row).data()));
        by_code[key].push_back(fit.measured(row) / fit.predicted(row));
    }
    for (auto& [key, shares] : by_code) {
        const auto rows = static_cast<std::int64_t>(shares.size());
        const bool measured = rows >= kLeastQualityRows;
        machine.quality[key] = {measured ? std::clamp(median(shares), kBestQuality, kWorstQuality) : 1.0, rows};
    }
    machine.unmeasured = kUnmeasured;
    machine.prior = kPrior;
}

void take_kernels_seen(const Rules& rules, const std::vector<MeasuredPoint>& rows, Machine& machine) {
    machine.kernels.clear();
    const bool listed = std::ranges::any_of(
        rules.choices, [](const Choice& choice) { return choice.values.kind == Values::Kind::kernels; });
    if (!listed) return;
    const Choice& choice = *std::ranges::find_if(
        rules.choices, [](const Choice& one) { return one.values.kind == Values::Kind::kernels; });
    const std::size_t begin = static_cast<std::size_t>(choice.slot - rules.point_slot());
    for (const MeasuredPoint& row : rows) {
        const auto first = row.point.begin() + static_cast<std::ptrdiff_t>(begin);
        machine.kernels.emplace_back(first, first + static_cast<std::ptrdiff_t>(choice.names.size()));
    }
    std::ranges::sort(machine.kernels);
    machine.kernels.erase(std::ranges::unique(machine.kernels).begin(), machine.kernels.end());
}

double median_error(Fit fit) {
    std::vector<double> errors;
    for (std::size_t row = 0; row < fit.rows(); ++row)
        errors.push_back(std::abs(fit.predicted(row) / fit.measured(row) - 1.0));
    return median(std::move(errors));
}

}  // namespace

Machine calibrated(const Rules& rules, const Machine& begin, const std::vector<MeasuredPoint>& rows) {
    if (rows.empty()) throw InputError(ErrorCode::bad_value, {}, "no rows to calibrate with");
    if (rules.time.empty()) throw InputError(ErrorCode::usage, {}, "the rules of " + rules.kernel + " have no time");
    Machine machine = begin;
    machine.quality.clear();
    take_kernels_seen(rules, rows, machine);
    Fit fit(rules, machine, rows);
    fit_numbers(fit, rules);
    for (const auto& [name, values] : rules.calibrate) machine.numbers[name] = fit.number(name);
    if (!rules.quality.empty()) take_qualities(fit, rules, machine);
    machine.measured_rows = static_cast<std::int64_t>(rows.size());
    machine.measured_error = median_error(Fit(rules, machine, rows));
    return machine;
}

}  // namespace tilewright::tiles
