// The networks that property_same draws (same_network.hpp).
#include <algorithm>
#include <array>

#include "same_network.hpp"

namespace tilewright::property {
namespace {

/// A tensor of channels and positions.
struct Rows {
    std::string tensor;
    std::int64_t channels = 1;
    std::int64_t positions = 1;
};

class Drawing {
   public:
    explicit Drawing(Random& random) : random_(random) {}

    DrawnNetwork take(Architecture architecture) {
        network_.text.architecture = std::move(architecture);
        return std::move(network_);
    }

    void chain() {
        Rows x{"x", random_.between(1, 3), random_.between(4, 7)};
        for (std::int64_t left = random_.between(1, 3); left > 0 && x.positions > 0; --left) x = filter(x);
    }

    // Two make parts of a tensor, side by side; a third reads all of it. Where it grows the second reads the first
    // part.
    void concatenation(bool grows) {
        const Rows x{"x", random_.between(1, 2), random_.between(2, 4)};
        const Rows all{"t", 0, x.positions};
        const std::int64_t first = random_.between(1, 2), second = random_.between(1, 2);
        product(x, {all.tensor, first, x.positions}, 0);
        if (grows && random_.chance(0.5)) {
            const Rows squeezed{"s", random_.between(1, 2), x.positions};
            product({all.tensor, first, x.positions}, squeezed, 0);
            product(squeezed, {all.tensor, second, x.positions}, first);
        } else {
            product(grows ? Rows{all.tensor, first, x.positions} : x, {all.tensor, second, x.positions}, first);
        }
        product({all.tensor, first + second, x.positions}, {"y", random_.between(1, 2), x.positions}, 0);
        network_.text.shapes.emplace_back("t", std::vector{first + second, x.positions});
        network_.traits.several = true;
        network_.traits.grows = grows;
    }

    void residual() {
        const Rows x{"x", random_.between(1, 3), random_.between(2, 4)};
        const Rows a = product(x, {"a", x.channels, x.positions}, 0);
        const Rows b = random_.chance(0.5) ? product(x, {"b", x.channels, x.positions}, 0) : x;
        const std::string k = size("k", x.channels), p = size("p", x.positions);
        const std::vector<AxisOfText> axes{{{{1, k}}}, {{{1, p}}}};
        network_.text.statements.push_back({{"y", axes}, {{a.tensor, axes}, {b.tensor, axes}}, "+"});
    }

    // Words of heads lie side by side: e of head h at E * h + e.
    void heads() {
        const std::int64_t heads = random_.between(1, 3), each = random_.between(1, 3), rows = random_.between(1, 3);
        const auto side_by_side = [&](const std::string& h, const std::string& e) {
            return AxisOfText{{{each, h}, {1, e}}, 0};
        };
        const std::string m = size("m", rows), c = size("c", random_.between(1, 2));
        const std::string h = size("h", heads), e = size("e", each);
        network_.text.statements.push_back(
            {{"q", {{{{1, m}}}, side_by_side(h, e)}},
             {{"x", {{{{1, m}}}, {{{1, c}}}}}, {weight(), {{{{1, c}}}, {{{1, h}}}, {{{1, e}}}}}}});
        const std::string n = size("n", rows), g = size("g", heads), d = size("d", each);
        const std::string f = size("f", random_.between(1, 2));
        network_.text.statements.push_back(
            {{"s", {{{{1, g}}}, {{{1, n}}}, {{{1, f}}}}},
             {{"q", {{{{1, n}}}, side_by_side(g, d)}}, {weight(), {{{{1, g}}}, {{{1, d}}}, {{{1, f}}}}}}});
        network_.traits.mixed_radix = true;
    }

   private:
    std::string size(const std::string& what, std::int64_t extent) {
        const std::string name = what + std::to_string(network_.text.sizes.size());
        network_.text.sizes.emplace_back(name, extent);
        return name;
    }
    std::string weight() {
        network_.text.weights.push_back("w" + std::to_string(network_.text.weights.size()));
        return network_.text.weights.back();
    }

