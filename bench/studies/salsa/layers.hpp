// The layers of the SALSA study: each on the study's machine with the spatial mapping that is given for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "zigzag/orders/searches.hpp"

namespace tilewright::salsa_study {

struct Layer {
    std::string network, name;
    orders::OrderProblem problem;
};

/// The distinct layers of a network: `folder` holds machine.yaml, NETWORK.yaml and NETWORK-mapping.yaml, or another
/// `mapping`, the name of its file without the ending.
std::vector<Layer> layers_of(const std::filesystem::path& folder, const std::string& network, std::string mapping = {});

/// A search's answer and the processor time that it took.
struct Timed {
    orders::Answer answer;
    double seconds = 0.0;
};

/// `search`: a name of orders::searches().
Timed run(const Layer& layer, const std::string& search, const orders::Settings& settings);

}  // namespace tilewright::salsa_study
