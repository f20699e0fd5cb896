#include "oracle/sparse.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <tuple>

namespace tilewright::oracle {
namespace {

std::uint64_t bit(int element) { return std::uint64_t{1} << element; }

double count_bits(std::uint64_t words) { return static_cast<double>(std::popcount(words)); }

void add_words(const std::vector<sparse::RankWords>& some, double times, std::vector<sparse::RankWords>& sum) {
    sum.resize(std::max(sum.size(), some.size()));
    for (std::size_t r = 0; r < some.size(); ++r) {
        sum[r].metadata += times * some[r].metadata;
        sum[r].payload += times * some[r].payload;
    }
}

/// Writes the fibres of one tile, rank by rank from the outside.
class Writer {
   public:
    Writer(const sparse::TensorFormat& format, const std::vector<int>& places,
           const std::map<int, std::vector<int>>& element_at, std::uint64_t marked)
        : format_(format), places_(places), element_at_(element_at), marked_(marked), written_(format.ranks.size()) {
        for (std::size_t r = 0; r < places.size(); ++r)
            if (places[r] > 1) innermost_ = r;
    }

    std::vector<sparse::RankWords> run() {
        std::vector<int> all;
        for (const auto& [element, at] : element_at_) all.push_back(element);
        write(0, all);
        std::reverse(written_.begin(), written_.end());
        return std::move(written_);
    }

   private:
    // A tile that a remainder cuts short has fewer places.
    void write(std::size_t rank, const std::vector<int>& elements) {
        if (rank == places_.size() || elements.empty()) return;
        std::vector<std::vector<int>> by_place(static_cast<std::size_t>(places_[rank]));
        for (const int element : elements) by_place[element_at_.at(element)[rank]].push_back(element);
        if (places_[rank] > 1) write_fibre(rank, by_place);
        for (const std::vector<int>& place : by_place) write(rank + 1, place);
    }

    bool holds_any(const std::vector<int>& elements) const {
        return std::any_of(elements.begin(), elements.end(), [&](int e) { return (marked_ & bit(e)) != 0; });
    }

    void write_fibre(std::size_t rank, const std::vector<std::vector<int>>& by_place) {
        std::vector<int> metadata;
        std::vector<int> payload;
        bool empty = true;
        int run = 0;
        const sparse::RankFormat format = format_.ranks[format_.ranks.size() - 1 - rank].format;
        int places = 0;
        for (std::size_t place = 0; place < by_place.size(); ++place) {
            if (by_place[place].empty()) continue;
            ++places;
            const bool occupied = holds_any(by_place[place]);
            empty = empty && !occupied;
            switch (format) {
                case sparse::RankFormat::uop: payload.push_back(static_cast<int>(place)); break;
                case sparse::RankFormat::cp:
                    if (occupied) metadata.push_back(static_cast<int>(place));
                    break;
                case sparse::RankFormat::rle:
                    if (occupied) metadata.push_back(run);
                    run = occupied ? 0 : run + 1;
                    break;
                case sparse::RankFormat::b:
                case sparse::RankFormat::ub: metadata.push_back(occupied ? 1 : 0); break;
            }
            const bool points = format == sparse::RankFormat::ub || (occupied && format != sparse::RankFormat::uop);
            if (points) payload.push_back(1);
        }
        if (format == sparse::RankFormat::uop) payload.push_back(places);
        if (empty && format != sparse::RankFormat::ub) return;
        written_[rank].metadata += static_cast<double>(metadata.size());
        if (rank != innermost_) written_[rank].payload += static_cast<double>(payload.size());
    }

