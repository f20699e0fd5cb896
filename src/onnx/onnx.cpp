#include "onnx/onnx.hpp"

#include "base/files/file.hpp"
#include "onnx/graph/foreign_attributes.hpp"
#include "onnx/graph/functions.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/graph/parse.hpp"
#include "onnx/layers.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/symbols.hpp"

namespace tilewright::onnx {

Network read_onnx_bytes(std::string_view bytes, const std::string& name, const Options& options) {
    pb::ModelProto model = parse_model(bytes, name);
    inline_functions(model, name);
    sort_graph(*model.mutable_graph(), name);
    bind_symbols(*model.mutable_graph(), options, name);
    Notes unheard;
    drop_foreign_attributes(*model.mutable_graph(), opset_version(model), name,
                            options.notes == nullptr ? unheard : *options.notes);
    const Shapes shapes = infer_shapes(model, name);
    Network network = make_network(model.graph(), shapes, name);
    network.name = std::filesystem::path(name).stem().string();
    return network;
}

Network read_onnx(const std::filesystem::path& path, const Options& options) {
    std::error_code unknown;
    if (const std::uintmax_t size = std::filesystem::file_size(path, unknown); !unknown)
        refuse_oversize(size, path.string());
    return read_onnx_bytes(read_file(path, kAnySize), path.string(), options);
}

}  // namespace tilewright::onnx
