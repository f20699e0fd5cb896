#include "gemmini_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

namespace tilewright::silicon_study {
namespace {

using silicon::SystolicMachine;

constexpr int kRounds = 6;
constexpr double kFirstStep = 1.4;
constexpr double kNarrower = 0.6;
constexpr double kWorstCounted = 1.0;  // of |log|: an outlier does not decide

constexpr int kConstants = 5;

double& constant(SystolicMachine& machine, int index) {
    switch (index) {
        case 0: return machine.dma.request_cycles;
        case 1: return machine.caches[0].read_miss_cycles;
        case 2: return machine.caches[1].read_miss_cycles;
        case 3: return machine.caches[1].write_miss_cycles;
        default: return machine.start_cycles;
    }
}

// A store that misses the first cache reads a line and writes one back.
void tie(SystolicMachine& machine) { machine.caches[0].write_miss_cycles = 2.0 * machine.caches[0].read_miss_cycles; }

double loss(const std::vector<const MeasuredTraffic*>& rows, const SystolicMachine& machine) {
    double sum = 0.0;
    for (const MeasuredTraffic* row : rows)
        sum += std::min(kWorstCounted,
                        std::abs(std::log(silicon::systolic_latency(row->traffic, machine).cycles / row->cycles)));
    return sum;
}

SystolicMachine scaled(SystolicMachine machine, int index, double factor) {
    constant(machine, index) *= factor;
    tie(machine);
    return machine;
}

// Round numbers in the place of what is calibrated: no fold knows what the others came to.
SystolicMachine uncalibrated(SystolicMachine machine) {
    machine.dma.request_cycles = 4.0;  // 64 bytes on a bus of 16
    machine.caches[0].read_miss_cycles = 4.0;
    machine.caches[1].read_miss_cycles = 20.0;
    machine.caches[1].write_miss_cycles = 20.0;
    machine.start_cycles = 1000.0;
    return machine;
}

std::vector<std::string> dealt(const std::vector<MeasuredTraffic>& rows, std::uint64_t seed) {
    std::set<std::string> known;
    for (const MeasuredTraffic& row : rows) known.insert(row.shape);
    std::vector<std::string> shapes(known.begin(), known.end());
    std::mt19937_64 random(seed);
    for (std::size_t i = shapes.size(); i > 1; --i) std::swap(shapes[i - 1], shapes[random() % i]);
    return shapes;
}

}  // namespace

SystolicMachine calibrated(const std::vector<const MeasuredTraffic*>& rows, SystolicMachine machine) {
    tie(machine);
    double best = loss(rows, machine);
    double step = kFirstStep;
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kConstants; ++i)
            for (const double factor : {step, 1.0 / step}) {
                SystolicMachine next = scaled(machine, i, factor);
                for (double value = loss(rows, next); value < best - 1e-6; value = loss(rows, next)) {
                    best = value;
                    machine = next;
                    next = scaled(machine, i, factor);
                }
            }
        step = 1.0 + (step - 1.0) * kNarrower;
    }
    return machine;
}

std::vector<double> cross_validated(const std::vector<MeasuredTraffic>& rows, const SystolicMachine& machine, int folds,
                                    std::uint64_t seed) {
    const std::vector<std::string> shapes = dealt(rows, seed);
    std::vector<double> predicted(rows.size());
    for (int fold = 0; fold < folds; ++fold) {
        std::set<std::string> out;
        for (std::size_t i = fold; i < shapes.size(); i += folds) out.insert(shapes[i]);
        std::vector<const MeasuredTraffic*> others;
        for (const MeasuredTraffic& row : rows)
            if (!out.contains(row.shape)) others.push_back(&row);
        if (others.empty()) others.push_back(&rows.front());
        const SystolicMachine fitted = calibrated(others, uncalibrated(machine));
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (out.contains(rows[i].shape)) predicted[i] = silicon::systolic_latency(rows[i].traffic, fitted).cycles;
    }
    return predicted;
}

}  // namespace tilewright::silicon_study
