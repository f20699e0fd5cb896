#include "silicon/accelerator/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "silicon/accuracy.hpp"

namespace tilewright::silicon {
namespace {

constexpr std::size_t kRows = 3;  // for each number
constexpr int kRounds = 6;        // the numbers depend on each other
constexpr int kHalvings = 40;
constexpr double kMostRows = 16.0;  // of a product that waits for its weights

using Products = std::vector<MeasuredProduct>;

double predicted(const Accelerator& machine, const MeasuredProduct& row) {
    return product_us(machine, Precision::bfloat16, row.size);
}

double words(const MeasuredProduct& row) { return row.size.m * row.size.n * row.size.k; }

double from_cube(const MeasuredProduct& row) {
    constexpr double kEdge = 8192.0;
    return std::abs(std::log(row.size.m / kEdge)) + std::abs(std::log(row.size.n / kEdge)) +
           std::abs(std::log(row.size.k / kEdge));
}

// Its shape's rows count once: the fastest engine version.
Products first_of(Products rows, const std::function<bool(const MeasuredProduct&, const MeasuredProduct&)>& before) {
    std::ranges::stable_sort(rows, before);
    Products chosen;
    for (const MeasuredProduct& row : rows) {
        if (chosen.size() == kRows) break;
        const bool is_new = std::ranges::find(chosen, row.size, &MeasuredProduct::size) == chosen.end();
        if (is_new) chosen.push_back(row);
    }
    return chosen;
}

struct Share {
    double CalibratedNumbers::* member;
    double least;
    double most;
    bool slows;  ///< a larger number takes longer
};

constexpr Share kLaunch{&CalibratedNumbers::launch_us, 0.3, 60.0, true};
constexpr Share kBandwidth{&CalibratedNumbers::bandwidth_share, 0.1, 1.2, false};
constexpr Share kRate{&CalibratedNumbers::rate_share, 0.1, 1.2, false};
constexpr Share kLink{&CalibratedNumbers::link_share, 0.05, 1.2, false};

// The number that makes one row right.
double asked_for(const Accelerator& machine, const Share& share, double us,
                 const std::function<double(const Accelerator&)>& time) {
    Accelerator tried = machine;
    double low = share.least;
    double high = share.most;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2.0;
        tried.calibrated.*share.member = middle;
        const bool is_slow = time(tried) > us;
        (is_slow == share.slows ? high : low) = middle;
    }
    return (low + high) / 2.0;
}

Fitted median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    const double value = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
    return {value, values.front(), values.back(), {}};
}

Fitted fit(Accelerator& machine, const Share& share, const Products& rows) {
    std::vector<double> values;
    for (const MeasuredProduct& row : rows)
        values.push_back(
            asked_for(machine, share, row.us, [&](const Accelerator& one) { return predicted(one, row); }));
    Fitted found = median_of(std::move(values));
    for (const MeasuredProduct& row : rows)
        found.rows.push_back(fmt::format("{} x {} x {}", row.size.m, row.size.n, row.size.k));
    machine.calibrated.*share.member = found.value;
    return found;
}

Fitted fit_link(Accelerator& machine, std::vector<MeasuredAllReduce> rows) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, &MeasuredAllReduce::bytes);
    rows.resize(std::min(rows.size(), kRows));
    if (rows.empty())
        return {machine.calibrated.link_share, machine.calibrated.link_share, machine.calibrated.link_share, {}};
    std::vector<double> values;
    for (const MeasuredAllReduce& row : rows)
        values.push_back(asked_for(machine, kLink, row.us, [&](const Accelerator& one) {
            return collective_us(one, Collective::all_reduce, row.devices, row.bytes);
        }));
    Fitted found = median_of(std::move(values));
    for (const MeasuredAllReduce& row : rows)
        found.rows.push_back(fmt::format("all-reduce of {} bytes on {}", row.bytes, row.devices));
    machine.calibrated.link_share = found.value;
    return found;
}

}  // namespace

FittedNumbers fitted(const Accelerator& begin, const std::vector<MeasuredProduct>& products,
                     const std::vector<MeasuredAllReduce>& links) {
    Products narrow;
    std::ranges::copy_if(products, std::back_inserter(narrow),
                         [](const MeasuredProduct& row) { return row.size.m <= kMostRows; });
    const auto least = [](const auto& a, const auto& b) { return words(a) < words(b); };
    const auto heaviest = [](const auto& a, const auto& b) { return a.size.n * a.size.k > b.size.n * b.size.k; };
    const auto cubic = [](const auto& a, const auto& b) { return from_cube(a) < from_cube(b); };
    const Products small = first_of(products, least);
    const Products heavy = first_of(narrow.empty() ? products : narrow, heaviest);
    const Products large = first_of(products, cubic);
    Accelerator machine = begin;
    FittedNumbers found;
    for (int round = 0; round < kRounds; ++round) {
        found.launch_us = fit(machine, kLaunch, small);
        found.bandwidth_share = fit(machine, kBandwidth, heavy);
        found.rate_share = fit(machine, kRate, large);
    }
    found.link_share = fit_link(machine, links);
    std::vector<double> guesses;
    std::vector<double> measured;
    for (const MeasuredProduct& row : products) {
        guesses.push_back(predicted(machine, row));
        measured.push_back(row.us);
    }
    found.median_error = accuracy_of(guesses, measured).median;
    return found;
}

}  // namespace tilewright::silicon
