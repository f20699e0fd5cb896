#include "density_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "options.hpp"
#include "workload/select_layers.hpp"

namespace tilewright::cli {
namespace {

struct GivenDensity {
    std::string layers;
    std::string tensor;
    double density = 1.0;
};

std::optional<double> share_in(const std::string& text) {
    double share = 0.0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc{} || stopped != text.data() + text.size() || !(share >= 0.0 && share <= 1.0))
        return std::nullopt;
    return share;
}

GivenDensity density_in(const std::string& verb, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string layers = colon == std::string::npos ? "*" : text.substr(0, colon);
    const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
    const std::size_t equals = rest.find('=');
    const std::optional<double> share = equals == std::string::npos ? std::nullopt : share_in(rest.substr(equals + 1));
    if (layers.empty() || equals == 0 || !share)
        fail_usage(verb, fmt::format("--density takes TENSOR=SHARE or LAYERS:TENSOR=SHARE with the share of elements "
                                     "that are not zero, 0 to 1; found '{}'",
                                     text));
    return {layers, rest.substr(0, equals), *share};
}

std::vector<bool> layers_of(const std::string& verb, const std::string& pattern, const Network& network) {
    try {
        return matching_layers(network, {pattern});
    } catch (const InputError& error) {
        fail_usage(verb, "--density: " + error.message());
    }
}

}  // namespace

GivenDensities read_given_densities(const std::string& verb, const std::vector<std::string>& texts,
                                    const Network& network) {
    GivenDensities given;
    for (const std::string& text : texts) {
        const GivenDensity one = density_in(verb, text);
        const std::vector<bool> matching = layers_of(verb, one.layers, network);
        std::set<std::string> known;
        bool found = false;
        for (std::size_t i = 0; i < matching.size(); ++i) {
            if (!matching[i]) continue;
            for (const Tensor& tensor : network.layers[i].einsum.tensors) {
                known.insert(tensor.name);
                if (tensor.name != one.tensor) continue;
                given[network.layers[i].name][tensor.name] = one.density;
                found = true;
            }
        }
        if (!found)
            fail_usage(verb, fmt::format("--density: no layer '{}' of {} has a tensor '{}'{}", one.layers, network.name,
                                         one.tensor, did_you_mean(one.tensor, {known.begin(), known.end()})));
    }
    return given;
}

void set_densities(const GivenDensities& given, const Layer& layer, sparse::Design& design) {
    const auto own = given.find(layer.name);
    if (own == given.end()) return;
    for (const auto& [tensor, density] : own->second)
        design.densities[find_tensor(layer.einsum, tensor)] = sparse::FixedStructured{density};
}

}  // namespace tilewright::cli
