// Machines and networks as Python objects have them: with what was read, for reports, and what there is to say of it.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "run/machine.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "workload/block_format.hpp"
#include "workload/network.hpp"

namespace tilewright::python {

struct NamedMachine {
    std::string name;  ///< as the user gave it
    Machine machine;
};

struct ReadNetwork {
    Network network;
    std::vector<BlockFormats> blocks = {};  ///< by layer; empty: no words lie in blocks
    std::vector<report::Input> inputs = {};
    std::vector<std::string> notes = {};
};

/// The provenance of a report that the verb `command` would write of these.
report::Provenance provenance_of(const std::string& command, const Machine& machine, const ReadNetwork& network);

/// `what`: "comparisons know". Throws InputError(usage) where words lie in blocks that share a scale.
void refuse_blocks(const ReadNetwork& network, const std::string& what);

/// Machine, network and what is void in the constraints.
std::vector<std::string> notes_of(const Machine& machine, const ReadNetwork& network);

}  // namespace tilewright::python
