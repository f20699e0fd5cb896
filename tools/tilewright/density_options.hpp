// --density as text: "Weights=0.3", "conv2*:Inputs=2:4", "densities.csv", "onnx".
#pragma once

#include <set>
#include <string>
#include <vector>

#include "onnx/onnx.hpp"
#include "sparse/design.hpp"
#include "sparse/given.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// Zeros that were counted in the weights of a layer of a model.
struct LayerWeights {
    std::string layer;  ///< of the network; its tensors may have got other names
    std::string model;  ///< file
    onnx::CountedWeights counted;
};

/// What a network's file says of one of its layers.
struct LayerDensity {
    int layer = 0;  ///< of the network
    sparse::DensityRule rule;
};

/// A layer's name as a pattern that only it matches.
std::string as_pattern(const std::string& name);

/// Whether the zeros of models have to be counted.
bool asks_for_model_zeros(const std::vector<std::string>& texts);

/// Densities that were given.
class GivenDensities {
   public:
    GivenDensities() = default;
    GivenDensities(const Network& network, const std::vector<sparse::DensityRule>& rules,
                   const std::set<std::string>& left_out);

    /// In place of what the files say. Throws InputError for what cannot be so of a tensor of this layer.
    void set(const Layer& layer, sparse::Design& design) const;
    /// Who says what the tensors of this layer are like, by tensor; "" where nothing was given.
    std::vector<std::string> sources(const Layer& layer) const;

   private:
    const std::vector<std::optional<sparse::DensityRule>>* rules_for(const std::string& layer) const;

    std::vector<std::string> layers_;
    sparse::RulesOfLayers rules_;
};

/// Of two texts about the same tensor the later one counts. What was not counted of a model becomes notes. Throws
/// InputError(usage) for what is no density, for a pattern that no layer matches and for a tensor that none of its
/// layers has, and InputError at its place for what is wrong in a file.
/// `files`: what networks' own files say of their layers, which counts where the texts say nothing. Texts about layers
/// that were left out say nothing.
GivenDensities read_given_densities(const std::string& verb, const std::vector<std::string>& texts,
                                    const Network& network, const std::set<std::string>& left_out,
                                    const std::vector<LayerDensity>& files, const std::vector<LayerWeights>& weights,
                                    std::vector<std::string>& notes);

}  // namespace tilewright::cli
