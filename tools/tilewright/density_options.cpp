#include "density_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "native/densities/density_file.hpp"
#include "native/densities/density_text.hpp"
#include "options.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kModel = "onnx";

std::optional<sparse::DensityRule> rule_of(const LayerWeights& one, const Network& network) {
    const auto layer = std::ranges::find(network.layers, one.layer, &Layer::name);
    if (layer == network.layers.end()) return std::nullopt;  // --layers leaves it out
    const auto zeros = static_cast<double>(one.counted.elements - one.counted.nonzero);
    return sparse::DensityRule{
        as_pattern(one.layer), layer->einsum.tensors.at(static_cast<std::size_t>(one.counted.tensor)).name,
        sparse::FixedStructured{static_cast<double>(one.counted.nonzero) / static_cast<double>(one.counted.elements)},
        fmt::format("{}: {} of {} elements of '{}' are zero", one.model, count_text(static_cast<std::int64_t>(zeros)),
                    count_text(one.counted.elements), one.counted.name)};
}

// What no layer of the network has was not asked for.
void note_uncounted(const std::vector<LayerWeights>& weights, const Network& network, std::vector<std::string>& notes) {
    std::vector<const LayerWeights*> uncounted;
    for (const LayerWeights& one : weights)
        if (!one.counted.uncounted.empty() &&
            std::ranges::find(network.layers, one.layer, &Layer::name) != network.layers.end())
            uncounted.push_back(&one);
    if (uncounted.empty()) return;
    notes.push_back(
        fmt::format("--density onnx: the weights of {} layers were not counted and count as dense unless "
                    "something else is said of them: {} ({}){}",
                    uncounted.size(), uncounted.front()->layer, uncounted.front()->counted.uncounted,
                    uncounted.size() == 1 ? "" : ", ..."));
}

void add_model_zeros(const std::string& verb, const std::vector<LayerWeights>& weights, const Network& network,
                     std::vector<std::string>& notes, std::vector<sparse::DensityRule>& rules) {
    if (weights.empty())
        fail_usage(verb,
                   "--density onnx counts the zeros in the weights of ONNX files: --net names none that has "
                   "weights (of --cascade none are counted)");
    const std::size_t before = rules.size();
    for (const LayerWeights& one : weights)
        if (one.counted.uncounted.empty())
            if (std::optional<sparse::DensityRule> rule = rule_of(one, network)) rules.push_back(std::move(*rule));
    if (rules.size() == before)
        fail_usage(verb,
                   fmt::format("--density onnx: no weights could be counted; those of '{}': {}", weights.front().layer,
                               weights.front().counted.uncounted.empty() ? "it is not among --layers"
                                                                         : weights.front().counted.uncounted));
    note_uncounted(weights, network, notes);
}

bool names_density_list(const std::string& text) {
    return text.find('=') == std::string::npos && native::names_density_file(text);
}

sparse::DensityRule rule_in(const std::string& verb, const std::string& text) {
    try {
        sparse::DensityRule rule = native::read_density_rule(text, "");
        rule.from = "--density " + text;
        return rule;
    } catch (const InputError& error) {
        fail_usage(verb, "--density: " + error.message());
    }
}

// What was said in no file was said on the command line.
sparse::Density density_said(const sparse::DensityRule& rule, const Layer& layer, int tensor) {
    try {
        return sparse::density_of(rule, layer.name, layer.einsum, tensor);
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        throw InputError(ErrorCode::usage, {}, "--density: " + error.message());
    }
}

}  // namespace

std::string as_pattern(const std::string& name) {
    std::string pattern;
    for (const char c : name) {
        if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

bool asks_for_model_zeros(const std::vector<std::string>& texts) {
    return std::ranges::find(texts, kModel) != texts.end();
}

GivenDensities::GivenDensities(const Network& network, const std::vector<sparse::DensityRule>& rules,
                               const std::set<std::string>& left_out)
    : rules_(sparse::rules_of(network, rules, {left_out.begin(), left_out.end()})) {
    for (const Layer& layer : network.layers) layers_.push_back(layer.name);
}

const std::vector<std::optional<sparse::DensityRule>>* GivenDensities::rules_for(const std::string& layer) const {
    const auto found = std::ranges::find(layers_, layer);
    return found == layers_.end() ? nullptr : &rules_[found - layers_.begin()];
}

void GivenDensities::set(const Layer& layer, sparse::Design& design) const {
    const auto* own = rules_for(layer.name);
    for (std::size_t t = 0; own != nullptr && t < own->size(); ++t)
        if ((*own)[t]) design.densities[t] = density_said(*(*own)[t], layer, static_cast<int>(t));
}

std::vector<std::string> GivenDensities::sources(const Layer& layer) const {
    std::vector<std::string> sources(layer.einsum.tensors.size());
    const auto* own = rules_for(layer.name);
    for (std::size_t t = 0; own != nullptr && t < own->size(); ++t)
        if ((*own)[t]) sources[t] = (*own)[t]->from;
    return sources;
}

GivenDensities read_given_densities(const std::string& verb, const std::vector<std::string>& texts,
                                    const Network& network, const std::set<std::string>& left_out,
                                    const std::vector<LayerDensity>& files, const std::vector<LayerWeights>& weights,
                                    std::vector<std::string>& notes) {
    std::vector<sparse::DensityRule> rules;
    for (const LayerDensity& one : files) rules.push_back(one.rule);
    for (const std::string& text : texts) {
        if (text == kModel) {
            add_model_zeros(verb, weights, network, notes, rules);
        } else if (names_density_list(text)) {
            for (sparse::DensityRule& rule : native::read_density_file(text)) rules.push_back(std::move(rule));
        } else {
            rules.push_back(rule_in(verb, text));
        }
    }
    try {
        return {network, rules, left_out};
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        fail_usage(verb, "--density: " + error.message());
    }
}

}  // namespace tilewright::cli