    const sparse::TensorFormat& format_;
    const std::vector<int>& places_;
    const std::map<int, std::vector<int>>& element_at_;
    std::uint64_t marked_;
    std::size_t innermost_ = 0;
    std::vector<sparse::RankWords> written_;
};

}  // namespace

SparseWalk::SparseWalk(const Einsum& einsum, const Mapping& mapping, const sparse::Design& design)
    : einsum_(einsum), design_(design) {
    enumerate(mapping);
    add_flows();
    for (int m = 0; m < static_cast<int>(design.memories.size()); ++m) {
        add_rules(m, design.memories[m].gating, true);
        add_rules(m, design.memories[m].skipping, false);
    }
}

void SparseWalk::enumerate(const Mapping& mapping) {
    keeps_.assign(einsum_.tensors.size(), std::vector<bool>(design_.memories.size(), false));
    begins_.assign(einsum_.tensors.size(), std::vector<int>(design_.memories.size(), 0));
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                if (!store->tensors.has(t)) continue;
                keeps_[t][store->memory] = true;
                begins_[t][store->memory] = static_cast<int>(loops_.size());
            }
        } else {
            const tilewright::Loop& loop = std::get<tilewright::Loop>(node);
            loops_.push_back({loop.dimension, static_cast<int>(loop.extent), loop.is_spatial()});
        }
    }
    std::vector<std::vector<int>> extents;
    for (const Tensor& tensor : einsum_.tensors) {
        std::vector<int>& widths = extents.emplace_back();
        int words = 1;
        for (const Rank& rank : tensor.ranks) {
            int width = 1;
            for (const Term& term : rank.terms)
                width += static_cast<int>(term.coefficient * (einsum_.dimensions[term.dimension].extent - 1));
            widths.push_back(width);
            words *= width;
        }
        if (words > 64) throw std::invalid_argument("the judge takes tensors of 64 elements");
        elements_.push_back(words);
    }
    std::vector<int> at(loops_.size(), 0);
    while (true) {
        std::vector<int> where(einsum_.dimensions.size(), 0);
        for (std::size_t k = 0; k < loops_.size(); ++k)
            where[loops_[k].dimension] = where[loops_[k].dimension] * loops_[k].extent + at[k];
        const bool exists = std::ranges::equal(
            where, einsum_.dimensions, [](int value, const Dimension& dimension) { return value < dimension.extent; });
        Point point{at, {}};
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            int element = 0;
            for (std::size_t r = 0; r < extents[t].size(); ++r) {
                int along = 0;
                for (const Term& term : einsum_.tensors[t].ranks[r].terms)
                    along += static_cast<int>(term.coefficient) * where[term.dimension];
                element = element * extents[t][r] + along;
            }
            point.elements.push_back(element);
        }
        if (exists) points_.push_back(std::move(point));
        std::size_t k = at.size();
        while (k > 0 && at[k - 1] == loops_[k - 1].extent - 1) at[--k] = 0;
        if (k == 0) break;
        ++at[k - 1];
    }
    std::stable_sort(points_.begin(), points_.end(), [&](const Point& a, const Point& b) {
        return key(a, static_cast<int>(loops_.size()), false) < key(b, static_cast<int>(loops_.size()), false);
    });
}

// Loops outside a tensor's store; all of them for compute units.
int SparseWalk::outside(int tensor, int memory) const {
    return memory == static_cast<int>(keeps_[tensor].size()) ? static_cast<int>(loops_.size())
                                                             : begins_[tensor][memory];
}

// Where a point is in the outermost loops: those of time, or those that say which instance.
std::vector<int> SparseWalk::key(const Point& point, int loops, bool spatial) const {
    std::vector<int> at;
    for (int k = 0; k < loops; ++k)
        if (loops_[k].spatial == spatial) at.push_back(point.at[k]);
    return at;
}

void SparseWalk::add_flows() {
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        const int memories = static_cast<int>(keeps_[t].size());
        for (int source = 0; source < memories; ++source) {
            if (!keeps_[t][source]) continue;
            int child = source + 1;
            while (child < memories && !keeps_[t][child]) ++child;
            flows_.push_back(flow_of(t, source, child == memories ? -1 : child));
        }
    }
}

