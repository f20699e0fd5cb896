#include "onnx/onnx.hpp"

#include <optional>

#include "onnx/layers.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/ready_model.hpp"

namespace tilewright::onnx {

Network read_onnx_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    pb::ModelProto model = ready_model(bytes, name, options);
    const Shapes shapes = infer_shapes(model, name);
    std::optional<Weights> weights;
    std::optional<WeightCounting> counting;
    if (options.weights != nullptr) {
        weights.emplace(model.graph(), std::filesystem::path(name).parent_path());
        counting.emplace(WeightCounting{*weights, *options.weights});
    }
    Network network = make_network(model.graph(), shapes, name, counting ? &*counting : nullptr);
    network.name = std::filesystem::path(name).stem().string();
    return network;
}

Network read_onnx(const std::filesystem::path& path, const ReadOptions& options) {
    return read_onnx_bytes(model_bytes(path), path.string(), options);
}

}  // namespace tilewright::onnx
