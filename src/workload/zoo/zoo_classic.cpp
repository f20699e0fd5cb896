// The networks that are chains of plain convolutions, with few branches.
#include <array>
#include <string>

#include "workload/zoo/zoo_builder.hpp"

namespace tilewright::zoo {
namespace {

struct Stage {
    std::int64_t channels;
    std::int64_t kernel;
};

/// Convolutions of stride 1 one after another at one image size; `channels` is updated to what the last one produces.
template <std::size_t kCount>
Value chain(NetworkBuilder& net, const std::array<Stage, kCount>& stages, std::int64_t size, std::int64_t& channels,
            int& number, Value from) {
    for (const Stage& stage : stages) {
        from = net.conv("conv" + std::to_string(++number), conv2d(channels, stage.channels, size, stage.kernel),
                        std::move(from));
        channels = stage.channels;
    }
    return from;
}

/// The 18 convolutions that DarkNet-19 and YOLOv2 share, from an image of `size`. `fine` receives the last value at
/// 1/16 of the size.
Value darknet_body(NetworkBuilder& net, std::int64_t size, Value* fine) {
    std::int64_t channels = 3;
    int number = 0;
    Value value = chain<1>(net, {{{32, 3}}}, size, channels, number, {});
    net.pool("pool1", channels, size, size / 2);
    value = chain<1>(net, {{{64, 3}}}, size / 2, channels, number, value);
    net.pool("pool2", channels, size / 2, size / 4);
    value = chain<3>(net, {{{128, 3}, {64, 1}, {128, 3}}}, size / 4, channels, number, value);
    net.pool("pool3", channels, size / 4, size / 8);
    value = chain<3>(net, {{{256, 3}, {128, 1}, {256, 3}}}, size / 8, channels, number, value);
    net.pool("pool4", channels, size / 8, size / 16);
    value = chain<5>(net, {{{512, 3}, {256, 1}, {512, 3}, {256, 1}, {512, 3}}}, size / 16, channels, number, value);
    net.pool("pool5", channels, size / 16, size / 32);
    if (fine != nullptr) *fine = value;
    return chain<5>(net, {{{1024, 3}, {512, 1}, {1024, 3}, {512, 1}, {1024, 3}}}, size / 32, channels, number, value);
}

/// Squeeze with 1x1, expand with 1x1 and 3x3 side by side.
Value fire(NetworkBuilder& net, const std::string& name, std::int64_t size, std::int64_t channels, std::int64_t squeeze,
           std::int64_t expand, const Value& from) {
    const Value squeezed = net.conv(name + ".squeeze", conv2d(channels, squeeze, size, 1), from);
    const Value narrow = net.conv(name + ".expand1x1", conv2d(squeeze, expand, size, 1), squeezed);
    const Value wide = net.conv(name + ".expand3x3", conv2d(squeeze, expand, size, 3), squeezed);
    return merge(narrow, wide);
}

}  // namespace

Network alexnet() {
    NetworkBuilder net("alexnet");
    Value value = net.conv("conv1", conv2d(3, 64, 55, 11, 4), {});
    net.pool("pool1", 64, 55, 27);
    value = net.conv("conv2", conv2d(64, 192, 27, 5), value);
    net.pool("pool2", 192, 27, 13);
    value = net.conv("conv3", conv2d(192, 384, 13, 3), value);
    value = net.conv("conv4", conv2d(384, 256, 13, 3), value);
    value = net.conv("conv5", conv2d(256, 256, 13, 3), value);
    net.pool("pool5", 256, 13, 6);
    value = net.linear("fc6", 1, 256 * 6 * 6, 4096, value);
    value = net.linear("fc7", 1, 4096, 4096, value);
    net.linear("fc8", 1, 4096, 1000, value);
    return net.take();
}

Network vgg16() {
    NetworkBuilder net("vgg16");
    std::int64_t channels = 3;
    int number = 0;
    Value value = chain<2>(net, {{{64, 3}, {64, 3}}}, 224, channels, number, {});
    net.pool("pool1", channels, 224, 112);
    value = chain<2>(net, {{{128, 3}, {128, 3}}}, 112, channels, number, value);
    net.pool("pool2", channels, 112, 56);
    value = chain<3>(net, {{{256, 3}, {256, 3}, {256, 3}}}, 56, channels, number, value);
    net.pool("pool3", channels, 56, 28);
    value = chain<3>(net, {{{512, 3}, {512, 3}, {512, 3}}}, 28, channels, number, value);
    net.pool("pool4", channels, 28, 14);
    value = chain<3>(net, {{{512, 3}, {512, 3}, {512, 3}}}, 14, channels, number, value);
    net.pool("pool5", channels, 14, 7);
    value = net.linear("fc1", 1, 512 * 7 * 7, 4096, value);
    value = net.linear("fc2", 1, 4096, 4096, value);
    net.linear("fc3", 1, 4096, 1000, value);
    return net.take();
}

Network squeezenet() {
    NetworkBuilder net("squeezenet");
    // Pooling rounds up, so the images are 111, 55, 27 and 13 wide.
    Value value = net.conv("conv1", conv2d(3, 64, 111, 3, 2), {});
    net.pool("pool1", 64, 111, 55);
    value = fire(net, "fire2", 55, 64, 16, 64, value);
    value = fire(net, "fire3", 55, 128, 16, 64, value);
    net.pool("pool3", 128, 55, 27);
    value = fire(net, "fire4", 27, 128, 32, 128, value);
    value = fire(net, "fire5", 27, 256, 32, 128, value);
    net.pool("pool5", 256, 27, 13);
    value = fire(net, "fire6", 13, 256, 48, 192, value);
    value = fire(net, "fire7", 13, 384, 48, 192, value);
    value = fire(net, "fire8", 13, 384, 64, 256, value);
    value = fire(net, "fire9", 13, 512, 64, 256, value);
    net.conv("conv10", conv2d(512, 1000, 13, 1), value);
    net.pool("pool10", 1000, 13, 1);
    return net.take();
}

Network darknet19() {
    NetworkBuilder net("darknet19");
    const Value value = darknet_body(net, 224, nullptr);
    net.conv("conv19", conv2d(1024, 1000, 7, 1), value);
    net.pool("pool6", 1000, 7, 1);
    return net.take();
}

Network yolov2() {
    NetworkBuilder net("yolov2");
    Value fine;
    Value coarse = darknet_body(net, 416, &fine);
    coarse = net.conv("conv19", conv2d(1024, 1024, 13, 3), coarse);
    coarse = net.conv("conv20", conv2d(1024, 1024, 13, 3), coarse);
    // The passthrough brings 26x26x64 as 13x13x256 beside the 1024 coarse channels.
    const Value passed = net.conv("passthrough", conv2d(512, 64, 26, 1), fine);
    const Value joined = net.conv("conv21", conv2d(1024 + 256, 1024, 13, 3), merge(coarse, passed));
    net.conv("detect", conv2d(1024, 5 * (5 + 80), 13, 1), joined);
    return net.take();
}

Network densenet161() {
    constexpr std::int64_t kGrowth = 48;
    constexpr std::array<int, 4> kBlockLayers{6, 12, 36, 24};
    NetworkBuilder net("densenet161");
    std::int64_t channels = 96;
    std::int64_t size = 56;
    Value value = net.conv("conv0", conv2d(3, channels, 112, 7, 2), {});
    net.pool("pool0", channels, 112, size);
    for (std::size_t block = 0; block < kBlockLayers.size(); ++block) {
        const std::string prefix = "block" + std::to_string(block + 1) + ".";
        for (int i = 0; i < kBlockLayers[block]; ++i) {
            const std::string name = prefix + std::to_string(i + 1);
            const Value narrow = net.conv(name + ".conv1", conv2d(channels, 4 * kGrowth, size, 1), value);
            value = merge(value, net.conv(name + ".conv2", conv2d(4 * kGrowth, kGrowth, size, 3), narrow));
            channels += kGrowth;
        }
        if (block + 1 == kBlockLayers.size()) break;
        value = net.conv("transition" + std::to_string(block + 1), conv2d(channels, channels / 2, size, 1), value);
        channels /= 2;
        net.pool("pool" + std::to_string(block + 1), channels, size, size / 2);
        size /= 2;
    }
    net.pool("pool4", channels, size, 1);
    net.linear("classifier", 1, channels, 1000, value);
    return net.take();
}

}  // namespace tilewright::zoo
