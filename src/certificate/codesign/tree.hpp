// The claim of a search for the best machine: a tree of boxes of machines, cut until each is ruled out as a whole or is
// one mapped machine. A plain value; native/certificates/machine_certificate writes it, check_tree.hpp judges it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certificate/claim/certificate.hpp"
#include "certificate/codesign/machines.hpp"
#include "certificate/codesign/network_floor.hpp"

namespace tilewright::certificate {

enum class BoxEnd {
    cut,         ///< into two halves, next in the list
    worse,       ///< no machine in it beats the best one
    beyond,      ///< beyond a limit, for any mappings
    unmappable,  ///< a layer has no mapping on any machine in it
    mapped,      ///< one machine with optimally mapped layers
};

struct BoxNode {
    MachineBox box;
    BoxEnd end = BoxEnd::cut;
    std::size_t knob = 0;             ///< cut: the knob
    double value = 0.0;               ///< worse: no machine has less; mapped: the machine's value
    std::string limit;                ///< beyond: the limit's metric; mapped: likewise, "" if within all
    std::size_t layer = 0;            ///< unmappable: the layer
    std::vector<ProvenFloor> layers;  ///< worse, and beyond a limit other than area: by layer
    std::vector<Answer> answers;      ///< mapped: by layer
};

struct MachineCertificate {
    std::string tool_version;
    int model_version = 0;
    std::string network;
    MachineSpace space;
    std::optional<BoxNode> best;  ///< a mapped machine; nothing: none is valid. Its box may lie in one that is worse
    std::vector<BoxNode> tree;    ///< every box before its halves, the whole space first
};

}  // namespace tilewright::certificate
