#include "multicore/set/account.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>

#include "base/numbers/checked.hpp"

namespace tilewright::multicore::set {
namespace {

constexpr std::int64_t kResultWords = 10 * 1024;  // of a core's buffer, always kept for results

/// Channels, batch, rows, columns; weights: channels, batch, input channels, places of the kernel.
using Range = std::array<Span, 4>;

std::int64_t size_of(const Range& range) {
    std::int64_t words = 1;
    for (const Span& span : range) words *= span.size();
    return words;
}

struct Point {
    std::int64_t x = 0;
    std::int64_t y = 0;
    auto operator<=>(const Point&) const = default;
};
using Wire = std::pair<Point, Point>;

// Cores that get the same words, which are those that the first of them needs.
struct Group {
    Range range{};
    bool idle = false;
    std::vector<Point> cores;
};
using Groups = std::map<std::array<std::int64_t, 4>, Group>;

struct Share {
    Point core;
    Range result{};
};

// Later parts are the larger ones.
Span part_from_end(std::int64_t length, std::int64_t parts, std::int64_t index) {
    const auto at = [&](std::int64_t i) { return length - length * (parts - i) / parts; };
    return {at(index), at(index + 1)};
}

class Traffic {
   public:
    explicit Traffic(const Machine& machine) {
        for (const std::int64_t x : {std::int64_t{0}, machine.columns - 1})
            for (std::int64_t y = 0; y < machine.rows; ++y) ports_.push_back({x, y});
    }

    std::int64_t hops = 0;
    std::int64_t dram_words = 0;

    std::int64_t busiest() const {
        std::int64_t most = 0;
        for (const auto& [wire, words] : load_) most = std::max(most, words);
        return most;
    }

    // x first, then y; every wire once.
    void carry(const Point& from, const std::vector<Point>& to, std::int64_t words) {
        std::set<Wire> used;
        for (const Point& end : to) {
            Point at = from;
            while (at != end) {
                Point next = at;
                if (at.x != end.x)
                    next.x += at.x < end.x ? 1 : -1;
                else
                    next.y += at.y < end.y ? 1 : -1;
                used.emplace(at, next);
                at = next;
            }
        }
        hops += static_cast<std::int64_t>(used.size()) * words;
        for (const Wire& wire : used) load_[wire] += words;
    }
    void from_dram(const std::vector<Point>& to, std::int64_t words) {
        each_port(words, [&](const Point& port, std::int64_t part) { carry(port, to, part); });
    }
    void to_dram(const Point& from, std::int64_t words) {
        each_port(words, [&](const Point& port, std::int64_t part) { carry(from, {port}, part); });
    }
    // Words are dropped here, as published.
    void divide(std::int64_t by) {
        hops /= by;
        dram_words /= by;
        for (auto& [wire, words] : load_) words /= by;
    }
    void add(const Traffic& other, std::int64_t times) {
        hops += other.hops * times;
        dram_words += other.dram_words * times;
        for (const auto& [wire, words] : other.load_) load_[wire] += words * times;
    }

   private:
    template <typename Use>
    void each_port(std::int64_t words, const Use& use) {
        const auto count = static_cast<std::int64_t>(ports_.size());
        for (std::int64_t i = 0; i < count; ++i) use(ports_[i], words * (i + 1) / count - words * i / count);
        dram_words += words;
    }

