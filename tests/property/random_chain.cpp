#include "random_chain.hpp"

#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/cascade/canonical.hpp"

namespace tilewright::property {
namespace {

class Chain {
   public:
    Chain(Random& random, int most) : random_(random), builder_("chain"), most_(most) {}

    Cascade rows() {
        const std::int64_t m = random_.between(1, 4);
        int x = builder_.tensor("x", TensorRole::input, {m, channels()});
        shapes_.push_back(builder_.so_far().tensors[0].shape);
        const auto count = random_.between(2, most_);
        for (int i = 0; i < count; ++i) {
            const bool room_for_three = i + 3 <= count;
            const bool room_for_two = i + 2 <= count;
            if (room_for_three && random_.chance(0.3)) {
                x = gated(x);
                i += 2;
            } else if (room_for_two && random_.chance(0.3)) {
                x = random_.chance(0.5) ? normalised(x) : joined(x);
                i += 1;
            } else if (random_.chance(0.3)) {
                x = map_rows(x);
            } else {
                x = product(x, channels());
            }
        }
        return finish(x);
    }

    Cascade heads() {
        const std::int64_t h = random_.between(1, 2), m = random_.between(1, 4), l = random_.between(2, 4);
        const std::int64_t e = random_.between(1, 2);
        const int q = tensor("q", TensorRole::input, {h, m, e});
        const int k = tensor("k", TensorRole::weight, {h, l, e});
        const int s = tensor("s", TensorRole::intermediate, {h, m, l});
        const std::vector<Dimension> d{{"h", h}, {"m", m}, {"l", l}, {"c", e}};
        add("scores", {d, {read({0, 1, 3}), read({0, 2, 3}), written({0, 1, 2})}}, {q, k, s});
        const std::vector<Dimension> rows{{"h", h}, {"m", m}, {"l", l}};
        int p = tensor("p", TensorRole::intermediate, {h, m, l});
        if (most_ >= 4) {
            const int top = tensor("top", TensorRole::intermediate, {h, m});
            const int total = tensor("total", TensorRole::intermediate, {h, m});
            add("statistics", {rows, {read({0, 1, 2}), written({0, 1}), written({0, 1})}}, {s, top, total});
            add("shares", {rows, {read({0, 1, 2}), read({0, 1}), read({0, 1}), written({0, 1, 2})}},
                {s, top, total, p});
        } else {
            add("shares", {rows, {read({0, 1, 2}), written({0, 1, 2})}}, {s, p});
        }
        const std::int64_t f = random_.between(1, 2);
        const int v = tensor("v", TensorRole::weight, {h, l, f});
        const int o = tensor("o", TensorRole::intermediate, {h, m, f});
        add("mix", {{{"h", h}, {"m", m}, {"f", f}, {"c", l}}, {read({0, 1, 3}), read({0, 3, 2}), written({0, 1, 2})}},
            {p, v, o});
        return finish(o);
    }

    Cascade image(bool branches) {
        const std::int64_t side = random_.between(3, 5);
        const int x =
            tensor("x", TensorRole::input, {channels(), side, random_.chance(0.5) ? side : random_.between(2, 4)});
        int y = branches && random_.chance(0.5) ? convolution(x, 1, 1, 0) : x;
        if (!branches) {
            const auto count = random_.between(2, most_);
            const auto window = random_.between(0, count - 1);  // one that slides there is
            for (int i = 0; i < count; ++i) y = i == window ? sliding(y) : any(y);
            return finish(y);
        }
        const int kind = static_cast<int>(random_.below(4));
        if (kind == 3) {
            const int both = joined_images(y);
            return finish(random_.chance(0.5) ? both : convolution(both, 1, 1, 0));
        }
        const bool strides = kind == 2 && shape(y)[1] % 2 == 0 && shape(y)[2] % 2 == 0;
        int a = strides ? convolution(y, 2, 2, 0) : convolution(y, 3, 1, 1, kind == 0);
        const int b = strides ? convolution(y, 1, 2, 0) : y;
        if (shape(a)[0] != shape(b)[0]) a = convolution(a, 1, 1, 0, false, shape(b)[0]);
        return finish(sum(a, b));
    }

