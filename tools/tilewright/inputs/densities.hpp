// What --density and the files of networks say of the zeros in their tensors, gathered while networks are read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "onnx/onnx.hpp"
#include "run/zeros/given_densities.hpp"
#include "sparse/given.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// What a network's file says of one of its layers.
struct LayerDensity {
    int layer = 0;  ///< of the network
    sparse::DensityRule rule;
};

/// Networks are read one after the other and joined then. Not thread-safe.
class GatheredDensities {
   public:
    GatheredDensities() = default;
    GatheredDensities(const std::string& verb, const std::vector<std::string>& texts);

    bool any_given() const { return !request_.words.empty(); }
    /// Whether the zeros in the weights of models are asked for.
    bool counts_weights() const { return request_.asks_for_model_zeros(); }

    /// Forgets what networks said: they are read anew.
    void begin();
    /// Of the network that is read now.
    void add(const std::string& model, std::vector<onnx::CountedWeights> weights);
    void add(std::vector<LayerDensity> densities);
    /// It has been read, and has so many layers.
    void end_network(std::size_t layers) { before_ += static_cast<int>(layers); }
    /// All have been read: layers may have got other names.
    void name_layers(const Network& joined);

    /// Throws as read_given_densities().
    GivenDensities given(const Network& network, const std::set<std::string>& left_out,
                         std::vector<std::string>& notes) const;

   private:
    DensityRequest request_;
    int before_ = 0;  ///< layers of the networks before this one
    std::vector<LayerWeights> weights_;
    std::vector<int> weight_layers_;  ///< of weights_, in the joined network
    std::vector<LayerDensity> densities_;
};

}  // namespace tilewright::cli