    // Channel k of the result lies at `first` + k.
    Rows product(const Rows& x, const Rows& y, std::int64_t first) {
        const std::string k = size("k", y.channels), p = size("p", y.positions), c = size("c", x.channels);
        network_.text.statements.push_back(
            {{y.tensor, {{{{1, k}}, first}, {{{1, p}}}}},
             {{x.tensor, {{{{1, c}}}, {{{1, p}}}}}, {weight(), {{{{1, k}}}, {{{1, c}}}}}}});
        return y;
    }

    // A window of words with a stride, which may step over some; by channel or over all of them.
    Rows filter(const Rows& x) {
        const bool steps_over = random_.chance(0.5);
        const std::int64_t window = random_.between(1, std::min<std::int64_t>(steps_over ? 2 : 3, x.positions));
        const std::int64_t stride = random_.between(steps_over ? window + 1 : 1, steps_over ? 3 : window);
        const bool by_channel = random_.chance(0.3);
        const Rows y{"y" + std::to_string(network_.text.statements.size()),
                     by_channel ? x.channels : random_.between(1, 3), (x.positions - window) / stride + 1};
        const std::string k = size("k", y.channels), p = size("p", y.positions);
        const std::string c = by_channel ? k : size("c", x.channels);
        AxisOfText at{{{stride, p}}, 0};
        std::vector<AxisOfText> words{{{{1, k}}}};
        if (!by_channel) words.push_back({{{1, c}}});
        if (window > 1 || random_.chance(0.5)) {
            const std::string r = size("r", window);
            at.terms.push_back({1, r});
            words.push_back({{{1, r}}});
        }
        network_.text.statements.push_back(
            {{y.tensor, {{{{1, k}}}, {{{1, p}}}}}, {{x.tensor, {{{{1, c}}}, at}}, {weight(), words}}});
        network_.traits.steps_over = network_.traits.steps_over || (stride > window && y.positions > 1);
        return y;
    }

    Random& random_;
    DrawnNetwork network_;
};

Architecture random_machine(Random& random) {
    Architecture machine;
    machine.name = "a DRAM, a buffer, an array";
    const auto energy = [&](std::int64_t least, std::int64_t most) {
        return Sourced{static_cast<double>(random.between(least, most)), "drawn"};
    };
    for (const char* name : {"DRAM", "Buffer", "Register"}) {
        machine.memories.emplace_back();
        machine.memories.back().name = name;
    }
    constexpr std::array<double, 4> kRates{0.5, 1.0, 2.0, 8.0};
    constexpr std::array<Mesh, 5> kMeshes{{{2, 2}, {4, 1}, {1, 3}, {2, 1}, {3, 2}}};
    Memory& dram = machine.memories[0];
    dram.energy.read_pj = energy(1, 200);
    dram.energy.update_pj = energy(1, 200);
    dram.shared_words_per_cycle = kRates[random.below(4)];
    Memory& buffer = machine.memories[1];
    buffer.energy.read_pj = energy(0, 13);
    buffer.energy.fill_pj = energy(0, 13);
    buffer.energy.update_pj = energy(0, 13);
    buffer.shared_words_per_cycle = 2.0 * kRates[random.below(4)];
    buffer.capacity_words = random.between(6, 60);
    machine.memories[2].capacity_words = 1;
    machine.memories[2].mesh = machine.compute.mesh = kMeshes[random.below(kMeshes.size())];
    machine.memories[2].instances = machine.compute.instances = machine.compute.mesh.size();
    machine.compute.energy_pj = {1.0, "drawn"};
    return machine;
}

}  // namespace

DrawnNetwork random_network(std::uint64_t seed) {
    Random random(seed);
    Drawing drawing(random);
    switch (random.below(6)) {
        case 0: drawing.residual(); break;
        case 1: drawing.concatenation(false); break;
        case 2: drawing.concatenation(true); break;
        case 3: drawing.heads(); break;
        default: drawing.chain();
    }
    return drawing.take(random_machine(random));
}

}  // namespace tilewright::property