    void describe(ChainProblem& problem) const {
        problem.steps_over = steps_over_;
        problem.turned = turned_;
        problem.several_writers = several_writers_;
    }

   private:
    std::int64_t channels() {
        constexpr std::int64_t kChannels[] = {1, 2, 3, 4};
        return kChannels[random_.below(4)];
    }
    std::vector<std::int64_t> shape(int t) const { return builder_.so_far().tensors[t].shape; }
    std::string name(const std::string& what) { return what + std::to_string(next_++); }
    int tensor(const std::string& what, TensorRole role, std::vector<std::int64_t> extents) {
        return builder_.tensor(name(what), role, std::move(extents));
    }

    static Tensor operand(const std::vector<int>& dimensions, bool is_written) {
        Tensor tensor{"", {}, is_written};
        for (const int d : dimensions) tensor.ranks.push_back({{{d, 1}}});
        return tensor;
    }
    static Tensor read(const std::vector<int>& dimensions) { return operand(dimensions, false); }
    static Tensor written(const std::vector<int>& dimensions) { return operand(dimensions, true); }

    struct Parts {
        std::vector<Dimension> dimensions;
        std::vector<Tensor> tensors;
    };
    Einsum einsum_of(Parts parts, const std::vector<int>& tensors) {
        for (std::size_t t = 0; t < tensors.size(); ++t)
            parts.tensors[t].name = builder_.so_far().tensors[tensors[t]].name;
        return {"", std::move(parts.dimensions), std::move(parts.tensors)};
    }
    // `after`: words before its own in the last axis of its result, of those that another einsum writes.
    void add(const std::string& what, Parts parts, const std::vector<int>& tensors, std::int64_t after = 0) {
        CascadeEinsum one{name(what), what, einsum_of(std::move(parts), tensors)};
        for (std::size_t t = 0; t < tensors.size(); ++t)
            one.accesses.push_back(plain_access(tensors[t], one.einsum.tensors[t]));
        one.accesses.back().coordinates.back().offset = after;
        builder_.einsum(std::move(one));
    }
    // A tensor of two writers, side by side.
    int joined(int x) {
        const std::int64_t m = shape(x)[0], c = shape(x)[1], half = channels();
        const int y = tensor("y", TensorRole::intermediate, {m, 2 * half});
        for (const std::int64_t after : {std::int64_t{0}, half}) {
            const int w = tensor("w", TensorRole::weight, {c, half});
            add("part", {{{"m", m}, {"n", half}, {"c", c}}, {read({0, 2}), read({2, 1}), written({0, 1})}}, {x, w, y},
                after);
        }
        several_writers_ = true;
        return y;
    }
    int joined_images(int x) {
        const std::int64_t half = channels();
        const int window = random_.chance(0.5) ? 1 : 3;
        const int y = tensor("y", TensorRole::intermediate, {2 * half, shape(x)[1], shape(x)[2]});
        for (const std::int64_t after : {std::int64_t{0}, half}) convolve(x, y, {window, 1, window / 2}, half, after);
        several_writers_ = true;
        return y;
    }

