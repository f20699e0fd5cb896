#include "run/machine.hpp"

#include "arch/estimate.hpp"
#include "base/notes.hpp"
#include "frontend/timeloop/files/load.hpp"
#include "frontend/timeloop/files/read_over.hpp"
#include "frontend/timeloop/machine/architecture.hpp"
#include "frontend/timeloop/machine/zoo.hpp"
#include "frontend/timeloop/mapping/mapping.hpp"
#include "frontend/timeloop/problem/problem.hpp"

namespace tilewright {

struct Machine::Contents {
    yaml::Node root;
    std::vector<std::filesystem::path> folders;  ///< where the shapes of problems may lie
    Architecture architecture;
    std::vector<std::string> notes;

    Contents(const yaml::Node& whole, std::vector<std::filesystem::path> where) : folders(std::move(where)) {
        Notes read_over;
        root = timeloop::read_over(whole, {}, read_over);
        notes = read_over.texts();
        architecture = timeloop::read_architecture(root);
        for (std::string& note : estimate(architecture)) notes.push_back(std::move(note));
    }
};

Machine::Machine(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

Machine Machine::named(const std::string& name) {
    return Machine(
        std::make_shared<const Contents>(timeloop::zoo_architecture(name), std::vector<std::filesystem::path>{}));
}

Machine Machine::read(const std::vector<std::filesystem::path>& files) {
    std::vector<std::filesystem::path> folders;
    for (const std::filesystem::path& file : files) folders.push_back(file.parent_path());
    return Machine(std::make_shared<const Contents>(timeloop::load(files), std::move(folders)));
}

const Architecture& Machine::architecture() const { return contents_->architecture; }

ConstraintsOf Machine::constraints() const {
    return [contents = contents_](const Einsum& einsum) {
        return timeloop::read_constraints(contents->root, contents->architecture, einsum);
    };
}

Einsum Machine::problem() const { return timeloop::read_problem(contents_->root, contents_->folders); }

Mapping Machine::mapping(const Einsum& einsum) const {
    return timeloop::read_mapping(contents_->root, einsum, contents_->architecture);
}

const std::vector<std::string>& Machine::notes() const { return contents_->notes; }

LayerProblem layer_problem(const Einsum& einsum, const Machine& machine) {
    return {einsum, machine.architecture(), machine.constraints()(einsum)};
}

NetworkProblem network_problem(const Network& network, const Machine& machine) {
    return network_problem(network, machine.architecture(), machine.constraints());
}

std::string mapping_yaml(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    return timeloop::write_mapping(mapping, einsum, architecture);
}

}  // namespace tilewright