    std::vector<Point> ports_;
    std::map<Wire, std::int64_t> load_;
};

// The part of the input that a part of the result needs.
Range input_of(const Layer& layer, const Range& r) {
    const auto& [c, b, h, w] = r;
    if (layer.kind == LayerKind::elementwise || layer.kind == LayerKind::point) return r;
    if (layer.kind == LayerKind::transpose) {
        const std::array<Span, 3> source{c, h, w};
        return {source[layer.permute[0]], b, source[layer.permute[1]], source[layer.permute[2]]};
    }
    std::array<std::int64_t, 2> padding{};
    for (int d = 0; d < 2; ++d)
        if (layer.padded[d + 1] >= layer.in[d + 1]) padding[d] = (layer.padded[d + 1] - layer.in[d + 1]) / 2;
    if (layer.kind == LayerKind::full)
        return {Span{0, layer.in[0]}, b, Span{0, layer.kernel[0] - padding[0]}, Span{0, layer.kernel[1] - padding[1]}};
    const auto window = [&](const Span& out, int d) {
        return Span{std::max<std::int64_t>(out.from * layer.stride[d] - padding[d], 0),
                    std::min((out.to - 1) * layer.stride[d] + layer.kernel[d] - padding[d], layer.in[d + 1])};
    };
    Span channels{0, layer.in[0]};
    if (layer.kind == LayerKind::pool) channels = c;
    if (layer.kind == LayerKind::group) {
        const std::int64_t out = layer.out[0] / layer.groups;
        const std::int64_t in = layer.in[0] / layer.groups;
        channels = {c.from / out * in, ceil_div(c.to, out) * in};
    }
    return {channels, b, window(h, 0), window(w, 1)};
}

// Images of both, where one is in parts of fewer images.
std::int64_t shared_images(const Span& a, const Span& b, std::int64_t batch_a, std::int64_t batch_b) {
    const auto both = [](const Span& one, const Span& other) {
        return Span{std::max(one.from, other.from), std::min(one.to, other.to)}.size();
    };
    if (batch_a == batch_b) return both(a, b);
    Span small = batch_a > batch_b ? b : a;
    const Span& large = batch_a > batch_b ? a : b;
    const std::int64_t step = std::min(batch_a, batch_b);
    std::int64_t images = 0;
    for (; small.from < large.to; small = {small.from + step, small.to + step}) images += both(small, large);
    return images;
}

class Account {
   public:
    Account(const std::vector<Layer>& layers, const Machine& machine, const Tree& tree, const Switches& switches)
        : layers_(layers),
          machine_(machine),
          tree_(tree),
          switches_(switches),
          first_(tree.size(), 0),
          stage_(tree.size(), 0),
          leaf_of_(layers.size(), -1),
          direct_(layers.size()),
          goes_out_(layers.size(), true),
          figures_(tree.size()) {
        for (const Layer& layer : layers)
            for (const std::vector<int>* from : {&layer.from, &layer.weights_from})
                for (const int p : *from) goes_out_[p] = false;
        place(0, 0);
        find_ways();
    }

    std::vector<Figures> count() {
        count(0);
        return std::move(figures_);
    }

   private:
    bool holds(int node, int leaf) const {
        for (; leaf >= 0; leaf = tree_[leaf].parent)
            if (leaf == node) return true;
        return false;
    }

    // Cores along the stripes; stages of cuts of space.
    void place(int node, std::int64_t first) {
        const Node& one = tree_[node];
        first_[node] = one.first < 0 ? first : one.first;
        if (one.is_leaf) leaf_of_[one.layer] = node;
        for (const int child : one.children) {
            place(child, first);
            if (one.is_space) first += cores_of(tree_, child);
        }
        if (!one.is_space) return;
        for (std::size_t i = 0; i < one.children.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (feeds(one.children[j], one.children[i]))
                    stage_[one.children[i]] = std::max(stage_[one.children[i]], stage_[one.children[j]] + 1);
    }

    bool feeds(int from, int to) const {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            if (leaf_of_[l] < 0 || !holds(to, leaf_of_[l])) continue;
            for (const std::vector<int>* list : {&layers_[l].from, &layers_[l].weights_from})
                for (const int p : *list)
                    if (leaf_of_[p] >= 0 && holds(from, leaf_of_[p])) return true;
        }
        return false;
    }

    // Layers get what they read from cores or, far away in the tree, by way of the DRAM.
    void find_ways() {
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            if (leaf_of_[l] < 0) continue;
            for (const std::vector<int>* list : {&layers_[l].from, &layers_[l].weights_from})
                for (const int p : *list) {
                    if (leaf_of_[p] < 0) continue;
                    if (is_far(leaf_of_[p], leaf_of_[l]))
                        goes_out_[p] = true;
                    else
                        direct_[l].insert(p);
                }
        }
    }

    bool is_far(int from, int to) const {
        int below = to;
        int common = tree_[to].parent;
        while (!holds(common, from)) {
            below = common;
            common = tree_[common].parent;
        }
        const Node& one = tree_[common];
        if (one.parent < 0 && !one.is_space) return true;
        int source = 0;
        int target = 0;
        for (std::size_t i = 0; i < one.children.size(); ++i) {
            if (one.children[i] == below) target = static_cast<int>(i);
            if (holds(one.children[i], from)) source = static_cast<int>(i);
        }
        return one.is_space ? stage_[one.children[target]] > stage_[one.children[source]] + 1 : target > source + 1;
    }

