// Image networks, built as layers (zoo_builder.hpp) and as a cascade at once. Beside convolutions the cascade has
// biases, activations, additions, poolings, and concatenations, with parts written in place. A normalisation after a
// convolution is folded into it, leaving a bias; two added biases are one.
//
//     ImageBuilder net("small");
//     Image value = net.conv("conv1", conv2d(3, 64, 112, 7, 2), net.image(3, 224));
//     value = net.pool("pool1", value, {.kernel = 3, .stride = 2, .padding = 1});
//     net.linear("fc", value, 1000);
// Construction of the zoo's networks: layers in order, with producer links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workload/cascade/builder.hpp"
#include "workload/network.hpp"
#include "workload/shapes.hpp"

namespace tilewright::zoo {

/// A value in a network: its mapped producer layers, ascending. Unmapped operators (activations, additions, pooling)
/// pass it on or merge it.
using Value = std::vector<int>;

/// Dependences of an addition or a concatenation of two values.
inline Value merge(const Value& a, const Value& b) {
    Value both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

class NetworkBuilder {
   public:
    explicit NetworkBuilder(std::string name) { network_.name = std::move(name); }

    /// Appends a layer reading `from`; returns its result.
    Value add(std::string name, std::string op, Einsum einsum, Value from) {
        network_.layers.push_back({std::move(name), std::move(op), std::move(einsum), 1, std::move(from)});
        return {static_cast<int>(network_.layers.size()) - 1};
    }
    Value conv(std::string name, Einsum einsum, Value from) {
        return add(std::move(name), "Conv", std::move(einsum), std::move(from));
    }
    Value linear(std::string name, std::int64_t rows, std::int64_t inner, std::int64_t columns, Value from) {
        return add(std::move(name), "Gemm", gemm(rows, inner, columns), std::move(from));
    }

    void pool(const std::string& name, std::int64_t channels, std::int64_t from_size, std::int64_t size) {
        network_.streamed.push_back({name, size == 1 ? "GlobalAveragePool" : "MaxPool",
                                     channels * from_size * from_size, channels * size * size});
    }
    void sum(const std::string& name, std::int64_t elements) {
        network_.streamed.push_back({name, "Add", 2 * elements, elements});
    }

    Network take() { return std::move(network_); }

   private:
    Network network_;
};

Network bert_base(std::int64_t tokens);
Network gpt2(std::int64_t tokens);
Network llama_7b_prefill(std::int64_t tokens);
/// `context`: tokens before the computed one.
Network llama_7b_decode(std::int64_t context);

/// `network` for this many independent inputs with shared weights: images, matrix rows and attention heads. Throws
/// OverflowError.
void set_batch(Network& network, std::int64_t batch);

/// A value in the network: channels of a tensor [batch, channels, height, width] of the cascade.
struct Image {
    Value layers;  ///< its producers
    int tensor = -1;
    std::int64_t first = 0;  ///< channel of the tensor
    std::int64_t channels = 0;
    std::int64_t size = 0;  ///< of its height and its width
};

enum class Activation { none, relu, clip, leaky };

struct Pooling {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    std::int64_t padding = 0;
    const char* op = "MaxPool";
};

class ImageBuilder {
   public:
    /// `batch` of the cascade: the layers are those of one image.
    explicit ImageBuilder(const std::string& name, std::int64_t batch = 1)
        : net_(name), cascade_(name), batch_(batch) {}

    Image image(std::int64_t channels, std::int64_t size);

    /// Channels written by several einsums, a part each.
    Image joined(const std::string& name, std::int64_t channels, std::int64_t size);
    /// Channels of an image from `first` on, with the image's dependences.
    static Image part(const Image& of, std::int64_t first, std::int64_t channels);

    /// A convolution of workload/shapes.hpp: its sums alone. `padding` before the first row and column; default:
    /// size-preserving. `into`: its part of a tensor; default: a tensor of its own.
    Image sums(const std::string& name, const Einsum& shape, const Image& from,
               std::optional<std::int64_t> padding = {}, const std::optional<Image>& into = {});
    /// activation(sums + bias [+ shortcut]).
    Image finish(const std::string& name, const Image& sums, Activation activation,
                 const std::optional<Image>& shortcut = {}, const std::optional<Image>& into = {});
    /// Both.
    Image conv(const std::string& name, const Einsum& shape, const Image& from,
               Activation activation = Activation::relu, std::optional<std::int64_t> padding = {},
               const std::optional<Image>& into = {});
    /// An isolated convolution, on an image of just its size.
    void alone(const std::string& name, const Einsum& shape);

    /// A normalisation without a preceding convolution, and a rectifier.
    Image normalised(const std::string& name, const Image& from);
    /// Blocks of 2 x 2 pixels as channels.
    Image folded(const std::string& name, const Image& sums, Activation activation, const Image& into);

    Image pool(const std::string& name, const Image& from, const Pooling& pooling,
               const std::optional<Image>& into = {});
    /// The mean of each channel.
    Image global_pool(const std::string& name, const Image& from);
    /// Of all words of the image, with a bias.
    Image linear(const std::string& name, const Image& from, std::int64_t columns,
                 Activation activation = Activation::none);

    Network take() { return net_.take(); }
    /// Throws as CascadeBuilder::take().
    Cascade take_cascade();

   private:
    int tensor(const std::string& name, TensorRole role, std::int64_t channels, std::int64_t size);
    Image result(const std::string& name, const Image& like, std::int64_t size, const std::optional<Image>& into);
    void add_contraction(const std::string& name, const char* op, Einsum shape, const Image& from, const Image& into,
                         std::int64_t padding);
    void add_pointwise(const std::string& name, const char* op, std::vector<OperationCount> operations,
                       const std::vector<Image>& operands, int constants, const Image& into);

    NetworkBuilder net_;
    CascadeBuilder cascade_;
    std::int64_t batch_;
};

void alexnet(ImageBuilder& net);
void vgg16(ImageBuilder& net);
void squeezenet(ImageBuilder& net);
void darknet19(ImageBuilder& net);
void yolov2(ImageBuilder& net);
void densenet161(ImageBuilder& net);
void resnet18(ImageBuilder& net);
void resnet34(ImageBuilder& net);
void resnet50(ImageBuilder& net);
void resnext50(ImageBuilder& net);
void mobilenetv2(ImageBuilder& net);
void deepbench(ImageBuilder& net);

/// The image network of this name in zoo_networks() as a cascade; empty for any other.
std::optional<Cascade> image_cascade(std::string_view name, std::int64_t batch);
/// The extents of image_cascade(); empty for any other network.
std::optional<std::vector<std::string>> dimensions_of_images(std::string_view name);

}  // namespace tilewright::zoo
