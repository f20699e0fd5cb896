#include "random_cascade.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/numbers/random.hpp"
#include "mapping/fused/tree.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::property {
namespace {

constexpr int kMostLayers = 4;
constexpr int kMemories = 4;

/// A tensor of `channels` planes of x * y words.
struct Planes {
    int tensor = 0;
    std::int64_t channels = 1;
    std::int64_t x = 1;
    std::int64_t y = 1;
};

class RandomCascade {
   public:
    explicit RandomCascade(Random& random) : random_(random), builder_("random") {}

    Cascade make(std::int64_t operations) {
        planes_.push_back({builder_.tensor("t0", TensorRole::input, {0, 0, 0}), random_.between(1, 4),
                           random_.between(2, 9), random_.between(1, 8)});
        const std::int64_t layers = random_.between(1, kMostLayers);
        for (std::int64_t i = 0; i < layers; ++i) {
            Planes from = planes_.back();
            if (i > 1 && random_.chance(0.25)) from = planes_[random_.below(planes_.size())];
            if (i > 0 && random_.chance(0.3) && add_sum(from)) continue;
            add_layer(from, operations / layers);
        }
        return finish();
    }

   private:
    int next_tensor(const Planes& planes) {
        const std::string name = "t" + std::to_string(planes_.size());
        const int tensor = builder_.tensor(name, TensorRole::intermediate, {planes.channels, planes.x, planes.y});
        planes_.push_back({tensor, planes.channels, planes.x, planes.y});
        return tensor;
    }

    std::string next_name() const { return "e" + std::to_string(planes_.size()); }

    /// Element by element, of two tensors of one shape. False where there are none.
    bool add_sum(const Planes& from) {
        std::vector<Planes> others;
        for (const Planes& one : planes_)
            if (one.tensor != from.tensor && one.channels == from.channels && one.x == from.x && one.y == from.y)
                others.push_back(one);
        if (others.empty()) return false;
        const Planes other = others[random_.below(others.size())];
        Einsum einsum{"sum", {{"c", from.channels}, {"p", from.x}, {"q", from.y}}, {}};
        for (const char* name : {"a", "b", "o"})
            einsum.tensors.push_back({name, {rank(0), rank(1), rank(2)}, false, 0});
        einsum.tensors.back().written = true;
        const std::string name = next_name();
        const int result = next_tensor(from);
        builder_.einsum({name, "Add", einsum, EinsumKind::elementwise}, {from.tensor, other.tensor, result});
        return true;
    }

    static Rank rank(int dimension, std::int64_t coefficient = 1) { return {{{dimension, coefficient}}}; }

    /// Filters and strides of one axis.
    struct Axis {
        std::int64_t filter = 1;
        std::int64_t stride = 1;
        std::int64_t padding = 0;
        std::int64_t result = 1;
    };

    Axis random_axis(std::int64_t extent) {
        Axis axis;
        axis.filter = random_.between(1, std::min<std::int64_t>(3, extent));
        axis.stride = random_.chance(0.25) ? 2 : 1;
        axis.padding = axis.filter > 1 && random_.chance(0.4) ? 1 : 0;
        axis.result = (extent + 2 * axis.padding - axis.filter) / axis.stride + 1;
        return axis;
    }

    void add_layer(const Planes& from, std::int64_t operations) {
        const Axis x = random_axis(from.x);
        const Axis y = random_axis(from.y);
        const int kind = static_cast<int>(random_.below(3));  // full, depthwise, grouped
        const std::int64_t groups = kind == 2 && from.channels % 2 == 0 ? 2 : 1;
        std::int64_t made = kind == 1 ? from.channels : random_.between(1, 4);
        const auto points = [&] {
            return made * (kind == 1 ? 1 : from.channels / groups) * x.result * y.result * x.filter * y.filter;
        };
        while (kind != 1 && made > 1 && points() > operations) --made;
        if (kind == 1)
            depthwise(from, x, y);
        else
            grouped(from, x, y, groups, made);
    }