SparseWalk::Flow SparseWalk::flow_of(int tensor, int source, int child) const {
    Flow flow{tensor, source, child, {}, std::vector<int>(points_.size(), -1), {}};
    const int all = static_cast<int>(loops_.size());
    const int inside = child < 0 ? all : outside(tensor, child);
    const auto element = [&](int p) { return bit(points_[p].elements[tensor]); };
    // Stays of one tile at one receiver, as time goes.
    struct Stay {
        std::vector<int> begin;
        std::uint64_t words = 0;
        std::vector<int> points;
    };
    std::map<std::vector<int>, std::vector<Stay>> by_receiver;
    if (child < 0) {
        for (int p = 0; p < static_cast<int>(points_.size()); ++p)
            by_receiver[key(points_[p], all, true)].push_back({key(points_[p], all, false), element(p), {p}});
    } else {
        std::map<std::vector<int>, std::map<std::vector<int>, Stay>> tiles;
        for (int p = 0; p < static_cast<int>(points_.size()); ++p) {
            Stay& stay = tiles[key(points_[p], inside, true)][key(points_[p], inside, false)];
            stay.begin = key(points_[p], inside, false);
            stay.words |= element(p);
            stay.points.push_back(p);
        }
        for (auto& [receiver, stays] : tiles)
            for (auto& [begin, stay] : stays) {
                std::vector<Stay>& list = by_receiver[receiver];
                if (!list.empty() && list.back().words == stay.words)
                    list.back().points.insert(list.back().points.end(), stay.points.begin(), stay.points.end());
                else
                    list.push_back(stay);
            }
    }
    // Receivers of the same at the same time share an access.
    using Same = std::tuple<std::vector<int>, std::vector<int>, std::uint64_t>;  // instance of the source, time, words
    std::map<Same, std::vector<std::pair<std::vector<int>, const Stay*>>> shared;
    for (const auto& [receiver, stays] : by_receiver)
        for (const Stay& stay : stays)
            shared[{key(points_[stay.points.front()], outside(tensor, source), true), stay.begin, stay.words}]
                .emplace_back(receiver, &stay);
    std::map<std::vector<int>, std::uint64_t> seen_at_source;
    std::map<std::vector<int>, std::uint64_t> seen_at_child;
    std::map<int, std::set<std::vector<int>>> adders;  // by word, instances of the source
    std::map<int, int> last;  // by word, the event that adds to it last, where one instance does
    for (const auto& [same, receivers] : shared) {
        Event event;
        event.words = std::get<2>(same);
        event.before = event.words & seen_at_source[std::get<0>(same)];
        seen_at_source[std::get<0>(same)] |= event.words;
        event.touched.assign(einsum_.tensors.size(), 0);
        for (const auto& [receiver, stay] : receivers) {
            event.children.push_back(event.words & seen_at_child[receiver]);
            seen_at_child[receiver] |= event.words;
            event.points.insert(event.points.end(), stay->points.begin(), stay->points.end());
        }
        for (const int p : event.points) {
            flow.event_of[p] = static_cast<int>(flow.events.size());
            for (int t = 0; t < einsum_.tensor_count(); ++t) event.touched[t] |= bit(points_[p].elements[t]);
        }
        for (int word = 0; word < 64; ++word) {
            if ((event.words & bit(word)) == 0) continue;
            adders[word].insert(std::get<0>(same));
            last[word] = static_cast<int>(flow.events.size());
        }
        flow.events.push_back(std::move(event));
    }
    for (const auto& [word, event] : last)
        if (adders[word].size() == 1) flow.events[event].finished |= bit(word);
    // Tiles as they are written.
    const int tile_memory = outside(tensor, child < 0 ? source : child);
    for (Event& event : flow.events) {
        std::vector<int> in_tile;
        const Point& first = points_[event.points.front()];
        for (int p = 0; p < static_cast<int>(points_.size()); ++p)
            if (key(points_[p], tile_memory, true) == key(first, tile_memory, true) &&
                key(points_[p], tile_memory, false) == key(first, tile_memory, false))
                in_tile.push_back(p);
        if (const sparse::TensorFormat* written_as = format(source, tensor))
            event.tile = add_tile(flow, tile_memory, *written_as, in_tile);
        const sparse::TensorFormat* inside_as = child < 0 ? nullptr : format(child, tensor);
        if (inside_as != nullptr) event.child_tile = add_tile(flow, tile_memory, *inside_as, in_tile);
    }
    return flow;
}

int SparseWalk::add_tile(Flow& flow, int begin, const sparse::TensorFormat& format,
                         const std::vector<int>& points) const {
    std::vector<int> levels;  // loops, outermost first
    for (int k = begin; k < static_cast<int>(loops_.size()); ++k)
        if (loops_[k].extent > 1 && is_relevant(einsum_.tensors[flow.tensor], loops_[k].dimension)) levels.push_back(k);
    const int ranks = static_cast<int>(format.ranks.size());
    const int count = static_cast<int>(levels.size());
    const auto rank_of = [&](int level) {  // outermost first
        if (format.inner_to_outer || count <= ranks) return std::max(0, ranks - count + level);
        return std::min(level, ranks - 1);
    };
    Tile tile;
    tile.places.assign(format.ranks.size(), 1);
    for (int l = 0; l < count; ++l) tile.places[rank_of(l)] *= loops_[levels[l]].extent;
    for (const int p : points) {
        std::vector<int> at(format.ranks.size(), 0);
        for (int l = 0; l < count; ++l)
            at[rank_of(l)] = at[rank_of(l)] * loops_[levels[l]].extent + points_[p].at[levels[l]];
        tile.element_at[points_[p].elements[flow.tensor]] = at;
        tile.words |= bit(points_[p].elements[flow.tensor]);
    }
    flow.tiles.push_back(std::move(tile));
    return static_cast<int>(flow.tiles.size()) - 1;
}

