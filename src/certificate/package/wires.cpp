#include "certificate/package/wires.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::certificate::package_proof {
namespace {

// Of a router: to the right, to the left, down and up. Behind all routers': two of each node, out and in.
constexpr int kWays = 4;

}  // namespace

Wires::Wires(const package::Package& package) : package_(package) {
    for (const package::Core& core : package.cores) places_.push_back(core.at);
    for (const package::Dram& dram : package.drams) places_.push_back(dram.at);
    many_.resize(places_.size());
    for (int y = 0; y < package.rows; ++y)
        for (int x = 0; x < package.columns; ++x)
            for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
                const int to_x = x + dx;
                const int to_y = y + dy;
                const bool crosses = to_x < 0 || to_y < 0 ||
                                     x / package.chiplet_columns != to_x / package.chiplet_columns ||
                                     y / package.chiplet_rows != to_y / package.chiplet_rows;
                rates_.push_back(crosses ? &package.d2d : &package.link);
            }
    rates_.resize(rates_.size() + 2 * places_.size(), &package.local);
}

void Wires::walk(Node from, Node to, std::vector<int>& wires) const {
    const int locals = package_.columns * package_.rows * kWays;
    auto [x, y] = places_[from];
    const auto [to_x, to_y] = places_[to];
    wires.push_back(locals + 2 * from);
    while (x != to_x || y != to_y) {
        const int way = x != to_x ? (x < to_x ? 0 : 1) : (y < to_y ? 2 : 3);
        wires.push_back((y * package_.columns + x) * kWays + way);
        if (way < 2)
            x += way == 0 ? 1 : -1;
        else
            y += way == 2 ? 1 : -1;
    }
    wires.push_back(locals + 2 * to + 1);
}

Multicast Wires::priced(std::vector<int> wires) const {
    Multicast one{std::move(wires)};
    for (const int wire : one.wires) one.energy_pj += rates_[wire]->energy_pj;
    return one;
}

const Multicast& Wires::to_node(Node from, Node to) const {
    const auto [found, is_new] =
        single_.try_emplace(static_cast<std::uint64_t>(from) << 32 | static_cast<unsigned>(to));
    if (!is_new) return found->second;
    std::vector<int> wires;
    if (from != to) walk(from, to, wires);
    found->second = priced(std::move(wires));
    for (const int wire : found->second.wires) found->second.cycles += rates_[wire]->latency_cycles;
    return found->second;
}

const Multicast& Wires::to_cores(Node from, Cores to) const {
    if (std::has_single_bit(to)) return to_node(from, std::countr_zero(to));
    const auto [found, is_new] = many_[from].try_emplace(to);
    if (!is_new) return found->second;
    std::vector<int> wires;
    std::int64_t cycles = 0;
    for (Cores rest = to; rest != 0; rest &= rest - 1) {
        const Multicast& one = to_node(from, std::countr_zero(rest));
        wires.insert(wires.end(), one.wires.begin(), one.wires.end());
        cycles = std::max(cycles, one.cycles);
    }
    std::ranges::sort(wires);
    const auto twice = std::ranges::unique(wires);
    wires.erase(twice.begin(), twice.end());
    found->second = priced(std::move(wires));
    found->second.cycles = cycles;
    return found->second;
}

}  // namespace tilewright::certificate::package_proof
