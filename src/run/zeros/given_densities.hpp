// Densities as they are asked for: "Weights=0.3", "conv2*:Inputs=2:4", "densities.csv", "onnx", or rules made
// elsewhere.
//
//     const DensityRequest request{.words = {"Weights=0.3"}};
//     const GivenDensities given = read_given_densities(request, network, {}, {}, {}, notes);
//     given.set(layer, design);
//
// Values; thread-safe.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "sparse/design.hpp"
#include "sparse/given.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// Zeros that were counted in the weights of a layer of a model.
struct LayerWeights {
    std::string layer;  ///< of the network; its tensors may have got other names
    std::string model;  ///< file
    std::string name;   ///< of the weights, in the model
    int tensor = 0;     ///< of the layer's einsum
    std::int64_t nonzero = 0;
    std::int64_t elements = 0;
    std::string uncounted;  ///< why they were not counted, or "": then the counts hold
};

/// What is asked for about the zeros of tensors. Of two words about the same tensor the later one counts.
struct DensityRequest {
    std::string option = "--density";  ///< how messages call it
    Location who = {};                 ///< the place of messages about it
    std::vector<std::variant<std::string, sparse::DensityRule>> words = {};

    /// Whether the zeros of models have to be counted ("onnx").
    bool asks_for_model_zeros() const;
};

/// A layer's name as a pattern that only it matches.
std::string as_pattern(const std::string& name);

/// Densities that were given.
class GivenDensities {
   public:
    GivenDensities() = default;
    GivenDensities(const DensityRequest& request, const Network& network, const std::vector<sparse::DensityRule>& rules,
                   const std::set<std::string>& left_out);

    /// In place of what the files say. Throws InputError for what cannot be so of a tensor of this layer.
    void set(const Layer& layer, sparse::Design& design) const;
    /// Who says what the tensors of this layer are like, by tensor; "" where nothing was given.
    std::vector<std::string> sources(const Layer& layer) const;

   private:
    const std::vector<std::optional<sparse::DensityRule>>* rules_for(const std::string& layer) const;

    std::string option_;
    std::vector<std::string> layers_;
    sparse::RulesOfLayers rules_;
};

/// What was not counted of a model becomes notes. Throws InputError(usage) for what is no density, for a pattern that
/// no layer matches and for a tensor that none of its layers has, and InputError at its place for what is wrong in a
/// file.
/// `files`: what networks' own files say of their layers, which counts where the request says nothing. Words about
/// layers that were left out say nothing.
GivenDensities read_given_densities(const DensityRequest& request, const Network& network,
                                    const std::set<std::string>& left_out,
                                    const std::vector<sparse::DensityRule>& files,
                                    const std::vector<LayerWeights>& weights, std::vector<std::string>& notes);

}  // namespace tilewright
