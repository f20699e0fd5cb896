#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "silicon/accelerator/kernels.hpp"
#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {
namespace {

using Loads = std::vector<std::int64_t>;

// Experts in turn to the ranks.
std::vector<Loads> balanced(std::int64_t total, std::int64_t experts, std::int64_t ranks) {
    std::vector<Loads> loads(ranks, Loads(experts / ranks));
    for (std::int64_t i = 0; i < experts / ranks * ranks; ++i)
        loads[i % ranks][i / ranks] = total / experts + (i < total % experts ? 1 : 0);
    return loads;
}

// Quantiles at multiples of the golden ratio: evenly spread, without chance.
std::vector<double> power_law_quantiles(std::int64_t count, double exponent, double least, double most) {
    constexpr double kGolden = 0.6180339887498949;
    const double power = 1.0 - exponent;
    const double low = std::pow(least, power);
    const double span = std::pow(most, power) - low;
    std::vector<double> values(count);
    for (std::int64_t i = 0; i < count; ++i) {
        const double u = std::fmod(static_cast<double>(i + 1) * kGolden, 1.0);
        values[i] = std::pow(span * u + low, 1.0 / power);
    }
    return values;
}

// Rounded loads miss the total: the ranks in turn give or take a row.
void settle(std::vector<Loads>& loads, std::int64_t missing, std::int64_t tokens, std::int64_t most_turns) {
    for (std::int64_t turn = 0; missing != 0 && turn < most_turns; ++turn) {
        Loads& rank = loads[turn % static_cast<std::int64_t>(loads.size())];
        auto& load = missing > 0 ? *std::ranges::min_element(rank) : *std::ranges::max_element(rank);
        const std::int64_t change = missing > 0 ? (load < tokens ? 1 : 0) : (load > 0 ? -1 : 0);
        load += change;
        missing -= change;
    }
}

std::vector<Loads> skewed(std::int64_t tokens, std::int64_t experts, std::int64_t topk, std::int64_t ranks,
                          double exponent) {
    constexpr double kMostShare = 0.8;
    constexpr std::int64_t kTurns = 64;
    const std::int64_t total = tokens * topk;
    const auto most = static_cast<double>(tokens) * kMostShare;
    const std::vector<double> wanted = total > experts ? power_law_quantiles(experts, exponent, 1.0, most)
                                                       : power_law_quantiles(experts, exponent, 0.01, 2.0);
    const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
    const std::int64_t each = experts / ranks;
    std::vector<Loads> loads(ranks, Loads(each));
    std::int64_t given = 0;
    for (std::int64_t i = 0; i < each * ranks; ++i) {
        const double load = std::nearbyint(wanted[i] / sum * static_cast<double>(total));
        loads[i / each][i % each] = std::min(static_cast<std::int64_t>(load), tokens);
        given += loads[i / each][i % each];
    }
    settle(loads, total - given, tokens, experts * kTurns);
    return loads;
}

}  // namespace

ExpertSpread spread_of(std::int64_t tokens, std::int64_t experts, std::int64_t topk, std::int64_t ranks,
                       double power_law) {
    const std::vector<Loads> loads =
        power_law > 0.0 ? skewed(tokens, experts, topk, ranks, power_law) : balanced(tokens * topk, experts, ranks);
    const auto rows = [](const Loads& rank) { return std::accumulate(rank.begin(), rank.end(), std::int64_t{0}); };
    const Loads& most = *std::ranges::max_element(loads, {}, rows);
    ExpertSpread spread;
    spread.rows = rows(most);
    for (const std::int64_t load : most) {
        spread.experts_in_use += load > 0 ? 1 : 0;
        for (std::size_t i = 0; i < kExpertTileRows.size(); ++i)
            spread.row_tiles[i] += (load + kExpertTileRows[i] - 1) / kExpertTileRows[i];
    }
    return spread;
}

namespace {

struct Grouped {
    const Accelerator& machine;
    const ExpertsForm& form;
    Precision precision;
    const ExpertSpread& spread;
    double local_experts;
};

double grouped_memory_us(const Grouped& all, double columns, double depth) {
    constexpr double kPasses = 1.5;  // of the local weights, between two uses
    constexpr double kResultBytes = 2.0;
    const PrecisionWidth width = width_of(all.precision);
    const double local = all.local_experts * columns * depth * width.weight_bytes * kPasses;
    const double read = local < all.form.kept_share * all.machine.sheet.cache_bytes ? all.form.kept_reads : 1.0;
    const double weights = static_cast<double>(all.spread.experts_in_use) * columns * depth * width.weight_bytes * read;
    const double rows = static_cast<double>(all.spread.rows) * (depth * width.input_bytes + columns * kResultBytes);
    return (weights + rows * all.form.row_factor) / (all.machine.reached_bytes_per_us() * all.form.bandwidth_factor);
}

// The best tile of a product of every expert's rows.
double grouped_product_us(const Grouped& all, double columns, double depth) {
    constexpr double kStep = 64.0;
    constexpr double kMostResults = 32768.0;
    const DataSheet& sheet = all.machine.sheet;
    const PrecisionWidth width = width_of(all.precision);
    const double rate = sheet.operations_per_us * rate_factor(sheet, all.precision) *
                        all.machine.calibrated.rate_share * all.form.rate_factor / sheet.multiprocessors;
    const double inlet = all.form.inlet_bytes_per_cycle * sheet.clock_per_us;
    const double memory = grouped_memory_us(all, columns, depth);
    const double steps = std::ceil(depth / kStep) * kStep;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kExpertTileRows.size(); ++i) {
        const auto rows = static_cast<double>(kExpertTileRows[i]);
        const double efficiency = std::pow(std::min(1.0, rows / all.form.full_rows), all.form.rows_exponent);
        for (const double tile : {64.0, 128.0, 256.0}) {
            if (rows * tile > kMostResults) continue;
            const double block =
                std::max(2.0 * rows * tile * steps / (rate * efficiency),
                         steps * (width.input_bytes * rows / 2.0 + width.weight_bytes * tile) / inlet) +
                all.form.tile_cycles / sheet.clock_per_us;
            const double blocks = static_cast<double>(all.spread.row_tiles[i]) * std::ceil(columns / tile);
            best =
                std::min(best, overlapped(std::ceil(blocks / sheet.multiprocessors) * block, memory, all.form.overlap));
        }
    }
    return best;
}

}  // namespace

double experts_us(const Accelerator& machine, const ExpertsForm& form, Precision precision, const ExpertsSize& size,
                  const ExpertSpread& spread) {
    constexpr double kActivationBytes = 2.0;
    const double inter = std::floor(size.inter / size.tp);
    const double local = size.experts / size.ep;
    const Grouped all{machine, form, precision, spread, local};
    const double gates = form.is_plain > 0.0 ? 1.0 : 2.0;
    const double sorted = size.tokens * size.topk * size.hidden * kActivationBytes;
    return form.fix_us + form.sort_factor * sorted / (machine.reached_bytes_per_us() * form.bandwidth_factor) +
           form.expert_us * local + grouped_product_us(all, gates * inter, size.hidden) +
           grouped_product_us(all, size.hidden, inter);
}

const ExpertsForm& experts_form(const Form& form, Precision precision, const std::string& kernel) {
    for (const NamedExperts& one : form.experts)
        if (!kernel.empty() && one.kernel == kernel && one.precision == precision) return one.form;
    const auto usual = form.usual_experts.find(precision);
    if (usual == form.usual_experts.end()) throw std::invalid_argument("no form of experts at " + name_of(precision));
    return usual->second;
}

}  // namespace tilewright::silicon
