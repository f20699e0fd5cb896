// Residual networks: ResNet, ResNeXt and the inverted residuals of MobileNetV2. Names follow torchvision's modules.
#include <array>
#include <string>

#include "workload/zoo/zoo_builder.hpp"

namespace tilewright::zoo {
namespace {

using BlockCounts = std::array<int, 4>;

/// One residual block: where it stands and what it changes.
struct Block {
    std::string name;
    std::int64_t in_channels;
    std::int64_t width;  ///< channels of the inner convolutions
    std::int64_t out_channels;
    std::int64_t size;  ///< of its output
    std::int64_t stride;
    std::int64_t groups;
};

void add_up(NetworkBuilder& net, const Block& block) {
    net.sum(block.name + ".add", block.out_channels * block.size * block.size);
}

Value shortcut(NetworkBuilder& net, const Block& block, const Value& from) {
    if (block.stride == 1 && block.in_channels == block.out_channels) return from;
    return net.conv(block.name + ".downsample",
                    conv2d(block.in_channels, block.out_channels, block.size, 1, block.stride), from);
}

/// Two 3x3 convolutions.
Value basic_block(NetworkBuilder& net, const Block& block, const Value& from) {
    Value value =
        net.conv(block.name + ".conv1", conv2d(block.in_channels, block.width, block.size, 3, block.stride), from);
    value = net.conv(block.name + ".conv2", conv2d(block.width, block.out_channels, block.size, 3), value);
    add_up(net, block);
    return merge(value, shortcut(net, block, from));
}

/// 1x1, 3x3 (strided, in groups), 1x1.
Value bottleneck(NetworkBuilder& net, const Block& block, const Value& from) {
    const WindowAxis axis{.positions = block.size, .kernel = 3, .stride = block.stride};
    const std::int64_t in_group = block.width / block.groups;
    Value value =
        net.conv(block.name + ".conv1", conv2d(block.in_channels, block.width, block.size * block.stride, 1), from);
    value = net.conv(
        block.name + ".conv2",
        convolution(
            {.groups = block.groups, .in_channels = in_group, .out_channels = in_group, .width = axis, .height = axis}),
        value);
    value = net.conv(block.name + ".conv3", conv2d(block.width, block.out_channels, block.size, 1), value);
    add_up(net, block);
    return merge(value, shortcut(net, block, from));
}

/// What tells one ResNet from another.
struct Family {
    BlockCounts counts;
    Value (*block)(NetworkBuilder&, const Block&, const Value&);
    std::int64_t base_width;  ///< of the first stage's inner convolutions
    std::int64_t expansion;   ///< out_channels of the first stage, in units of 64
    std::int64_t groups;
};

Network resnet(const std::string& name, const Family& family) {
    NetworkBuilder net(name);
    Value value = net.conv("conv1", conv2d(3, 64, 112, 7, 2), {});
    net.pool("maxpool", 64, 112, 56);
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
    net.pool("avgpool", block.in_channels, 7, 1);
    net.linear("fc", 1, block.in_channels, 1000, value);
    return net.take();
}

/// One line of MobileNetV2's table: expansion, output channels, how many blocks, stride of the first.
struct InvertedStage {
    std::int64_t expansion;
    std::int64_t channels;
    int count;
    std::int64_t stride;
};

constexpr std::array<InvertedStage, 7> kMobileStages{
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};

/// Expand with 1x1, filter each channel, project with 1x1; `size` is that of the input.
Value inverted_residual(NetworkBuilder& net, const std::string& name, std::int64_t in_channels,
                        const InvertedStage& stage, std::int64_t stride, std::int64_t size, const Value& from) {
    const std::int64_t hidden = in_channels * stage.expansion;
    Value value = from;
    if (stage.expansion > 1) value = net.conv(name + ".expand", conv2d(in_channels, hidden, size, 1), value);
    value = net.conv(name + ".depthwise", depthwise(hidden, size / stride, 3, stride), value);
    value = net.conv(name + ".project", conv2d(hidden, stage.channels, size / stride, 1), value);
    if (stride != 1 || in_channels != stage.channels) return value;
    net.sum(name + ".add", stage.channels * size * size);
    return merge(from, value);
}

}  // namespace

Network resnet18() { return resnet("resnet18", {{2, 2, 2, 2}, basic_block, 64, 1, 1}); }
Network resnet34() { return resnet("resnet34", {{3, 4, 6, 3}, basic_block, 64, 1, 1}); }
Network resnet50() { return resnet("resnet50", {{3, 4, 6, 3}, bottleneck, 64, 4, 1}); }
Network resnext50() { return resnet("resnext50", {{3, 4, 6, 3}, bottleneck, 128, 4, 32}); }

Network mobilenetv2() {
    NetworkBuilder net("mobilenetv2");
    Value value = net.conv("features.0", conv2d(3, 32, 112, 3, 2), {});
    std::int64_t channels = 32;
    std::int64_t size = 112;
    int number = 0;
    for (const InvertedStage& stage : kMobileStages) {
        for (int i = 0; i < stage.count; ++i) {
            const std::int64_t stride = i == 0 ? stage.stride : 1;
            value =
                inverted_residual(net, "features." + std::to_string(++number), channels, stage, stride, size, value);
            channels = stage.channels;
            size /= stride;
        }
    }
    value = net.conv("features.18", conv2d(channels, 1280, size, 1), value);
    net.pool("avgpool", 1280, size, 1);
    net.linear("classifier", 1, 1280, 1000, value);
    return net.take();
}

}  // namespace tilewright::zoo