    int product(int x, std::int64_t n) {
        const std::int64_t m = shape(x)[0], c = shape(x)[1];
        const int w = tensor("w", TensorRole::weight, {c, n});
        const int y = tensor("y", TensorRole::intermediate, {m, n});
        add("product", {{{"m", m}, {"n", n}, {"c", c}}, {read({0, 2}), read({2, 1}), written({0, 1})}}, {x, w, y});
        return y;
    }
    int map_rows(int x) {
        const int y = tensor("y", TensorRole::intermediate, shape(x));
        add("map", {{{"m", shape(x)[0]}, {"n", shape(x)[1]}}, {read({0, 1}), written({0, 1})}}, {x, y});
        return y;
    }
    int normalised(int x) {
        const std::int64_t m = shape(x)[0], n = shape(x)[1];
        const int scale = tensor("scale", TensorRole::intermediate, {m});
        add("statistics", {{{"m", m}, {"c", n}}, {read({0, 1}), written({0})}}, {x, scale});
        const int y = tensor("y", TensorRole::intermediate, {m, n});
        add("scaled", {{{"m", m}, {"n", n}}, {read({0, 1}), read({0}), written({0, 1})}}, {x, scale, y});
        return y;
    }
    int gated(int x) {
        const std::int64_t f = channels();
        const int up = product(x, f), gate = product(x, f);
        const int y = tensor("y", TensorRole::intermediate, {shape(x)[0], f});
        add("gated", {{{"m", shape(x)[0]}, {"n", f}}, {read({0, 1}), read({0, 1}), written({0, 1})}}, {up, gate, y});
        return y;
    }
    int sum(int a, int b) {
        const std::vector<std::int64_t> s = shape(a);
        const int y = tensor("y", TensorRole::intermediate, s);
        add("sum", {{{"k", s[0]}, {"p", s[1]}, {"q", s[2]}}, {read({0, 1, 2}), read({0, 1, 2}), written({0, 1, 2})}},
            {a, b, y});
        return y;
    }
    int any(int x) {
        if (random_.chance(0.4)) return convolution(x, 1, random_.between(1, 2), 0);
        if (random_.chance(0.5)) return sliding(x);
        const std::vector<std::int64_t> s = shape(x);
        const int y = tensor("y", TensorRole::intermediate, s);
        add("map", {{{"k", s[0]}, {"p", s[1]}, {"q", s[2]}}, {read({0, 1, 2}), written({0, 1, 2})}}, {x, y});
        return y;
    }
    int sliding(int x) {
        const std::int64_t side = std::min(shape(x)[1], shape(x)[2]);
        if (random_.chance(0.6)) {
            const std::int64_t window = random_.between(1, std::min<std::int64_t>(side, 2));
            return convolution(x, window, window + random_.between(1, 2), 0, random_.chance(0.3));
        }
        std::int64_t window = random_.between(2, 3);
        const std::int64_t padding = side < window ? window - 1 : random_.between(0, 1);
        return convolution(x, window, random_.between(1, window - 1), padding, random_.chance(0.5));
    }
    int convolution(int x, std::int64_t window, std::int64_t stride, std::int64_t padding, bool depthwise = false,
                    std::int64_t results = 0) {
        const std::vector<std::int64_t> s = shape(x);
        const std::int64_t k = depthwise ? s[0] : results > 0 ? results : channels();
        const Window one{window, stride, padding, depthwise};
        const int y = tensor("y", TensorRole::intermediate, {k, one.places(s[1]), one.places(s[2])});
        convolve(x, y, one, k, 0);
        return y;
    }

    struct Window {
        std::int64_t size = 1;
        std::int64_t stride = 1;
        std::int64_t padding = 0;
        bool depthwise = false;

        std::int64_t places(std::int64_t extent) const { return (extent + 2 * padding - size) / stride + 1; }
    };

    // Terms in any order.
    std::vector<Term> sum_of(Term a, Term b) {
        if (random_.chance(0.5)) return {a, b};
        turned_ = true;
        return {b, a};
    }

    // Writes k channels of y, from channel `after` on.
    void convolve(int x, int y, const Window& window, std::int64_t k, std::int64_t after) {
        const std::vector<std::int64_t> s = shape(x);
        const std::int64_t size = window.size;
        const int w = tensor("w", TensorRole::weight,
                             window.depthwise ? std::vector<std::int64_t>{k, size, size}
                                              : std::vector<std::int64_t>{k, s[0], size, size});
        std::vector<Dimension> dimensions{
            {"k", k}, {"p", window.places(s[1])}, {"q", window.places(s[2])}, {"r", size}, {"s", size}};
        if (!window.depthwise) dimensions.push_back({"c", s[0]});
        const int c = window.depthwise ? 0 : 5;
        const Tensor in{
            "", {{{{c, 1}}}, {sum_of({1, window.stride}, {3, 1})}, {sum_of({2, window.stride}, {4, 1})}}, false};
        CascadeEinsum one{
            name("convolution"), "Conv",
            einsum_of({dimensions, {in, window.depthwise ? read({0, 3, 4}) : read({0, 5, 3, 4}), written({0, 1, 2})}},
                      {x, w, y})};
        one.accesses = {plain_access(x, one.einsum.tensors[0], {0, window.padding, window.padding}),
                        plain_access(w, one.einsum.tensors[1]), plain_access(y, one.einsum.tensors[2], {-after, 0, 0})};
        builder_.einsum(std::move(one));
        steps_over_ = steps_over_ || window.stride > size;
    }