void SparseWalk::add_rules(int memory, const std::vector<sparse::OptionGroup>& groups, bool gates) {
    for (const sparse::OptionGroup& group : groups) {
        if (group.size() != 1) throw std::invalid_argument("the judge takes groups of one option");
        int found = -1;
        for (int f = 0; f < static_cast<int>(flows_.size()); ++f)
            if (flows_[f].tensor == group.front().target && flows_[f].source <= memory) found = f;
        if (found < 0) throw std::invalid_argument("no memory keeps the target");
        rules_.push_back({found, group.front().conditions, gates});
    }
}

// Whether the rule avoids the access of its target that this point is served by.
bool SparseWalk::is_avoided(const Rule& rule, int point, const Marks& marks) const {
    const Flow& flow = flows_[rule.flow];
    const Event& event = flow.events[flow.event_of[point]];
    return std::any_of(rule.conditions.begin(), rule.conditions.end(),
                       [&](int c) { return (event.touched[c] & marks[c]) == 0; });
}

bool SparseWalk::any_avoided(const Flow& flow, const Event& event, bool gates, const Marks& marks) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return &flows_[rule.flow] == &flow && rule.gates == gates && is_avoided(rule, event.points.front(), marks);
    });
}

bool SparseWalk::is_asked(const Flow& flow, const Event& event, const Marks& marks) const {
    return std::none_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        const Flow& other = flows_[rule.flow];
        return other.tensor == flow.tensor && other.source < flow.source &&
               is_avoided(rule, event.points.front(), marks);
    });
}

// Whether some compute may be done that this access serves, as far as each condition alone can tell.
bool SparseWalk::is_served(const Flow& flow, const Event& event, bool gates, const Marks& marks) const {
    if (flow.child >= 0) return true;
    for (const Rule& rule : rules_) {
        const Flow& other = flows_[rule.flow];
        if (rule.gates != gates || other.tensor == flow.tensor || einsum_.tensors[other.tensor].written) continue;
        for (const int c : rule.conditions) {
            if (c == flow.tensor && other.child < 0) continue;
            std::uint64_t looked_at = 0;
            for (const int p : event.points) looked_at |= other.events[other.event_of[p]].touched[c];
            if ((looked_at & marks[c]) == 0) return false;
        }
    }
    if (!einsum_.tensors[flow.tensor].written || !(gates ? design_.gates_computes : design_.skips_computes))
        return true;
    for (int c = 0; c < einsum_.tensor_count(); ++c)
        if (!einsum_.tensors[c].written && (gates || stored_compressed(c)) && (event.touched[c] & marks[c]) == 0)
            return false;
    return true;
}

const sparse::TensorFormat* SparseWalk::format(int memory, int tensor) const {
    const auto& one = design_.memories[memory].formats[tensor];
    return one ? &*one : nullptr;
}

bool SparseWalk::stored_compressed(int tensor) const {
    const sparse::TensorFormat* innermost = nullptr;
    for (const Flow& flow : flows_)
        if (flow.tensor == tensor) innermost = format(flow.source, tensor);
    return innermost != nullptr && innermost->is_compressed();
}

std::vector<sparse::RankWords> SparseWalk::written(const Tile& tile, const sparse::TensorFormat& format,
                                                   std::uint64_t marked) const {
    return Writer(format, tile.places, tile.element_at, marked).run();
}