    // By parts of K, B, H, W.
    std::vector<std::pair<std::array<std::int64_t, 4>, Share>> shares(int node) const {
        const Node& leaf = tree_[node];
        const Layer& layer = layers_[leaf.layer];
        std::array<std::int64_t, 4> parts{1, 1, 1, 1};
        std::array<std::int64_t, 4> strides{};
        std::int64_t stride = 1;
        for (auto part = leaf.parts.rbegin(); part != leaf.parts.rend(); ++part) {
            const std::size_t d = std::string("KBHW").find(part->first);
            parts[d] = part->second;
            strides[d] = stride;
            stride *= part->second;
        }
        const std::array<std::int64_t, 4> lengths{layer.out[0], leaf.batch, layer.out[1], layer.out[2]};
        std::vector<std::pair<std::array<std::int64_t, 4>, Share>> all;
        std::array<std::int64_t, 4> i{};
        for (i[0] = 0; i[0] < parts[0]; ++i[0])
            for (i[1] = 0; i[1] < parts[1]; ++i[1])
                for (i[2] = 0; i[2] < parts[2]; ++i[2])
                    for (i[3] = 0; i[3] < parts[3]; ++i[3]) {
                        std::int64_t core = first_[node];
                        Share share;
                        for (int d = 0; d < 4; ++d) {
                            core += i[d] * strides[d];
                            share.result[d] = part_from_end(lengths[d], parts[d], i[d]);
                        }
                        const auto [x, y] = machine_.position(core);
                        share.core = {x, y};
                        all.emplace_back(i, share);
                    }
        return all;
    }

    Traffic count(int node) {
        Traffic sum(machine_);
        if (tree_[node].is_leaf) {
            count_leaf(node, sum);
        } else {
            for (const int child : tree_[node].children) sum.add(count(child), tree_[node].times);
        }
        Figures& figures = figures_[node];
        figures.hops = sum.hops;
        figures.dram_words = sum.dram_words;
        figures.busiest_link = sum.busiest();
        figures.cycles = cycles_of(node);
        return sum;
    }

    void count_leaf(int node, Traffic& sum) {
        const int me = tree_[node].layer;
        const Layer& layer = layers_[me];
        const bool second = !layer.weights_from.empty();
        const auto all = shares(node);
        Groups inputs;
        Groups weights;
        group(layer, second, all, inputs, weights);
        fill_buffers(layer, second, inputs, weights, figures_[node]);
        if (second) {
            std::int64_t at = 0;
            for (const int p : sorted(layer.weights_from)) at = fetch(sum, node, p, weights, at);
        } else {
            for (const auto& [key, one] : weights)
                if (!one.idle) sum.from_dram(one.cores, size_of(one.range));
            sum.divide(weight_loads(node));
        }
        outside(sum, inputs, 0, layer.outside_channels);
        std::int64_t at = layer.outside_channels;
        const bool adds = layer.kind == LayerKind::elementwise;
        const auto wrap = [&] {
            if (adds && at == layer.out[0]) at = 0;
        };
        wrap();
        for (const int p : sorted(layer.from)) {
            at = fetch(sum, node, p, inputs, at);
            wrap();
        }
        if (!goes_out_[me]) return;
        for (const auto& [key, share] : all)
            if (const std::int64_t words = size_of(share.result); words > 0) sum.to_dram(share.core, words);
    }

    static std::vector<int> sorted(std::vector<int> list) {
        std::ranges::sort(list);
        return list;
    }

    // Runs of the leaf for which the weights come once.
    std::int64_t weight_loads(int node) const {
        const std::int64_t runs = machine_.batch / tree_[node].batch;
        const bool is_cut_again = switches_.weights_every_time && !tree_[0].is_leaf && !tree_[0].is_space;
        return is_cut_again ? std::max<std::int64_t>(runs / tree_[0].times, 1) : runs;
    }

    static void group(const Layer& layer, bool second,
                      const std::vector<std::pair<std::array<std::int64_t, 4>, Share>>& all, Groups& inputs,
                      Groups& weights) {
        const bool own_channels = layer.kind != LayerKind::convolution && layer.kind != LayerKind::full;
        for (const auto& [i, share] : all) {
            const bool idle = size_of(share.result) == 0;
            const auto join = [&](Groups& groups, const std::array<std::int64_t, 4>& key, const Range& range) {
                const auto [place, is_new] = groups.try_emplace(key, Group{range, idle, {}});
                place->second.cores.push_back(share.core);
            };
            join(inputs, {own_channels ? i[0] : 0, i[1], i[2], i[3]}, idle ? Range{} : input_of(layer, share.result));
            if (!layer.has_weights) continue;
            const Range range{share.result[0], second ? share.result[1] : Span{0, 1},
                              Span{0, layer.in[0] / layer.groups}, Span{0, layer.kernel[0] * layer.kernel[1]}};
            join(weights, {i[0], second ? i[1] : 0, 0, 0}, range);
        }
    }