    Access input_access(const Planes& from, const Axis& x, const Axis& y, Coordinate channel, int p) const {
        return {from.tensor,
                {std::move(channel),
                 {{{p, x.stride}, {p + 2, 1}}, -x.padding},
                 {{{p + 1, y.stride}, {p + 3, 1}}, -y.padding}}};
    }

    void depthwise(const Planes& from, const Axis& x, const Axis& y) {
        Einsum einsum{"depthwise",
                      {{"c", from.channels}, {"p", x.result}, {"q", y.result}, {"r", x.filter}, {"s", y.filter}},
                      {}};
        einsum.tensors = {{"w", {rank(0), rank(3), rank(4)}, false, 0},
                          {"i", {rank(0), window(1, x.stride, 3), window(2, y.stride, 4)}, false, 0},
                          {"o", {rank(0), rank(1), rank(2)}, true, 0}};
        const std::string name = next_name();
        const int weight = builder_.tensor("w" + name, TensorRole::weight, {from.channels, x.filter, y.filter});
        const int result = next_tensor({0, from.channels, x.result, y.result});
        CascadeEinsum one{name, "Conv", einsum};
        one.accesses = {plain_access(weight, einsum.tensors[0]), input_access(from, x, y, {{{0, 1}}, 0}, 1),
                        plain_access(result, einsum.tensors[2])};
        builder_.einsum(one);
    }

    static Rank window(int moves, std::int64_t stride, int filter) { return {{{moves, stride}, {filter, 1}}}; }

    /// Groups lie side by side on the axis of channels: (channels of a group) * g + k.
    void grouped(const Planes& from, const Axis& x, const Axis& y, std::int64_t groups, std::int64_t made) {
        const std::int64_t c = from.channels / groups;
        Einsum einsum{
            "conv",
            {{"g", groups}, {"k", made}, {"p", x.result}, {"q", y.result}, {"r", x.filter}, {"s", y.filter}, {"c", c}},
            {}};
        einsum.tensors = {{"w", {rank(0), rank(1), rank(6), rank(4), rank(5)}, false, 0},
                          {"i", {rank(0), rank(6), window(2, x.stride, 4), window(3, y.stride, 5)}, false, 0},
                          {"o", {rank(0), rank(1), rank(2), rank(3)}, true, 0}};
        const std::string name = next_name();
        const int weight = builder_.tensor("w" + name, TensorRole::weight, {groups, made, c, x.filter, y.filter});
        const int result = next_tensor({0, groups * made, x.result, y.result});
        CascadeEinsum one{name, "Conv", einsum};
        one.accesses = {plain_access(weight, einsum.tensors[0]),
                        input_access(from, x, y, {{{0, c}, {6, 1}}, 0}, 2),
                        {result, {{{{0, made}, {1, 1}}, 0}, {{{2, 1}}, 0}, {{{3, 1}}, 0}}}};
        builder_.einsum(one);
    }

    /// What no einsum reads is wanted outside.
    Cascade finish() {
        Cascade cascade = builder_.so_far();
        cascade.tensors[0].shape = {planes_[0].channels, planes_[0].x, planes_[0].y};
        for (CascadeTensor& tensor : cascade.tensors)
            if (tensor.readers.empty()) tensor.role = TensorRole::output;
        return cascade;
    }

    Random& random_;
    CascadeBuilder builder_;
    std::vector<Planes> planes_;
};

class RandomMapping {
   public:
    RandomMapping(Random& random, const Cascade& cascade) : random_(random), cascade_(cascade) {}

    FusedMapping make() {
        SharedStore dram{0, {}};
        for (int t = 0; t < cascade_.tensor_count(); ++t)
            if (cascade_.tensors[at(t)].role != TensorRole::intermediate) home(t, dram);
        const std::vector<int> cuts = random_cuts(0, cascade_.einsum_count(), 0.25);
        for (int t = 0; t < cascade_.tensor_count(); ++t)
            if (!homes_.contains(t) && (random_.chance(0.1) || (crosses(t, cuts) && random_.chance(0.7))))
                home(t, dram);
        int node = append(mapping_, -1, dram);
        node = put_stores(node, homes_here(0, cascade_.einsum_count(), cuts, 0.0));
        if (cuts.size() == 2) {
            put_group(node, 0, cascade_.einsum_count());
        } else {
            const int split = append(mapping_, node, SequentialSplit{});
            for (std::size_t i = 0; i + 1 < cuts.size(); ++i) put_group(split, cuts[i], cuts[i + 1]);
        }
        return std::move(mapping_);
    }

