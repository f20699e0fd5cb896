#include "certificate/imperfect/chain.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"

namespace tilewright::certificate {
namespace {

auto rank_of(const Chain::Node& node) { return std::tuple(node.product, node.full_from, node.idle_below, node.looped); }

struct Before {
    bool operator()(const Chain::Node& a, const Chain::Node& b) const { return rank_of(a) < rank_of(b); }
};

double chunks_of(double extent, double product) {
    return static_cast<double>(ceil_div(static_cast<std::int64_t>(extent), static_cast<std::int64_t>(product)));
}

}  // namespace

Chain::Chain(std::int64_t extent, std::vector<ChainLevel> levels, bool whole)
    : extent_(static_cast<double>(extent)), levels_(std::move(levels)), whole_(whole) {
    find_nodes();
    link();
    find_least();
    count_pairs();
}

bool Chain::crosses(int level, const Node& from, Node& to) const {
    const ChainLevel& here = levels_[level];
    to = from;
    if (here.spread == 1) return true;
    if (!here.spatial.allows(here.spread, static_cast<std::int64_t>(from.chunks))) return false;
    to.product *= static_cast<double>(here.spread);
    to.chunks = chunks_of(extent_, to.product);
    if (static_cast<std::int64_t>(from.chunks) % here.spread != 0) {
        to.idle_below = level;
        if (to.full_from == kAll) to.full_from = level + 1;
    }
    return true;
}

// One step more than the last one: all inner neighbours work in it.
Chain::Node Chain::looped(const Node& from, std::int64_t factor) const {
    Node to = from;
    to.product *= static_cast<double>(factor);
    to.chunks = chunks_of(extent_, to.product);
    to.full_from = kAll;
    to.looped = from.is_imperfect();
    return to;
}

std::vector<std::int64_t> Chain::factors(int level, const Node& node) const {
    const auto left = static_cast<std::int64_t>(node.chunks);
    std::vector<std::int64_t> factors;
    if (takes_whole_loops(level)) {
        for (const std::int64_t factor : divisors(left))
            if (factor > 1 && levels_[level].temporal.allows(factor, left)) factors.push_back(factor);
    } else {
        for (const PrimePower& power : prime_factors(left)) factors.push_back(power.prime);
    }
    return factors;
}

void Chain::find_nodes() {
    Node start;
    start.chunks = extent_;
    std::set<Node, Before> all{start};
    std::set<Node, Before> here{start};
    for (int l = static_cast<int>(levels_.size()) - 1; l >= 0; --l) {
        std::set<Node, Before> next;
        for (const Node& node : here)
            if (Node to; crosses(l, node, to)) next.insert(to);
        for (auto node = next.begin(); node != next.end(); ++node)  // larger products come later
            for (const std::int64_t factor : factors(l, *node)) next.insert(looped(*node, factor));
        all.insert(next.begin(), next.end());
        here = std::move(next);
    }
    nodes_.assign(all.begin(), all.end());
    ever_imperfect_ = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.is_imperfect(); });
}

int Chain::index_of(const Node& node) const {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node, Before{});
    return found == nodes_.end() || Before{}(node, *found) ? -1 : static_cast<int>(found - nodes_.begin());
}

void Chain::link() {
    at_.resize(levels_.size());
    for (int l = 0; l < static_cast<int>(levels_.size()); ++l) {
        At& here = at_[l];
        for (const Node& node : nodes_) {
            Node to;
            here.across.push_back(crosses(l, node, to) ? index_of(to) : -1);
            here.edges.emplace_back();
            for (const std::int64_t factor : factors(l, node))
                if (const int index = index_of(looped(node, factor)); index >= 0)
                    here.edges.back().push_back({static_cast<std::int32_t>(factor), index});
        }
    }
}

void Chain::find_least() {
    for (int l = 0; l < static_cast<int>(levels_.size()); ++l) {
        At& here = at_[l];
        here.least_after.assign(nodes_.size(), kNever);
        for (int n = 0; n < size(); ++n) {
            double& least = here.least_after[n];
            if (l == 0)
                least = node(n).chunks == 1.0 ? 1.0 : kNever;
            else if (const int to = at(l - 1).across[n]; to >= 0)
                least = at(l - 1).least_from[to];
        }
        here.least_from = here.least_after;
        if (needs_loop(l)) std::fill(here.least_from.begin(), here.least_from.end(), kNever);
        for (int n = size() - 1; n >= 0; --n)
            for (const Edge& edge : here.edges[n]) {
                const auto to = static_cast<std::size_t>(edge.to);
                const double after = takes_whole_loops(l) ? here.least_after[to] : here.least_from[to];
                double& least = here.least_from[n];
                least = std::min(least, edge.factor * after);
            }
        // A fan-out is a dead end if the loops outside cannot cover the rest.
        for (int& to : here.across)
            if (to >= 0 && here.least_from[to] >= kNever) to = -1;
    }
    const int start = at_.back().across[0];
    if (start >= 0) least_ = at_.back().least_from[start];
}

// Of the last chunk: filled fan-outs count in full, others one less than their full neighbours, plus the last one's
// rest.
Pairs Chain::count(const Node& node, int crossed, int first) const {
    const int full_from = node.full_from == kAll ? crossed : std::max(node.full_from, crossed);
    Pairs pairs;
    double full = 1.0;
    int level = first;
    for (; level >= full_from; --level) full *= spread(level);
    double last = full;
    for (; level >= crossed; --level) {
        if (spread(level) == 1.0) continue;
        double inside = node.product;
        for (int l = crossed; l <= level; ++l) inside /= spread(l);
        if (inside < 1.0) return {};  // there is no such place
        const double trips = std::fmod(chunks_of(extent_, inside) - 1.0, spread(level)) + 1.0;
        last += (trips - 1.0) * full;
        full *= spread(level);
    }
    pairs.last = last;
    pairs.all = (node.chunks - 1.0) * full + last;
    pairs.slots = node.chunks * full;
    return pairs;
}

void Chain::count_pairs() {
    const int levels = static_cast<int>(levels_.size());
    for (int crossed = 0; crossed <= levels; ++crossed)
        for (int first = -2; first < levels; ++first)
            for (const Node& node : nodes_) pairs_.push_back(count(node, crossed, first));
}

}  // namespace tilewright::certificate
