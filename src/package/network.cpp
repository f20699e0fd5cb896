#include "package/network.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::package {
namespace {

// Numbers of the links by place: routers have one to each neighbour, nodes one each way.
class Wiring {
   public:
    Wiring(const Package& package, std::vector<NetworkLink>& links) : package_(package), links_(links) {
        const int routers = package.columns * package.rows;
        out_.assign(routers * 4, -1);
        for (int y = 0; y < package.rows; ++y)
            for (int x = 0; x < package.columns; ++x) {
                if (x + 1 < package.columns) both({x, y}, {x + 1, y});
                if (y + 1 < package.rows) both({x, y}, {x, y + 1});
            }
    }

    // To the router; the next number is the way back.
    int hang(int node, const Place& at) {
        links_.push_back({LinkSort::local, package_.local, at, at, node, true});
        links_.push_back({LinkSort::local, package_.local, at, at, node, false});
        return static_cast<int>(links_.size()) - 2;
    }

    void walk(Place at, const Place& to, std::vector<int>& route) const {
        while (at != to) {
            Place next = at;
            if (at.x != to.x)
                next.x += to.x > at.x ? 1 : -1;
            else
                next.y += to.y > at.y ? 1 : -1;
            route.push_back(out_[slot(at, next)]);
            at = next;
        }
    }

   private:
    int slot(const Place& from, const Place& to) const {
        const int way = to.x > from.x ? 0 : to.x < from.x ? 1 : to.y > from.y ? 2 : 3;
        return (from.y * package_.columns + from.x) * 4 + way;
    }
    void both(const Place& a, const Place& b) {
        const bool same = a.x / package_.chiplet_columns == b.x / package_.chiplet_columns &&
                          a.y / package_.chiplet_rows == b.y / package_.chiplet_rows;
        const LinkSort sort = same ? LinkSort::link : LinkSort::d2d;
        const LinkRate& rate = same ? package_.link : package_.d2d;
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            out_[slot(from, to)] = static_cast<int>(links_.size());
            links_.push_back({sort, rate, from, to});
        }
    }

    const Package& package_;
    std::vector<NetworkLink>& links_;
    std::vector<int> out_;
};

}  // namespace

Network::Network(const Package& package)
    : core_count_(package.core_count()), nodes_(package.core_count() + package.dram_count()) {
    Wiring wiring(package, links_);
    std::vector<Place> places;
    for (const Core& core : package.cores) places.push_back(core.at);
    for (const Dram& dram : package.drams) places.push_back(dram.at);
    std::vector<int> local;
    for (int node = 0; node < nodes_; ++node) local.push_back(wiring.hang(node, places[node]));
    routes_.resize(static_cast<std::size_t>(nodes_) * nodes_);
    latencies_.assign(routes_.size(), 0);
    for (int from = 0; from < nodes_; ++from)
        for (int to = 0; to < nodes_; ++to) {
            if (from == to) continue;
            std::vector<int>& route = routes_[from * nodes_ + to];
            route.push_back(local[from]);
            wiring.walk(places[from], places[to], route);
            route.push_back(local[to] + 1);
            for (const int link : route) latencies_[from * nodes_ + to] += links_[link].rate.latency_cycles;
        }
}

const Tree& Network::tree(int from, NodeSet to) const {
    const auto [place, is_new] = trees_.try_emplace(Key{from, to});
    Tree& tree = place->second;
    if (!is_new) return tree;
    for (NodeSet rest = to; rest != 0; rest &= rest - 1) {
        const int node = std::countr_zero(rest);
        tree.links.insert(tree.links.end(), route(from, node).begin(), route(from, node).end());
        tree.latency_cycles = std::max(tree.latency_cycles, latency(from, node));
    }
    std::ranges::sort(tree.links);
    const auto twice = std::ranges::unique(tree.links);
    tree.links.erase(twice.begin(), twice.end());
    for (const int link : tree.links) {
        tree.energy_pj += links_[link].rate.energy_pj;
        if (links_[link].sort == LinkSort::d2d) tree.d2d_pj += links_[link].rate.energy_pj;
    }
    return tree;
}

std::string name_of(const NetworkLink& link, int core_count) {
    const auto place = [](const Place& at) { return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + ")"; };
    if (link.sort != LinkSort::local) return place(link.from) + "-" + place(link.to);
    const std::string node =
        link.node < core_count ? "core " + std::to_string(link.node) : "dram " + std::to_string(link.node - core_count);
    return node + (link.into_router ? " out" : " in");
}

}  // namespace tilewright::package