    /// One group of all einsums in which, mostly, a loop over the rows of softmax stands inside its statistics.
    FusedMapping make_step() {
        SharedStore dram{0, {}};
        for (int t = 0; t < cascade_.tensor_count(); ++t)
            if (cascade_.tensors[at(t)].role != TensorRole::intermediate) home(t, dram);
        std::vector<SharedLoop> loops = random_loops(einsum(cascade_.einsum_count() - 1));
        const int row = find_dimension(einsum(cascade_.einsum_count() - 1), "q");
        const std::size_t inside = random_.below(loops.size() + 1);
        loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(inside), {row, random_.between(1, 4)});
        std::vector<std::vector<SharedStore>> positions(loops.size() + 1);
        const std::size_t statistics =
            random_.chance(0.85) ? random_.below(inside + 1) : random_.below(positions.size());
        const auto keep = [&](int t, std::size_t position) {
            positions[position].push_back({static_cast<int>(random_.between(1, 2)), {t}, random_.chance(0.05)});
            copies_[t] = positions[position].back().memory;
        };
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            const std::string& name = cascade_.tensors[at(t)].name;
            if (name == "top" || name == "total")
                keep(t, statistics);
            else if (!homes_.contains(t))
                keep(t, random_.chance(0.85) ? loops.size() : random_.below(positions.size()));
            else if (random_.chance(0.6))
                keep(t, random_.below(positions.size()));
        }
        int node = append(mapping_, -1, dram);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (i > 0) node = append(mapping_, node, loops[i - 1]);
            node = put_stores(node, positions[i]);
        }
        for (const auto& [t, memory] : copies_) homes_[t] = memory;
        put_body(node, 0, cascade_.einsum_count(), random_cuts(0, cascade_.einsum_count(), 0.85));
        return std::move(mapping_);
    }

   private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const Einsum& einsum(int e) const { return cascade_.einsums[at(e)].einsum; }

    void home(int t, SharedStore& store) {
        store.tensors.push_back(t);
        homes_[t] = store.memory;
    }

    /// begin, some of what lies between, end.
    std::vector<int> random_cuts(int begin, int end, double chance) {
        std::vector<int> cuts{begin};
        for (int i = begin + 1; i < end; ++i)
            if (random_.chance(chance)) cuts.push_back(i);
        cuts.push_back(end);
        return cuts;
    }

    std::pair<int, int> users(int t) const {
        int first = cascade_.einsum_count();
        int last = -1;
        for (const auto* uses : {&cascade_.tensors[at(t)].writers, &cascade_.tensors[at(t)].readers})
            for (const TensorUse& use : *uses) {
                first = std::min(first, use.einsum);
                last = std::max(last, use.einsum);
            }
        return {first, last};
    }

    bool crosses(int t, const std::vector<int>& cuts) const {
        const auto [first, last] = users(t);
        return std::ranges::any_of(cuts, [&](int cut) { return first < cut && cut <= last; });
    }

    /// Tensors of [begin, end) that get their outermost store here: those that several parts use, and some others.
    std::vector<SharedStore> homes_here(int begin, int end, const std::vector<int>& cuts, double others) {
        std::vector<SharedStore> stores;
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            const auto [first, last] = users(t);
            if (homes_.contains(t) || first < begin || last >= end) continue;
            if (!crosses(t, cuts) && !random_.chance(others)) continue;
            stores.push_back({static_cast<int>(random_.between(1, 2)), {}, random_.chance(0.1)});
            home(t, stores.back());
        }
        return stores;
    }

    int put_stores(int node, const std::vector<SharedStore>& stores) {
        for (const SharedStore& store : stores) node = append(mapping_, node, store);
        return node;
    }

    /// Stores further in for tensors that have one outside.
    void add_copies(int begin, int end, std::vector<std::vector<SharedStore>>& positions) {
        std::set<int> used;
        for (int e = begin; e < end; ++e)
            for (const Access& access : cascade_.einsums[at(e)].accesses) used.insert(access.tensor);
        for (const int t : used) {
            if (!homes_.contains(t) || homes_[t] >= 2 || !random_.chance(0.5)) continue;
            const int outer = homes_[t];
            const int inner = static_cast<int>(random_.between(outer + 1, 2));
            positions[random_.below(positions.size())].push_back({inner, {t}, random_.chance(0.1)});
            copies_[t] = inner;
        }
    }

    void put_group(int parent, int begin, int end) {
        const Einsum& last = einsum(end - 1);
        const std::map<int, int> homes_before = homes_;
        std::vector<int> cuts{begin};
        if (end - begin > 1) cuts = random_cuts(begin, end, 0.8);
        if (cuts.size() == 2 && end - begin > 1) cuts = random_cuts(begin, end, 1.0);
        if (end - begin == 1) cuts = {begin, end};
        const std::vector<SharedLoop> loops = random_loops(last);
        std::vector<std::vector<SharedStore>> positions(loops.size() + 1);
        for (const SharedStore& store : homes_here(begin, end, cuts, 0.5))
            positions[random_.chance(0.4) ? loops.size() : random_.below(positions.size())].push_back(store);
        copies_.clear();
        add_copies(begin, end, positions);
        int node = parent;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (i > 0) node = append(mapping_, node, loops[i - 1]);
            node = put_stores(node, positions[i]);
        }
        const std::map<int, int> homes_above = homes_;
        for (const auto& [t, memory] : copies_) homes_[t] = memory;
        put_body(node, begin, end, cuts);
        for (const auto& [t, memory] : homes_above) homes_[t] = memory;
    }

    void put_body(int node, int begin, int end, const std::vector<int>& cuts) {
        if (end - begin == 1 && !random_.chance(0.1)) return put_leaf(node, begin);
        const int split = append(mapping_, node, SequentialSplit{});
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            if (cuts[i + 1] - cuts[i] == 1 && !random_.chance(0.3))
                put_leaf(split, cuts[i]);
            else
                put_group(split, cuts[i], cuts[i + 1]);
        }
    }

    /// Mostly over the axes of the result, in short steps: there words overlap.
    std::vector<SharedLoop> random_loops(const Einsum& einsum) {
        std::vector<SharedLoop> loops;
        const std::int64_t count = random_.between(0, 3);
        for (std::int64_t i = 0; i < count; ++i) {
            int d = static_cast<int>(random_.below(einsum.dimensions.size()));
            if (random_.chance(0.5)) d = find_dimension(einsum, random_.chance(0.5) ? "p" : "q");
            const std::int64_t extent = einsum.dimensions[at(d)].extent;
            if (extent > 1) loops.push_back({d, random_.between(1, random_.chance(0.6) ? (extent + 1) / 2 : extent)});
        }
        return loops;
    }

    void put_leaf(int parent, int e) {
        LeafNest nest;
        std::vector<std::int64_t> steps(einsum(e).dimensions.size(), 0);  // 0: nothing said yet
        for (int memory = 1; memory < kMemories; ++memory) {
            cut(einsum(e), steps, nest, memory + 1 == kMemories);
            Store store{memory, {}};
            for (int t = 0; t < einsum(e).tensor_count(); ++t)
                if (memory > innermost(parent, cascade_.einsums[at(e)].accesses[at(t)].tensor) && random_.chance(0.5))
                    store.tensors.add(t);
            nest.nodes.emplace_back(store);
        }
        for (std::size_t d = 0; d < steps.size(); ++d)
            if (steps[d] != 1) nest.nodes.emplace_back(LeafLoop{static_cast<int>(d), 1, LoopKind::temporal});
        append(mapping_, parent, FusedLeaf{e, {nest}});
    }

    /// Memory of the innermost store on the way.
    int innermost(int node, int t) const {
        for (; node >= 0; node = mapping_.nodes[at(node)].parent)
            if (const auto* store = std::get_if<SharedStore>(&mapping_.nodes[at(node)].what);
                store != nullptr && keeps(*store, t))
                return store->memory;
        return 0;
    }

    /// Some loops between two stores: steps that divide those outside. Across the array two neighbours at most.
    void cut(const Einsum& einsum, std::vector<std::int64_t>& steps, LeafNest& nest, bool array) {
        std::vector<LeafLoop> across;
        for (std::size_t d = 0; d < steps.size(); ++d) {
            if (einsum.dimensions[d].extent == 1 || steps[d] == 1 || !random_.chance(0.4)) continue;
            const std::int64_t step = steps[d] == 0                              ? random_.between(1, 4)
                                      : steps[d] % 2 == 0 && random_.chance(0.5) ? 2
                                                                                 : 1;
            nest.nodes.emplace_back(LeafLoop{static_cast<int>(d), step, LoopKind::temporal});
            steps[d] = step;
            if (!array || step != 2 || across.size() == 2) continue;
            across.push_back({static_cast<int>(d), 1, across.empty() ? LoopKind::spatial_x : LoopKind::spatial_y});
            steps[d] = 1;
        }
        for (const LeafLoop& loop : across) nest.nodes.emplace_back(loop);
    }

    Random& random_;
    const Cascade& cascade_;
    FusedMapping mapping_;
    std::map<int, int> homes_;   ///< by tensor: memory of its innermost store so far
    std::map<int, int> copies_;  ///< those that the last group added
};

}  // namespace

