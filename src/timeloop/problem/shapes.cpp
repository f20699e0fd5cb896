#include "timeloop/problem/problem.hpp"

#include <algorithm>
#include <array>

#include "timeloop/files/load.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

struct BuiltIn {
    const char* name;
    const char* text;
};

// Timeloop's shapes, plus the grouped convolution of its v0.4 layer shapes.
constexpr std::array<BuiltIn, 3> kBuiltIn{{
    {"cnn_layer", R"(
shape:
  name: CNN_Layer
  dimensions: [R, S, P, Q, C, K, N]
  coefficients:
    - {name: Wstride, default: 1}
    - {name: Hstride, default: 1}
    - {name: Wdilation, default: 1}
    - {name: Hdilation, default: 1}
  data_spaces:
    - {name: Weights, projection: [[[C]], [[K]], [[R]], [[S]]]}
    - {name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]}
    - {name: Outputs, projection: [[[N]], [[K]], [[Q]], [[P]]], read_write: true}
)"},
    {"grouped_cnn_layer", R"(
shape:
  name: grouped_cnn_layer
  dimensions: [C, M, R, S, N, P, Q, G]
  coefficients:
    - {name: Wstride, default: 1}
    - {name: Hstride, default: 1}
    - {name: Wdilation, default: 1}
    - {name: Hdilation, default: 1}
  data_spaces:
    - {name: Weights, projection: [[[C]], [[M]], [[R]], [[S]], [[G]]]}
    - {name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]], [[G]]]}
    - {name: Outputs, projection: [[[N]], [[M]], [[Q]], [[P]], [[G]]], read_write: true}
)"},
    {"gemm_ABZ", R"(
shape:
  name: gemm_ABZ
  dimensions: [M, N, K]
  data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[N]], [[K]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
)"},
}};

std::string replaced(std::string text, char from, char to) {
    std::replace(text.begin(), text.end(), from, to);
    return text;
}

Node shape_in(const Node& file) { return file.has("problem") ? file.at("problem").at("shape") : file.at("shape"); }

}  // namespace

Node named_shape(const std::string& name, const Node& place, const std::vector<std::filesystem::path>& folders) {
    const bool is_plain = name.find_first_of("/\\") == std::string::npos && name.find('\0') == std::string::npos;
    for (const std::filesystem::path& folder : folders)
        for (const std::string& spelling : {name, replaced(name, '-', '_'), replaced(name, '_', '-')}) {
            const std::filesystem::path path = folder / (spelling + ".yaml");
            std::error_code ignored;
            if (is_plain && std::filesystem::is_regular_file(path, ignored)) return shape_in(load({path}));
        }
    std::vector<std::string> known;
    for (const BuiltIn& shape : kBuiltIn) {
        if (replaced(name, '-', '_') == shape.name)
            return shape_in(yaml::parse_text(shape.text, "built-in shape " + name));
        known.emplace_back(shape.name);
    }
    place.fail(ErrorCode::unknown_name,
               "no problem shape is called '" + name + "'; the built-in ones are " + list_words(known));
}

}  // namespace tilewright::timeloop
