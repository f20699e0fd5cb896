// What a search for the best machine claims: a tree of boxes of machines, cut until each is ruled out as a whole or is
// one machine that was mapped. A plain value; native/certificates/machine_certificate writes it, check_tree.hpp judges
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certificate/claim/certificate.hpp"
#include "certificate/codesign/machines.hpp"
#include "certificate/codesign/network_floor.hpp"

namespace tilewright::certificate {

enum class BoxEnd {
    cut,         ///< into two halves, which follow it
    worse,       ///< no machine in it is better than the best one
    beyond,      ///< a limit, whatever its machines map
    unmappable,  ///< a layer has no mapping on any machine in it
    mapped,      ///< one machine, its layers mapped as well as may be
};

struct BoxNode {
    MachineBox box;
    BoxEnd end = BoxEnd::cut;
    std::size_t knob = 0;             ///< cut: along it
    double value = 0.0;               ///< worse: no machine has less; mapped: what the machine comes to
    std::string limit;                ///< beyond: the metric that it is about; mapped: likewise, "" where it keeps all
    std::size_t layer = 0;            ///< unmappable: which one
    std::vector<ProvenFloor> layers;  ///< worse, and beyond a limit other than that of area: by layer
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
