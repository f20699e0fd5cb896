#include "inputs/densities.hpp"

#include <utility>

namespace tilewright::cli {

GatheredDensities::GatheredDensities(const std::string& verb, const std::vector<std::string>& texts) {
    request_.who = {"tilewright " + verb};
    request_.words.assign(texts.begin(), texts.end());
}

void GatheredDensities::begin() {
    before_ = 0;
    weights_.clear();
    weight_layers_.clear();
    densities_.clear();
}

void GatheredDensities::add(const std::string& model, std::vector<onnx::CountedWeights> weights) {
    for (onnx::CountedWeights& one : weights) {
        weight_layers_.push_back(before_ + one.layer);
        weights_.push_back(
            {"", model, std::move(one.name), one.tensor, one.nonzero, one.elements, std::move(one.uncounted)});
    }
}

void GatheredDensities::add(std::vector<LayerDensity> densities) {
    for (LayerDensity& one : densities) {
        one.layer += before_;
        densities_.push_back(std::move(one));
    }
}

void GatheredDensities::name_layers(const Network& joined) {
    for (LayerDensity& one : densities_) one.rule.layers = as_pattern(joined.layers.at(one.layer).name);
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].layer = joined.layers.at(weight_layers_[i]).name;
}

GivenDensities GatheredDensities::given(const Network& network, const std::set<std::string>& left_out,
                                        std::vector<std::string>& notes) const {
    std::vector<sparse::DensityRule> files;
    for (const LayerDensity& one : densities_) files.push_back(one.rule);
    return read_given_densities(request_, network, left_out, files, weights_, notes);
}

}  // namespace tilewright::cli
