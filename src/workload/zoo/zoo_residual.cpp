// Residual networks: ResNet, ResNeXt and the inverted residuals of MobileNetV2. Names follow torchvision's modules.
#include <array>
#include <string>

#include "workload/zoo/image_builder.hpp"

namespace tilewright::zoo {
namespace {

using BlockCounts = std::array<int, 4>;

/// One residual block: position and changes.
struct Block {
    std::string name;
    std::int64_t in_channels;
    std::int64_t width;  ///< channels of the inner convolutions
    std::int64_t out_channels;
    std::int64_t size;  ///< of its output
    std::int64_t stride;
    std::int64_t groups;
};

/// The block's shortcut: its input, or a convolution of it, with a bias merged into the result's.
Image shortcut(ImageBuilder& net, const Block& block, const Image& from) {
    if (block.stride == 1 && block.in_channels == block.out_channels) return from;
    return net.sums(block.name + ".downsample",
                    conv2d(block.in_channels, block.out_channels, block.size, 1, block.stride), from);
}

/// The last convolution's sums precede the shortcut's.
Image add_up(ImageBuilder& net, const Block& block, const Image& sums, const Image& from) {
    return net.finish(block.name + ".add", sums, Activation::relu, shortcut(net, block, from));
}

/// Two 3x3 convolutions.
Image basic_block(ImageBuilder& net, const Block& block, const Image& from) {
    const Image value =
        net.conv(block.name + ".conv1", conv2d(block.in_channels, block.width, block.size, 3, block.stride), from);
    const Image sums = net.sums(block.name + ".conv2", conv2d(block.width, block.out_channels, block.size, 3), value);
    return add_up(net, block, sums, from);
}

/// 1x1, 3x3 (strided, in groups), 1x1.
Image bottleneck(ImageBuilder& net, const Block& block, const Image& from) {
    const WindowAxis axis{.positions = block.size, .kernel = 3, .stride = block.stride};
    const std::int64_t in_group = block.width / block.groups;
    Image value =
        net.conv(block.name + ".conv1", conv2d(block.in_channels, block.width, block.size * block.stride, 1), from);
    value = net.conv(
        block.name + ".conv2",
        convolution(
            {.groups = block.groups, .in_channels = in_group, .out_channels = in_group, .width = axis, .height = axis}),
        value);
    const Image sums = net.sums(block.name + ".conv3", conv2d(block.width, block.out_channels, block.size, 1), value);
    return add_up(net, block, sums, from);
}

/// Parameters of a ResNet.
struct Family {
    BlockCounts counts;
    Image (*block)(ImageBuilder&, const Block&, const Image&);
    std::int64_t base_width;  ///< of the first stage's inner convolutions
    std::int64_t expansion;   ///< out_channels of the first stage, in units of 64
    std::int64_t groups;
};

void resnet(ImageBuilder& net, const Family& family) {
    Image value = net.conv("conv1", conv2d(3, 64, 112, 7, 2), net.image(3, 224));
    value = net.pool("maxpool", value, {.kernel = 3, .stride = 2, .padding = 1});
    Block block{"", 64, family.base_width, 64 * family.expansion, 56, 1, family.groups};
    for (std::size_t stage = 0; stage < family.counts.size(); ++stage) {
        for (int i = 0; i < family.counts[stage]; ++i) {
            block.name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
            block.stride = stage > 0 && i == 0 ? 2 : 1;
            value = family.block(net, block, value);
            block.in_channels = block.out_channels;
        }
        block.width *= 2;
        block.out_channels *= 2;
        block.size /= 2;
    }
    net.linear("fc", net.global_pool("avgpool", value), 1000);
}

/// One line of MobileNetV2's table: expansion, output channels, number of blocks, stride of the first.
struct InvertedStage {
    std::int64_t expansion;
    std::int64_t channels;
    int count;
    std::int64_t stride;
};

constexpr std::array<InvertedStage, 7> kMobileStages{
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};

/// Expand with 1x1, filter each channel, project with 1x1.
Image inverted_residual(ImageBuilder& net, const std::string& name, const InvertedStage& stage, std::int64_t stride,
                        const Image& from) {
    const std::int64_t hidden = from.channels * stage.expansion;
    const std::int64_t size = from.size / stride;
    Image value = from;
    if (stage.expansion > 1)
        value = net.conv(name + ".expand", conv2d(from.channels, hidden, from.size, 1), value, Activation::clip);
    value = net.conv(name + ".depthwise", depthwise(hidden, size, 3, stride), value, Activation::clip);
    const Image sums = net.sums(name + ".project", conv2d(hidden, stage.channels, size, 1), value);
    if (stride != 1 || from.channels != stage.channels) return net.finish(name + ".project", sums, Activation::none);
    return net.finish(name + ".add", sums, Activation::none, from);
}

}  // namespace

void resnet18(ImageBuilder& net) { resnet(net, {{2, 2, 2, 2}, basic_block, 64, 1, 1}); }
void resnet34(ImageBuilder& net) { resnet(net, {{3, 4, 6, 3}, basic_block, 64, 1, 1}); }
void resnet50(ImageBuilder& net) { resnet(net, {{3, 4, 6, 3}, bottleneck, 64, 4, 1}); }
void resnext50(ImageBuilder& net) { resnet(net, {{3, 4, 6, 3}, bottleneck, 128, 4, 32}); }

void mobilenetv2(ImageBuilder& net) {
    Image value = net.conv("features.0", conv2d(3, 32, 112, 3, 2), net.image(3, 224), Activation::clip);
    int number = 0;
    for (const InvertedStage& stage : kMobileStages)
        for (int i = 0; i < stage.count; ++i)
            value =
                inverted_residual(net, "features." + std::to_string(++number), stage, i == 0 ? stage.stride : 1, value);
    value = net.conv("features.18", conv2d(value.channels, 1280, value.size, 1), value, Activation::clip);
    net.linear("classifier", net.global_pool("avgpool", value), 1000);
}

}  // namespace tilewright::zoo
