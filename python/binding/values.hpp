// Machines and networks as Python objects have them: with what was read, for reports, and what there is to say of it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"
#include "run/machine.hpp"
#include "run/zeros/given_densities.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"
#include "yaml/node.hpp"

namespace tilewright::python {

struct NamedMachine {
    std::string name;  ///< as the user gave it
    Machine machine;
};

struct ReadNetwork {
    Network network;
    std::vector<Words> words = {};  ///< by layer; empty: all are plain
    std::string bits = {};          ///< as they were asked for: "Weights=4,conv1:Inputs=8"
    std::vector<report::Input> inputs = {};
    std::vector<std::string> notes = {};
    yaml::Node problem = {};                                  ///< with what it says of zeros; null: it is no file
    std::set<std::string> left_out = {};                      ///< layers that select() did not take
    std::function<std::vector<LayerWeights>()> weights = {};  ///< counts the zeros of a model's; empty: it has none
};

struct ReadCascade {
    Cascade cascade;
    std::vector<report::Input> inputs = {};
    std::vector<std::string> notes = {};
    std::string bits = {};                 ///< as they were asked for: "Weights=4,B=8"
    std::vector<TensorWidth> widths = {};  ///< the same as values
    PartialBits partial = {};              ///< by tensor; empty: partial sums are as wide as final ones
};

/// Tensors with their bits as Python has them: "4", "8/32".
using BitTexts = std::vector<std::pair<std::string, std::string>>;

/// Of these layers. Throws InputError(usage).
std::vector<TensorWidth> widths_of(const BitTexts& bits, const std::string& layers);
/// "Weights=4,conv1:Inputs=8": what was asked for before, and this.
std::string bits_text(const std::string& before, const BitTexts& bits, const std::string& layers);

/// The provenance of a report that the verb `command` would write of these.
report::Provenance provenance_of(const std::string& command, const Machine& machine, const ReadNetwork& network);

/// `what`: "comparisons know". Throws InputError(usage) where words lie in blocks that share a scale, or partial sums
/// are of another width.
void refuse_words(const ReadNetwork& network, const std::string& what);
/// The same of blocks alone.
void refuse_blocks(const ReadNetwork& network, const std::string& what);

/// Equal for equal layers with words and zeros alike, wherever they were read.
std::string identity_of(const ReadNetwork& network);

/// Every layer has an answer that nothing beats.
bool is_proven(const report::Report& report);

/// Machine, network and what is void in the constraints.
std::vector<std::string> notes_of(const Machine& machine, const ReadNetwork& network);

}  // namespace tilewright::python