Architecture fused_machine() {
    Architecture machine;
    machine.name = "four levels";
    const char* names[kMemories] = {"DRAM", "L2", "L1", "Registers"};
    for (int m = 0; m < kMemories; ++m) {
        Memory memory;
        memory.name = names[m];
        memory.is_dram = m == 0;
        const double level = kMemories - m;
        memory.energy.read_pj = {level * level * level, "test"};
        memory.energy.fill_pj = memory.energy.update_pj = {level * level * level + 1.0, "test"};
        memory.read_words_per_cycle = 2.0 * (m + 1);
        memory.write_words_per_cycle = 1.0 * (m + 1);
        machine.memories.push_back(memory);
    }
    machine.memories.back().instances = 4;
    machine.memories.back().mesh = {2, 2};
    machine.compute.instances = 4;
    machine.compute.mesh = {2, 2};
    machine.compute.energy_pj = {1.0, "test"};
    return machine;
}

FusedProblem random_attention_problem(std::uint64_t seed) {
    Random random(seed);
    std::string text;
    if (random.chance(0.8)) text += "S[h,p,q] += Q[h,p,e] * K[h,q,e];";
    text += "online top[h,p], total[h,p] += softmax(S[h,p,q]);";
    const bool scaled = random.chance(0.2);
    text += "P[h,p,q] = exp(S[h,p,q] - top[h,p]) / total[h,p];";
    if (scaled) text += "R[h,p,q] = P[h,p,q] * G[p,q];";
    text += scaled ? "O[h,p,f] += R[h,p,q] * V[h,q,f];" : "O[h,p,f] += P[h,p,q] * V[h,q,f];";
    std::vector<std::pair<std::string, std::int64_t>> extents{{"h", random.between(1, 2)},
                                                              {"p", random.between(1, 5)},
                                                              {"q", random.between(2, 7)},
                                                              {"f", random.between(1, 3)}};
    if (text.starts_with("S")) extents.emplace_back("e", random.between(1, 3));
    FusedProblem problem;
    problem.cascade = parse_cascade(text, extents);
    problem.architecture = fused_machine();
    RandomMapping mapping(random, problem.cascade);
    problem.mapping = random.chance(0.7) ? mapping.make_step() : mapping.make();
    return problem;
}

FusedProblem random_fused_problem(std::uint64_t seed, std::int64_t operations) {
    Random random(seed);
    FusedProblem problem;
    problem.cascade = RandomCascade(random).make(operations);
    problem.architecture = fused_machine();
    problem.mapping = RandomMapping(random, problem.cascade).make();
    return problem;
}

}  // namespace tilewright::property