    Cascade finish(int result) {
        Cascade cascade = builder_.so_far();
        cascade.tensors[result].role = TensorRole::output;
        return cascade;
    }

    Random& random_;
    CascadeBuilder builder_;
    bool steps_over_ = false;
    bool turned_ = false;
    bool several_writers_ = false;
    int most_;
    int next_ = 0;
    std::vector<std::vector<std::int64_t>> shapes_;
};

Architecture machine(Random& random) {
    Architecture machine;
    machine.name = "a DRAM, a buffer, an array";
    for (const char* name : {"DRAM", "Buffer", "Register"}) {
        Memory memory;
        memory.name = name;
        machine.memories.push_back(memory);
    }
    const auto energy = [&](std::int64_t most) {
        return Sourced{static_cast<double>(random.between(0, most)), "test"};
    };
    Memory& dram = machine.memories[0];
    dram.energy = {{1.0 + energy(40).value, "test"}, {}, {1.0 + energy(40).value, "test"}, {}};
    Memory& buffer = machine.memories[1];
    buffer.energy = {energy(3), energy(3), energy(3), {}};
    constexpr double kDramRates[] = {0.25, 0.5, 1, 2, 4};
    constexpr double kBufferRates[] = {1, 2, 4, 8, 100};
    dram.shared_words_per_cycle = kDramRates[random.below(5)];
    buffer.shared_words_per_cycle = kBufferRates[random.below(5)];
    buffer.capacity_words = random.between(8, 160);
    machine.memories[2].capacity_words = 1;
    machine.memories[2].instances = machine.compute.instances = 4;
    machine.memories[2].mesh = machine.compute.mesh = {2, 2};
    machine.compute.energy_pj = {1.0, "test"};
    return machine;
}

}  // namespace

ChainProblem random_chain(std::uint64_t seed, int most_einsums) {
    Random random(seed);
    ChainProblem problem;
    problem.architecture = machine(random);
    const auto kind = random.below(4);
    problem.image = kind >= 2;
    Chain chain(random, most_einsums);
    problem.written = kind == 0 ? chain.rows() : kind == 1 ? chain.heads() : chain.image(kind == 3);
    problem.cascade = problem.written;
    for (CascadeEinsum& einsum : problem.cascade.einsums) make_canonical(einsum);
    chain.describe(problem);
    for (const CascadeTensor& tensor : problem.cascade.tensors)
        problem.branches = problem.branches || tensor.readers.size() > 1;
    if (random.chance(0.3)) problem.longest_group = static_cast<int>(random.between(2, 3));
    return problem;
}

void give_widths(ChainProblem& problem, std::uint64_t seed) {
    Random random(seed);
    constexpr std::int64_t kWidths[] = {0, 2, 3, 4, 8, 8, 12, 16, 32};
    std::vector<std::int64_t> bits;
    for (std::size_t t = 0; t < problem.cascade.tensors.size(); ++t) bits.push_back(kWidths[random.below(9)]);
    for (Cascade* cascade : {&problem.cascade, &problem.written}) {
        for (std::size_t t = 0; t < bits.size(); ++t) cascade->tensors[t].bits = bits[t];
        for (CascadeEinsum& one : cascade->einsums)
            for (std::size_t t = 0; t < one.accesses.size(); ++t)
                one.einsum.tensors[t].bits = bits[static_cast<std::size_t>(one.accesses[t].tensor)];
    }
}

}  // namespace tilewright::property