void SparseWalk::count_flow(const Flow& flow, const Marks& marks, sparse::Expected& counts) const {
    sparse::ExpectedTensor& here = counts.memories[flow.source][flow.tensor];
    sparse::ExpectedTensor* child = flow.child < 0 ? nullptr : &counts.memories[flow.child][flow.tensor];
    const bool result = einsum_.tensors[flow.tensor].written;
    const sparse::TensorFormat* outside = format(flow.source, flow.tensor);
    const sparse::TensorFormat* inside = flow.child < 0 ? nullptr : format(flow.child, flow.tensor);
    const std::uint64_t stored =
        outside != nullptr && outside->is_compressed() ? marks[flow.tensor] : ~std::uint64_t{0};
    const std::uint64_t stored_inside =
        inside != nullptr && inside->is_compressed() ? marks[flow.tensor] : ~std::uint64_t{0};
    std::map<int, std::vector<sparse::RankWords>> tiles;  // as written
    const auto tile = [&](int index, const sparse::TensorFormat& as) -> const std::vector<sparse::RankWords>& {
        auto found = tiles.find(index);
        if (found == tiles.end())
            found = tiles.emplace(index, written(flow.tiles[index], as, marks[flow.tensor])).first;
        return found->second;
    };
    const auto add = [](sparse::Means& to, double words, int fate) {
        (fate == 0 ? to.actual : fate == 1 ? to.gated : to.skipped) += words;
    };
    for (const Event& event : flow.events) {
        const std::uint64_t read = result ? event.before : event.words;
        here.reads.algorithmic += count_bits(read);
        if (result) here.updates.algorithmic += count_bits(event.words);
        for (const std::uint64_t before : event.children)
            if (child != nullptr) child->fills.algorithmic += count_bits(result ? before : event.words);
        if (!is_asked(flow, event, marks)) continue;
        if (flow.child < 0 && outside != nullptr) {
            const double share = 1.0 / count_bits(flow.tiles[event.tile].words);
            if (result) add_words(tile(event.tile, *outside), share, here.updates.metadata);
            if (read != 0) add_words(tile(event.tile, *outside), share, here.reads.metadata);
        }
        int fate = 0;
        if (any_avoided(flow, event, false, marks))
            fate = 2;
        else if (!is_served(flow, event, false, marks))
            continue;
        else if (any_avoided(flow, event, true, marks) || !is_served(flow, event, true, marks))
            fate = 1;
        add(here.reads.data, count_bits(read & stored), fate);
        if (result) add(here.updates.data, count_bits(event.words & stored), fate);
        if (result) add(here.final_updates, count_bits(event.finished & stored), fate);
        if (fate != 0 || child == nullptr) continue;
        if (outside != nullptr) {
            if (result) add_words(tile(event.tile, *outside), 1.0, here.updates.metadata);
            if (read != 0) add_words(tile(event.tile, *outside), 1.0, here.reads.metadata);
        }
        for (const std::uint64_t before : event.children) {
            const std::uint64_t filled = result ? before : event.words;
            child->fills.data.actual += count_bits(filled & stored_inside);
            if (inside != nullptr && filled != 0)
                add_words(tile(event.child_tile, *inside), 1.0, child->fills.metadata);
        }
    }
}

void SparseWalk::count_computes(const Marks& marks, sparse::Expected& counts) const {
    for (int p = 0; p < static_cast<int>(points_.size()); ++p) {
        counts.algorithmic_computes += 1.0;
        bool asked = true;
        bool gated = false;
        bool skipped = false;
        for (const Rule& rule : rules_) {
            if (einsum_.tensors[flows_[rule.flow].tensor].written || !is_avoided(rule, p, marks)) continue;
            (rule.gates ? gated : asked) = rule.gates;
        }
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (einsum_.tensors[t].written || (marks[t] & bit(points_[p].elements[t])) != 0) continue;
            gated = gated || design_.gates_computes;
            skipped = skipped || (design_.skips_computes && stored_compressed(t));
        }
        if (!asked) continue;
        (skipped ? counts.computes.skipped : gated ? counts.computes.gated : counts.computes.actual) += 1.0;
    }
}

sparse::Expected SparseWalk::count(const Marks& marks) const {
    sparse::Expected counts;
    counts.memories.assign(keeps_[0].size(), std::vector<sparse::ExpectedTensor>(einsum_.tensors.size()));
    for (const Flow& flow : flows_) {
        counts.memories[flow.source][flow.tensor].kept = true;
        count_flow(flow, marks, counts);
    }
    count_computes(marks, counts);
    return counts;
}

std::vector<int> SparseWalk::order(int tensor) const {
    std::vector<int> order;
    std::set<int> seen;
    for (const Point& point : points_)
        if (seen.insert(point.elements[tensor]).second) order.push_back(point.elements[tensor]);
    return order;
}

}  // namespace tilewright::oracle