    static void fill_buffers(const Layer& layer, bool second, const Groups& inputs, const Groups& weights,
                             Figures& figures) {
        std::map<Point, std::int64_t> of_inputs;
        std::map<Point, std::int64_t> of_weights;
        const std::int64_t terms = layer.kind == LayerKind::elementwise ? layer.terms : 1;
        for (const auto& [key, one] : inputs)
            if (!one.idle && size_of(one.range) > 0)
                for (const Point& core : one.cores) of_inputs[core] += size_of(one.range) * terms;
        for (const auto& [key, one] : weights)
            if (!one.idle)
                for (const Point& core : one.cores) (second ? of_inputs : of_weights)[core] += size_of(one.range);
        figures.buffers[2] = buffer_of(of_inputs);
        figures.buffers[1] = buffer_of(of_weights);
        for (auto& [core, words] : of_inputs) words += kResultWords;
        figures.buffers[0] = buffer_of(of_inputs);
    }

    static Buffer buffer_of(const std::map<Point, std::int64_t>& words) {
        Buffer buffer;
        std::int64_t sum = 0;
        for (const auto& [core, one] : words) {
            buffer.most = std::max(buffer.most, one);
            sum += one;
        }
        if (!words.empty()) buffer.mean = static_cast<double>(sum) / static_cast<double>(words.size());
        return buffer;
    }

    // Channels from .. to of what the groups need, from the DRAM.
    static void outside(Traffic& sum, const Groups& groups, std::int64_t from, std::int64_t to) {
        for (const auto& [key, one] : groups) {
            if (one.idle) continue;
            Range part = one.range;
            part[0] = {std::max(part[0].from, from), std::min(part[0].to, to)};
            if (const std::int64_t words = size_of(part); words > 0) sum.from_dram(one.cores, words);
        }
    }

    // What layer p made, whose channels begin at `at`; returns where they end.
    std::int64_t fetch(Traffic& sum, int node, int p, const Groups& groups, std::int64_t at) const {
        const std::int64_t channels = layers_[p].out[0];
        if (!direct_[tree_[node].layer].contains(p)) {
            outside(sum, groups, at, at + channels);
            return at + channels;
        }
        const Node& source = tree_[leaf_of_[p]];
        const std::int64_t batch = tree_[node].batch;
        for (const auto& [i, share] : shares(leaf_of_[p]))
            for (const auto& [key, one] : groups) {
                if (one.idle || one.range[0].to <= at) continue;
                if (one.range[0].from < at && !switches_.whole_concatenations) continue;
                Range wanted = one.range;
                wanted[0] = {std::max<std::int64_t>(one.range[0].from - at, 0), one.range[0].to - at};
                std::int64_t words = shared_images(share.result[1], one.range[1], source.batch, batch);
                for (const int d : {0, 2, 3})
                    words *=
                        Span{std::max(share.result[d].from, wanted[d].from), std::min(share.result[d].to, wanted[d].to)}
                            .size();
                if (source.batch > batch) words /= source.batch / batch;
                if (words > 0) sum.carry(share.core, one.cores, words);
            }
        return at + channels;
    }

    std::int64_t cycles_of(int node) const {
        const Node& one = tree_[node];
        const std::int64_t moving = ceil_div(figures_[node].dram_words, machine_.cores());
        if (one.is_leaf) return std::max(one.recorded.cycles, moving);
        std::int64_t most = 0;
        std::int64_t sum = 0;
        std::int64_t stages = 0;
        for (const int child : one.children) {
            most = std::max(most, figures_[child].cycles);
            sum += figures_[child].cycles;
            stages = std::max(stages, static_cast<std::int64_t>(stage_[child]));
        }
        const std::int64_t cycles = one.is_space ? most * (stages + one.times) : sum * one.times;
        const bool is_segment =
            one.parent < 0 ? one.is_space : tree_[one.parent].parent < 0 && !tree_[one.parent].is_space;
        if (!is_segment) return cycles;
        return std::max({cycles, moving, ceil_div(figures_[node].busiest_link, machine_.link_rate)});
    }

    const std::vector<Layer>& layers_;
    const Machine& machine_;
    const Tree& tree_;
    Switches switches_;
    std::vector<std::int64_t> first_;
    std::vector<int> stage_;
    std::vector<int> leaf_of_;  // by layer
    std::vector<std::set<int>> direct_;
    std::vector<bool> goes_out_;
    std::vector<Figures> figures_;
};

}  // namespace

std::int64_t cores_of(const Tree& tree, int node) {
    const Node& one = tree[node];
    if (one.is_leaf) {
        std::int64_t product = 1;
        for (const auto& [name, parts] : one.parts) product *= parts;
        return product;
    }
    if (!one.is_space) return cores_of(tree, one.children.front());
    std::int64_t sum = 0;
    for (const int child : one.children) sum += cores_of(tree, child);
    return sum;
}

std::vector<Figures> count(const std::vector<Layer>& layers, const Machine& machine, const Tree& tree,
                           const Switches& switches) {
    return Account(layers, machine, tree, switches).count();
}

}  // namespace tilewright::multicore::set
