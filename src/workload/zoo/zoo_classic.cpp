// Networks of plain convolution chains, with few branches.
#include <array>
#include <string>

#include "workload/zoo/image_builder.hpp"

namespace tilewright::zoo {
namespace {

struct Stage {
    std::int64_t channels;
    std::int64_t kernel;
};

/// Convolutions of stride 1 in sequence.
template <std::size_t kCount>
Image chain(ImageBuilder& net, const std::array<Stage, kCount>& stages, Activation activation, int& number,
            Image from) {
    for (const Stage& stage : stages)
        from = net.conv("conv" + std::to_string(++number),
                        conv2d(from.channels, stage.channels, from.size, stage.kernel), from, activation);
    return from;
}

/// The 18 common convolutions of DarkNet-19 and YOLOv2, from an image of `size`; the last one writes into a part of
/// `joined`, if given. `fine` receives the last value at 1/16 of the size.
Image darknet_body(ImageBuilder& net, std::int64_t size, Image* fine) {
    constexpr Activation kLeaky = Activation::leaky;
    int number = 0;
    Image value = chain<1>(net, {{{32, 3}}}, kLeaky, number, net.image(3, size));
    value = net.pool("pool1", value, {});
    value = chain<1>(net, {{{64, 3}}}, kLeaky, number, value);
    value = net.pool("pool2", value, {});
    value = chain<3>(net, {{{128, 3}, {64, 1}, {128, 3}}}, kLeaky, number, value);
    value = net.pool("pool3", value, {});
    value = chain<3>(net, {{{256, 3}, {128, 1}, {256, 3}}}, kLeaky, number, value);
    value = net.pool("pool4", value, {});
    value = chain<5>(net, {{{512, 3}, {256, 1}, {512, 3}, {256, 1}, {512, 3}}}, kLeaky, number, value);
    if (fine != nullptr) *fine = value;
    value = net.pool("pool5", value, {});
    return chain<5>(net, {{{1024, 3}, {512, 1}, {1024, 3}, {512, 1}, {1024, 3}}}, kLeaky, number, value);
}

/// Squeeze with 1x1, expand with 1x1 and 3x3 side by side.
Image fire(ImageBuilder& net, const std::string& name, std::int64_t squeeze, std::int64_t expand, const Image& from) {
    const Image squeezed = net.conv(name + ".squeeze", conv2d(from.channels, squeeze, from.size, 1), from);
    Image both = net.joined(name, 2 * expand, from.size);
    const Image narrow = net.conv(name + ".expand1x1", conv2d(squeeze, expand, from.size, 1), squeezed,
                                  Activation::relu, {}, ImageBuilder::part(both, 0, expand));
    const Image wide = net.conv(name + ".expand3x3", conv2d(squeeze, expand, from.size, 3), squeezed, Activation::relu,
                                {}, ImageBuilder::part(both, expand, expand));
    both.layers = merge(narrow.layers, wide.layers);
    return both;
}

}  // namespace

void alexnet(ImageBuilder& net) {
    constexpr Pooling kPool{.kernel = 3, .stride = 2};
    Image value = net.conv("conv1", conv2d(3, 64, 55, 11, 4), net.image(3, 224), Activation::relu, 2);
    value = net.pool("pool1", value, kPool);
    value = net.conv("conv2", conv2d(64, 192, 27, 5), value);
    value = net.pool("pool2", value, kPool);
    value = net.conv("conv3", conv2d(192, 384, 13, 3), value);
    value = net.conv("conv4", conv2d(384, 256, 13, 3), value);
    value = net.conv("conv5", conv2d(256, 256, 13, 3), value);
    value = net.pool("pool5", value, kPool);
    value = net.linear("fc6", value, 4096, Activation::relu);
    value = net.linear("fc7", value, 4096, Activation::relu);
    net.linear("fc8", value, 1000);
}

void vgg16(ImageBuilder& net) {
    constexpr Activation kRelu = Activation::relu;
    int number = 0;
    Image value = chain<2>(net, {{{64, 3}, {64, 3}}}, kRelu, number, net.image(3, 224));
    value = net.pool("pool1", value, {});
    value = chain<2>(net, {{{128, 3}, {128, 3}}}, kRelu, number, value);
    value = net.pool("pool2", value, {});
    value = chain<3>(net, {{{256, 3}, {256, 3}, {256, 3}}}, kRelu, number, value);
    value = net.pool("pool3", value, {});
    value = chain<3>(net, {{{512, 3}, {512, 3}, {512, 3}}}, kRelu, number, value);
    value = net.pool("pool4", value, {});
    value = chain<3>(net, {{{512, 3}, {512, 3}, {512, 3}}}, kRelu, number, value);
    value = net.pool("pool5", value, {});
    value = net.linear("fc1", value, 4096, kRelu);
    value = net.linear("fc2", value, 4096, kRelu);
    net.linear("fc3", value, 1000);
}

void squeezenet(ImageBuilder& net) {
    constexpr Pooling kPool{.kernel = 3, .stride = 2};
    Image value = net.conv("conv1", conv2d(3, 64, 111, 3, 2), net.image(3, 224), Activation::relu, 0);
    value = net.pool("pool1", value, kPool);
    value = fire(net, "fire2", 16, 64, value);
    value = fire(net, "fire3", 16, 64, value);
    value = net.pool("pool3", value, kPool);
    value = fire(net, "fire4", 32, 128, value);
    value = fire(net, "fire5", 32, 128, value);
    value = net.pool("pool5", value, kPool);
    value = fire(net, "fire6", 48, 192, value);
    value = fire(net, "fire7", 48, 192, value);
    value = fire(net, "fire8", 64, 256, value);
    value = fire(net, "fire9", 64, 256, value);
    net.global_pool("pool10", net.conv("conv10", conv2d(512, 1000, 13, 1), value));
}

void darknet19(ImageBuilder& net) {
    const Image value = darknet_body(net, 224, nullptr);
    net.global_pool("pool6", net.conv("conv19", conv2d(1024, 1000, 7, 1), value, Activation::none));
}

void yolov2(ImageBuilder& net) {
    constexpr Activation kLeaky = Activation::leaky;
    Image fine;
    Image coarse = darknet_body(net, 416, &fine);
    coarse = net.conv("conv19", conv2d(1024, 1024, 13, 3), coarse, kLeaky);
    // The passthrough brings 26x26x64 as 13x13x256 beside the 1024 coarse channels.
    Image both = net.joined("both", 1024 + 256, 13);
    coarse = net.conv("conv20", conv2d(1024, 1024, 13, 3), coarse, kLeaky, {}, ImageBuilder::part(both, 0, 1024));
    const Image passed = net.folded("passthrough.activation", net.sums("passthrough", conv2d(512, 64, 26, 1), fine),
                                    kLeaky, ImageBuilder::part(both, 1024, 256));
    both.layers = merge(coarse.layers, passed.layers);
    const Image joined = net.conv("conv21", conv2d(1024 + 256, 1024, 13, 3), both, kLeaky);
    net.conv("detect", conv2d(1024, 5 * (5 + 80), 13, 1), joined, Activation::none);
}

void densenet161(ImageBuilder& net) {
    constexpr std::int64_t kGrowth = 48;
    constexpr std::array<int, 4> kBlockLayers{6, 12, 36, 24};
    std::int64_t channels = 96;
    const auto block_of = [&](std::size_t block, std::int64_t size) {
        return net.joined("block" + std::to_string(block + 1), channels + kBlockLayers.at(block) * kGrowth, size);
    };
    const Image stem = net.conv("conv0", conv2d(3, channels, 112, 7, 2), net.image(3, 224));
    Image all = block_of(0, 56);
    all.layers =
        net.pool("pool0", stem, {.kernel = 3, .stride = 2, .padding = 1}, ImageBuilder::part(all, 0, channels)).layers;
    for (std::size_t block = 0; block < kBlockLayers.size(); ++block) {
        const std::string prefix = "block" + std::to_string(block + 1) + ".";
        for (int i = 0; i < kBlockLayers.at(block); ++i) {
            const std::string name = prefix + std::to_string(i + 1);
            const Image normed = net.normalised(name + ".norm1", ImageBuilder::part(all, 0, channels));
            const Image narrow = net.conv(name + ".conv1", conv2d(channels, 4 * kGrowth, all.size, 1), normed);
            const Image grown = net.sums(name + ".conv2", conv2d(4 * kGrowth, kGrowth, all.size, 3), narrow, {},
                                         ImageBuilder::part(all, channels, kGrowth));
            all.layers = merge(all.layers, grown.layers);
            channels += kGrowth;
        }
        if (block + 1 == kBlockLayers.size()) break;
        const std::string number = std::to_string(block + 1);
        const Image normed = net.normalised("transition" + number + ".norm", all);
        const Image halved = net.sums("transition" + number, conv2d(channels, channels / 2, all.size, 1), normed);
        channels /= 2;
        all = block_of(block + 1, all.size / 2);
        all.layers =
            net.pool("pool" + number, halved, {.op = "AveragePool"}, ImageBuilder::part(all, 0, channels)).layers;
    }
    net.linear("classifier", net.global_pool("pool4", net.normalised("norm5", all)), 1000);
}

}  // namespace tilewright::zoo
