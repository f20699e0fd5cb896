#include "multicore/set/problem.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::multicore::set {
namespace {

// Y. Cai et al., "Inter-layer Scheduling Space Definition and Exploration for Tiled Accelerators", ISCA 2023, and
// main() of the program published with it.
constexpr double kHopPj = 5.6;
constexpr double kDramPj = 60.0;
constexpr std::int64_t kBufferWords = 1 << 20;
constexpr std::int64_t kFewChannels = 8;  // with as many or fewer, rows take the place of input channels

class LayerReader {
   public:
    LayerReader(const std::vector<Layer>& layers, std::int64_t batch, std::int64_t times)
        : layers_(layers), batch_(batch), builder_("set"), made_(layers.size(), -1), is_read_(layers.size(), false) {
        for (const Layer& layer : layers)
            for (const int p : layer.from) is_read_[p] = true;
        if (times > 1) builder_.begin_block("round", times);
    }

    void add(int number) {
        const Layer& layer = layers_[number];
        if (layer.kind == LayerKind::group || layer.kind == LayerKind::transpose || !layer.weights_from.empty())
            throw InputError(
                ErrorCode::unsupported, {},
                "'" + layer.name + "' has groups, is transposed or has weights that layers make: no einsum");
        made_[number] = builder_.tensor(layer.name, is_read_[number] ? TensorRole::intermediate : TensorRole::output,
                                        shape(layer.out));
        one_ = {layer.name, "", {layer.name, {}, {}}};
        find_dimensions(layer);
        if (layer.has_weights) {
            std::vector<Coordinate> at;
            std::vector<std::int64_t> words;
            for (const int d : {out_[0], in_, window_[0], window_[1]})
                if (d >= 0) {
                    at.push_back({{{d, 1}}});
                    words.push_back(one_.einsum.dimensions[d].extent);
                }
            read(builder_.tensor(layer.name + ".weights", TensorRole::weight, words), at);
        }
        std::int64_t at = 0;
        if (layer.outside_channels > 0) {
            const std::array<std::int64_t, 3> extents{layer.outside_channels, layer.in[1], layer.in[2]};
            read_channels(layer, builder_.tensor(layer.name + ".in", TensorRole::input, shape(extents)), extents, at);
        }
        std::vector<int> from = layer.from;
        std::ranges::sort(from);
        for (const int p : from) read_channels(layer, made_[p], layers_[p].out, at);
        std::vector<Coordinate> written;
        for (const int d : {image_, out_[0], out_[1], out_[2]})
            if (d >= 0) written.push_back({{{d, 1}}});
        read(made_[number], written);
        one_.einsum.tensors.back().written = true;
        builder_.einsum(std::move(one_));
    }

    Cascade take(bool has_rounds) {
        if (has_rounds) builder_.end_block();
        return builder_.take();
    }

   private:
    std::vector<std::int64_t> shape(const std::array<std::int64_t, 3>& extents) const {
        std::vector<std::int64_t> axes;
        for (const std::int64_t extent : {batch_, extents[0], extents[1], extents[2]})
            if (extent > 1) axes.push_back(extent);
        return axes;
    }

    int dimension(const char* name, std::int64_t extent) {
        if (extent == 1) return -1;
        one_.einsum.dimensions.push_back({name, extent});
        return static_cast<int>(one_.einsum.dimensions.size()) - 1;
    }

    // By the lanes of package_of().
    void find_dimensions(const Layer& layer) {
        const bool multiplies = layer.kind == LayerKind::convolution || layer.kind == LayerKind::full;
        const bool has_few = multiplies && layer.in[0] <= kFewChannels;
        one_.kind = multiplies                      ? EinsumKind::contraction
                    : layer.kind == LayerKind::pool ? EinsumKind::pooling
                                                    : EinsumKind::elementwise;
        image_ = dimension("b", batch_);
        out_ = {dimension(multiplies ? "k" : "n", layer.out[0]), dimension(has_few ? "u" : "p", layer.out[1]),
                dimension("q", layer.out[2])};
        in_ = multiplies ? dimension(has_few ? "z" : "c", layer.in[0]) : out_[0];
        window_ = {dimension("r", layer.kernel[0]), dimension("s", layer.kernel[1])};
    }

