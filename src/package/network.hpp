// The links of a package and the trees that multicasts take over them: x first, then y.
//
// Nodes are cores 0 .. , then DRAMs. From one source the routes to all nodes are a tree, so that a multicast goes once
// over every link of their union. Trees are remembered: one Network is for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "package/package.hpp"

namespace tilewright::package {

/// A set of nodes by number: cores, then DRAMs. Requires at most 64 nodes (see Network).
using NodeSet = std::uint64_t;

enum class LinkSort { link, d2d, local };

struct NetworkLink {
    LinkSort sort = LinkSort::local;
    LinkRate rate;
    Place from;  ///< routers; of local links both the same
    Place to;
    int node = -1;             ///< of local links
    bool into_router = false;  ///< of local links
};

/// Links of a multicast.
struct Tree {
    std::vector<int> links;
    double energy_pj = 0.0;           ///< a word
    double d2d_pj = 0.0;              ///< of that, between chiplets
    std::int64_t latency_cycles = 0;  ///< of its longest route
};

class Network {
   public:
    /// Requires problem_with(package) to be "" and cores and DRAMs to be 64 at most together.
    explicit Network(const Package& package);

    const std::vector<NetworkLink>& links() const { return links_; }
    int dram_node(int dram) const { return core_count_ + dram; }
    const std::vector<int>& route(int from, int to) const { return routes_[from * nodes_ + to]; }
    std::int64_t latency(int from, int to) const { return latencies_[from * nodes_ + to]; }
    /// Valid as long as the network.
    const Tree& tree(int from, NodeSet to) const;

   private:
    struct Key {
        int from = 0;
        NodeSet to = 0;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>((key.to ^ (key.to >> 29)) * 0x9E3779B97F4A7C15ULL +
                                            static_cast<std::uint64_t>(key.from) * 0xBF58476D1CE4E5B9ULL);
        }
    };

    int core_count_ = 0;
    int nodes_ = 0;
    std::vector<NetworkLink> links_;
    std::vector<std::vector<int>> routes_;
    std::vector<std::int64_t> latencies_;
    mutable std::unordered_map<Key, Tree, Hash> trees_;
};

/// "(1,0)-(2,0)", "core 3 out", "dram 0 in".
std::string name_of(const NetworkLink& link, int core_count);

}  // namespace tilewright::package
