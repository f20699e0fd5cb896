#include "workload/zoo.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "workload/zoo_builder.hpp"

namespace tilewright {
namespace {

struct Entry {
    const char* name;
    const char* description;
    const char* source;
    Network (*build)();
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
    Entry{"bert-base", "BERT-base encoder, sequence 512, batch 1, with the pooler", "BERT (NAACL 2019)",
          zoo::bert_base},
    Entry{"gpt2", "GPT-2 (124M), prompt of 1024 tokens, batch 1, the vocabulary head for the last token only",
          "GPT-2 (2019)", zoo::gpt2},
    Entry{"llama-7b-prefill",
          "7B Llama decoder, prompt of 2048 tokens, batch 1, the vocabulary head for the last token only",
          "LLaMA (2023)", zoo::llama_7b_prefill},
    Entry{"llama-7b-decode", "7B Llama decoder, one token after a context of 2047, batch 1", "LLaMA (2023)",
          zoo::llama_7b_decode},
};

}  // namespace

std::vector<ZooEntry> zoo_networks() {
    std::vector<ZooEntry> entries;
    for (const Entry& entry : kEntries) entries.push_back({entry.name, entry.description, entry.source});
    return entries;
}

Network zoo_network(std::string_view name) {
    const auto found =
        std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& entry) { return entry.name == name; });
    if (found != kEntries.end()) return found->build();
    std::vector<std::string> names;
    for (const Entry& entry : kEntries) names.emplace_back(entry.name);
    throw InputError(ErrorCode::unknown_name, {},
                     "no network is called '" + std::string(name) + "'" + did_you_mean(name, names) + "; the zoo has " +
                         list_words(names));
}

}  // namespace tilewright
