#include "workload/zoo/zoo.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/zoo/cascades.hpp"
#include "workload/zoo/image_builder.hpp"

namespace tilewright {
namespace {

struct Entry {
    const char* name;
    const char* description;
    const char* source;
    void (*build)(zoo::ImageBuilder&) = nullptr;  ///< or, for transformers:
    Network (*build_for)(std::int64_t tokens) = nullptr;
    const char* tokens_name = "";  ///< "sequence" or "context"
    std::int64_t tokens = 0;
};

constexpr const char* kTorchvision = "torchvision's definition of the network";

constexpr std::array kEntries{
    Entry{"alexnet", "AlexNet in one tower (no groups), 224x224, batch 1", kTorchvision, zoo::alexnet},
    Entry{"vgg16", "VGG-16, 224x224, batch 1", kTorchvision, zoo::vgg16},
    Entry{"resnet18", "ResNet-18, 224x224, batch 1", kTorchvision, zoo::resnet18},
    Entry{"resnet34", "ResNet-34, 224x224, batch 1", kTorchvision, zoo::resnet34},
    Entry{"resnet50", "ResNet-50 v1.5 (stride in the 3x3), 224x224, batch 1", kTorchvision, zoo::resnet50},
    Entry{"resnext50", "ResNeXt-50 32x4d (32 groups as dimension G), 224x224, batch 1", kTorchvision, zoo::resnext50},
    Entry{"squeezenet", "SqueezeNet 1.1, 224x224, batch 1", kTorchvision, zoo::squeezenet},
    Entry{"mobilenetv2", "MobileNetV2 1.0, 224x224, batch 1", kTorchvision, zoo::mobilenetv2},
    Entry{"darknet19", "DarkNet-19 classifier, 224x224, batch 1", "YOLO9000 (CVPR 2017), table 6", zoo::darknet19},
    Entry{"yolov2", "YOLOv2 for COCO (80 classes, 5 anchors), 416x416, batch 1", "YOLO9000 (CVPR 2017), section 3",
          zoo::yolov2},
    Entry{"densenet161", "DenseNet-161, 224x224, batch 1", kTorchvision, zoo::densenet161},
    Entry{"deepbench", "the 76 convolutions of DeepBench; output extents as CoSA lists them, dilation 1",
          "CoSA's workload files", zoo::deepbench},
    Entry{"bert-base", "BERT-base encoder, sequence 512, batch 1, with the pooler", "BERT (NAACL 2019)", nullptr,
          zoo::bert_base, "sequence", 512},
    Entry{"gpt2", "GPT-2 (124M), prompt of 1024 tokens, batch 1, the vocabulary head for the last token only",
          "GPT-2 (2019)", nullptr, zoo::gpt2, "sequence", 1024},
    Entry{"llama-7b-prefill",
          "7B Llama decoder, prompt of 2048 tokens, batch 1, the vocabulary head for the last token only",
          "LLaMA (2023)", nullptr, zoo::llama_7b_prefill, "sequence", 2048},
    Entry{"llama-7b-decode", "7B Llama decoder, one token after a context of 2047, batch 1", "LLaMA (2023)", nullptr,
          zoo::llama_7b_decode, "context", 2047},
};

// DeepBench's layers have batches of their own.
std::vector<std::string> dimensions_of(const Entry& entry) {
    if (entry.build == zoo::deepbench) return {};
    std::vector<std::string> names{"batch"};
    if (entry.build_for != nullptr) names.emplace_back(entry.tokens_name);
    return names;
}

const Entry* entry_named(std::string_view name) {
    const auto* const found =
        std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& entry) { return entry.name == name; });
    return found == kEntries.end() ? nullptr : found;
}

Network layers_of_images(const Entry& entry) {
    zoo::ImageBuilder net(entry.name);
    entry.build(net);
    return net.take();
}

std::int64_t extent_of(const std::map<std::string, std::int64_t>& extents, const std::string& name,
                       std::int64_t otherwise) {
    const auto given = extents.find(name);
    return given == extents.end() ? otherwise : given->second;
}

void refuse_unknown(const Entry& entry, const std::map<std::string, std::int64_t>& extents) {
    const std::vector<std::string> known = dimensions_of(entry);
    for (const auto& [name, extent] : extents)
        if (extent < 1 || extent > kMostZooExtent)
            throw InputError(ErrorCode::bad_value, {},
                             "dimension '" + name + "' takes an extent from 1 to " + std::to_string(kMostZooExtent) +
                                 ", found " + std::to_string(extent));
    for (const auto& [name, extent] : extents)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw InputError(ErrorCode::unknown_name, {},
                             "network '" + std::string(entry.name) + "' has no dimension '" + name +
                                 "' that can be set; it has " + (known.empty() ? "none" : list_words(known)));
}

}  // namespace

std::vector<ZooEntry> zoo_networks() {
    std::vector<ZooEntry> entries;
    for (const Entry& entry : kEntries)
        entries.push_back({entry.name, entry.description, entry.source, dimensions_of(entry)});
    return entries;
}

namespace zoo {

// Independent inputs: more images, more rows with shared weights, more products with two differing operands: all in the
// einsum's N or G (shapes.hpp).
void set_batch(Network& network, std::int64_t batch) {
    for (Layer& layer : network.layers)
        layer.einsum = multiplied(layer.einsum, layer.op == "MatMul" ? 'G' : 'N', batch);
    for (StreamedOperator& one : network.streamed) {
        one.read_elements = checked_mul(one.read_elements, batch);
        one.written_elements = checked_mul(one.written_elements, batch);
    }
}

std::optional<Cascade> image_cascade(std::string_view name, std::int64_t batch) {
    const Entry* const entry = entry_named(name);
    if (entry == nullptr || entry->build == nullptr) return std::nullopt;
    ImageBuilder net(entry->name, batch);
    entry->build(net);
    return net.take_cascade();
}

std::optional<std::vector<std::string>> dimensions_of_images(std::string_view name) {
    const Entry* const entry = entry_named(name);
    if (entry == nullptr || entry->build == nullptr) return std::nullopt;
    return dimensions_of(*entry);
}

}  // namespace zoo

Network zoo_network(std::string_view name, const std::map<std::string, std::int64_t>& extents) {
    if (const Entry* const found = entry_named(name)) {
        refuse_unknown(*found, extents);
        Network network = found->build != nullptr
                              ? layers_of_images(*found)
                              : found->build_for(extent_of(extents, found->tokens_name, found->tokens));
        if (const std::int64_t batch = extent_of(extents, "batch", 1); batch != 1) zoo::set_batch(network, batch);
        return network;
    }
    std::vector<std::string> names;
    for (const Entry& entry : kEntries) names.emplace_back(entry.name);
    for (const ZooEntry& cascade : zoo_cascades())  // which are mapped einsum by einsum
        if (std::ranges::find(names, cascade.name) == names.end()) names.push_back(cascade.name);
    throw InputError(ErrorCode::unknown_name, {},
                     "no network is called '" + std::string(name) + "'" + did_you_mean(name, names) + "; the zoo has " +
                         list_words(names));
}

}  // namespace tilewright
