#include "onnx/ready_model.hpp"

#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "onnx/graph/foreign_attributes.hpp"
#include "onnx/graph/functions.hpp"
#include "onnx/graph/parse.hpp"
#include "onnx/symbols.hpp"

namespace tilewright::onnx {

pb::ModelProto ready_model(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    pb::ModelProto model = parse_model(bytes, name);
    inline_functions(model, name);
    sort_graph(*model.mutable_graph(), name);
    bind_symbols(*model.mutable_graph(), options, name);
    Notes unheard;
    drop_foreign_attributes(*model.mutable_graph(), opset_version(model), name,
                            options.notes == nullptr ? unheard : *options.notes);
    return model;
}

std::string model_bytes(const std::filesystem::path& path) {
    std::error_code unknown;
    if (const std::uintmax_t size = std::filesystem::file_size(path, unknown); !unknown)
        refuse_oversize(size, path.string());
    return read_file(path, kAnySize);
}

}  // namespace tilewright::onnx