    void read(int tensor, const std::vector<Coordinate>& at) {
        Tensor operand{builder_.so_far().tensors[tensor].name, {}};
        for (const Coordinate& one : at) operand.ranks.push_back({one.terms});
        one_.einsum.tensors.push_back(std::move(operand));
        one_.accesses.push_back({tensor, at});
    }

    // A tensor of these extents, whose first channel is number `from` of the layer's input; moves `from` behind it.
    void read_channels(const Layer& layer, int tensor, const std::array<std::int64_t, 3>& extents, std::int64_t& from) {
        std::vector<Coordinate> at;
        const auto term = [](int dimension, std::int64_t times) {
            return dimension < 0 ? std::vector<Term>{} : std::vector<Term>{{dimension, times}};
        };
        if (image_ >= 0) at.push_back({term(image_, 1)});
        if (extents[0] > 1) at.push_back({term(in_, 1), -from});
        for (int d = 0; d < 2; ++d) {
            if (extents[d + 1] == 1) continue;
            Coordinate one{layer.kind == LayerKind::full ? std::vector<Term>{} : term(out_[d + 1], layer.stride[d])};
            if (window_[d] >= 0) one.terms.push_back({window_[d], 1});
            one.offset = -(std::max<std::int64_t>(layer.padded[d + 1] - layer.in[d + 1], 0) / 2);
            at.push_back(one);
        }
        read(tensor, at);
        from += extents[0];
        if (layer.kind == LayerKind::elementwise && from == layer.out[0]) from = 0;
    }

    const std::vector<Layer>& layers_;
    std::int64_t batch_;
    CascadeBuilder builder_;
    std::vector<int> made_;  // tensors
    std::vector<bool> is_read_;
    CascadeEinsum one_;  // and its dimensions, -1 where their extent is 1:
    int image_ = -1;
    std::array<int, 3> out_{};
    int in_ = -1;
    std::array<int, 2> window_{};
};

}  // namespace

package::Package package_of(const Machine& machine) {
    if (const std::int64_t nodes = machine.cores() + 2 * machine.rows; nodes > package::kMaxCores)
        throw InputError(ErrorCode::unsupported, {},
                         "SET's machine has " + std::to_string(nodes) + " cores and DRAMs; at most " +
                             std::to_string(package::kMaxCores) + " are supported");
    package::Package package;
    package.name = "set-" + std::to_string(machine.columns) + "x" + std::to_string(machine.rows);
    package.columns = package.chiplet_columns = static_cast<int>(machine.columns);
    package.rows = package.chiplet_rows = static_cast<int>(machine.rows);
    package.link = package.d2d = {static_cast<double>(machine.link_rate), kHopPj, 0};
    package.local = {1e9, 0.0, 0};  // its routers have no ports that could be busy
    package::CoreKind kind;
    kind.name = "set";
    kind.buffer_words = kBufferWords;
    kind.lanes = {{"k", 32}, {"c", 32}, {"z", 8}, {"u", 4}, {"n", 64}};
    package.kinds.push_back(kind);
    for (std::int64_t core = 0; core < machine.cores(); ++core) {
        const auto [x, y] = machine.position(core);
        package.cores.push_back({{static_cast<int>(x), static_cast<int>(y)}, 0});
    }
    const double rate = static_cast<double>(machine.columns) / 2.0;
    for (const int x : {0, package.columns - 1})
        for (int y = 0; y < package.rows; ++y) package.drams.push_back({{x, y}, rate, kDramPj, kDramPj});
    package.interleave = true;
    return package;
}

Cascade cascade_of(const std::vector<Layer>& layers, std::int64_t batch, std::int64_t times, std::vector<int> order) {
    if (order.empty()) {
        order.resize(layers.size());
        std::iota(order.begin(), order.end(), 0);
    }
    LayerReader reader(layers, batch, times);
    for (const int layer : order) reader.add(layer);
    return reader.take(times > 1);
}

std::vector<int> order_of(const Tree& tree) {
    std::vector<int> order;
    for (const Node& node : tree)
        if (node.is_leaf) order.push_back(node.layer);
    return order;
}

std::int64_t rounds_of(const Tree& tree) {
    return tree.front().is_space || tree.front().is_leaf ? 1 : tree.front().times;
}

}  // namespace tilewright::multicore::set
