#include "run/zeros/given_densities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "native/densities/density_file.hpp"

namespace tilewright {
namespace {

constexpr const char* kModel = "onnx";

[[noreturn]] void refuse(const DensityRequest& request, const std::string& message) {
    throw InputError(ErrorCode::usage, request.who, request.option + message);
}

std::optional<sparse::DensityRule> rule_of(const LayerWeights& one, const Network& network) {
    const auto layer = std::ranges::find(network.layers, one.layer, &Layer::name);
    if (layer == network.layers.end()) return std::nullopt;  // it was not asked for
    return sparse::DensityRule{
        as_pattern(one.layer), layer->einsum.tensors.at(static_cast<std::size_t>(one.tensor)).name,
        sparse::FixedStructured{static_cast<double>(one.nonzero) / static_cast<double>(one.elements)},
        fmt::format("{}: {} of {} elements of '{}' are zero", one.model, count_text(one.elements - one.nonzero),
                    count_text(one.elements), one.name)};
}

// What no layer of the network has was not asked for.
void note_uncounted(const DensityRequest& request, const std::vector<LayerWeights>& weights, const Network& network,
                    std::vector<std::string>& notes) {
    std::vector<const LayerWeights*> uncounted;
    for (const LayerWeights& one : weights)
        if (!one.uncounted.empty() &&
            std::ranges::find(network.layers, one.layer, &Layer::name) != network.layers.end())
            uncounted.push_back(&one);
    if (uncounted.empty()) return;
    notes.push_back(
        fmt::format("{} onnx: the weights of {} layers were not counted and count as dense unless "
                    "something else is said of them: {} ({}){}",
                    request.option, uncounted.size(), uncounted.front()->layer, uncounted.front()->uncounted,
                    uncounted.size() == 1 ? "" : ", ..."));
}

void add_model_zeros(const DensityRequest& request, const std::vector<LayerWeights>& weights, const Network& network,
                     std::vector<std::string>& notes, std::vector<sparse::DensityRule>& rules) {
    if (weights.empty())
        refuse(request,
               " onnx counts the zeros in the weights of ONNX files: the network is of none that has weights (of "
               "cascades none are counted)");
    const std::size_t before = rules.size();
    for (const LayerWeights& one : weights)
        if (one.uncounted.empty())
            if (std::optional<sparse::DensityRule> rule = rule_of(one, network)) rules.push_back(std::move(*rule));
    if (rules.size() == before)
        refuse(request, fmt::format(" onnx: no weights could be counted; those of '{}': {}", weights.front().layer,
                                    weights.front().uncounted.empty() ? "it is not among the layers asked for"
                                                                      : weights.front().uncounted));
    note_uncounted(request, weights, network, notes);
}

bool names_density_list(const std::string& text) {
    return text.find('=') == std::string::npos && native::names_density_file(text);
}

sparse::DensityRule rule_in(const DensityRequest& request, const std::string& text) {
    try {
        sparse::DensityRule rule = native::read_density_rule(text, "");
        rule.from = "--density " + text;
        return rule;
    } catch (const InputError& error) {
        refuse(request, ": " + error.message());
    }
}

void add_rules(const DensityRequest& request, const std::string& text, std::vector<sparse::DensityRule>& rules) {
    if (!names_density_list(text)) return rules.push_back(rule_in(request, text));
    for (sparse::DensityRule& rule : native::read_density_file(text)) rules.push_back(std::move(rule));
}

// What was said in no file was said by the user.
sparse::Density density_said(const std::string& option, const sparse::DensityRule& rule, const Layer& layer,
                             int tensor) {
    try {
        return sparse::density_of(rule, layer.name, layer.einsum, tensor);
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        throw InputError(ErrorCode::usage, {}, option + ": " + error.message());
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

bool DensityRequest::asks_for_model_zeros() const {
    return std::ranges::any_of(words, [](const auto& word) {
        const auto* text = std::get_if<std::string>(&word);
        return text != nullptr && *text == kModel;
    });
}

GivenDensities::GivenDensities(const DensityRequest& request, const Network& network,
                               const std::vector<sparse::DensityRule>& rules, const std::set<std::string>& left_out)
    : option_(request.option), rules_(sparse::rules_of(network, rules, {left_out.begin(), left_out.end()})) {
    for (const Layer& layer : network.layers) layers_.push_back(layer.name);
}

const std::vector<std::optional<sparse::DensityRule>>* GivenDensities::rules_for(const std::string& layer) const {
    const auto found = std::ranges::find(layers_, layer);
    return found == layers_.end() ? nullptr : &rules_[found - layers_.begin()];
}

void GivenDensities::set(const Layer& layer, sparse::Design& design) const {
    const auto* own = rules_for(layer.name);
    for (std::size_t t = 0; own != nullptr && t < own->size(); ++t)
        if ((*own)[t]) design.densities[t] = density_said(option_, *(*own)[t], layer, static_cast<int>(t));
}

std::vector<std::string> GivenDensities::sources(const Layer& layer) const {
    std::vector<std::string> sources(layer.einsum.tensors.size());
    const auto* own = rules_for(layer.name);
    for (std::size_t t = 0; own != nullptr && t < own->size(); ++t)
        if ((*own)[t]) sources[t] = (*own)[t]->from;
    return sources;
}

GivenDensities read_given_densities(const DensityRequest& request, const Network& network,
                                    const std::set<std::string>& left_out,
                                    const std::vector<sparse::DensityRule>& files,
                                    const std::vector<LayerWeights>& weights, std::vector<std::string>& notes) {
    std::vector<sparse::DensityRule> rules = files;
    for (const auto& word : request.words) {
        if (const auto* rule = std::get_if<sparse::DensityRule>(&word))
            rules.push_back(*rule);
        else if (const auto& text = std::get<std::string>(word); text == kModel)
            add_model_zeros(request, weights, network, notes, rules);
        else
            add_rules(request, text, rules);
    }
    try {
        return {request, network, rules, left_out};
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        refuse(request, ": " + error.message());
    }
}

}  // namespace tilewright
