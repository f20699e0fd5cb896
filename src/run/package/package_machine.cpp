#include "run/package/package_machine.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "package/file.hpp"
#include "run/machine.hpp"
#include "run/package/mapped_leaves.hpp"
#include "yaml/node.hpp"

namespace tilewright {
namespace {

constexpr const char* kOfPackage = "package.";

// Machines of cores by the names that the package has for them, each read once.
class Cores {
   public:
    Cores(std::filesystem::path folder, PackageSettings settings)
        : folder_(std::move(folder)), settings_(std::move(settings)) {}

    Architecture of(const std::string& name) {
        const auto known = machines_.find(name);
        if (known != machines_.end()) return known->second.architecture();
        return machines_.emplace(name, changed(name)).first->second.architecture();
    }

    const Machine* machine_of(const package::CoreKind& kind) const {
        if (!kind.architecture) return nullptr;
        for (const auto& [name, machine] : machines_)
            if (package::kind_of(name, machine.architecture()).architecture == kind.architecture) return &machine;
        return nullptr;
    }

    void require_uses() const {
        if (!settings_.empty() && machines_.empty())
            throw InputError(ErrorCode::unknown_name, {"--set " + settings_.front().first},
                             "no core of the package is a machine with attributes; its own begin with 'package.'");
    }

    void add_inputs(std::vector<report::Input>& inputs) const {
        for (const auto& [name, machine] : machines_)
            inputs.insert(inputs.end(), machine.inputs().begin(), machine.inputs().end());
    }

   private:
    // Files lie beside the package's.
    Machine changed(const std::string& name) const {
        const bool is_file = name.find('.') != std::string::npos;
        const Machine machine = is_file ? Machine::read({folder_ / name}) : Machine::named(name);
        machine.refuse_zeros();
        return settings_.empty() ? machine : machine.with(settings_);
    }

    std::filesystem::path folder_;
    PackageSettings settings_;
    std::map<std::string, Machine> machines_;
};

// The tree with another value at "package.link.energy" or "package.dram.0.read"; missing keys of maps are added.
yaml::Node with_value_at(const yaml::Node& node, const std::string& path, std::size_t from, const yaml::Node& value) {
    if (from > path.size()) return value;
    const std::size_t end = std::min(path.find('.', from), path.size());
    const std::string key = path.substr(from, end - from);
    if (node.is_sequence()) {
        std::vector<yaml::Node> items = node.items();
        std::size_t index = 0;
        const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), index);
        if (error != std::errc{} || rest != key.data() + key.size() || index >= items.size())
            value.fail(ErrorCode::unknown_name, "'" + path + "': expected a number from 0 to " +
                                                    std::to_string(items.size() - 1) + " in place of '" + key + "'");
        items[index] = with_value_at(items[index], path, end + 1, value);
        return yaml::Node::sequence(std::move(items), node);
    }
    if (!node.is_map() && !node.is_null())
        value.fail(ErrorCode::unknown_name,
                   "'" + path + "': there is nothing below '" + path.substr(0, from - 1) + "'");
    std::vector<yaml::Node::Entry> entries = node.is_map() ? node.entries() : std::vector<yaml::Node::Entry>{};
    auto found = std::ranges::find(entries, key, &yaml::Node::Entry::key);
    if (found == entries.end()) {
        entries.push_back({key, value, yaml::Node::null_at(value)});
        found = std::prev(entries.end());
    }
    found->value = with_value_at(found->value, path, end + 1, value);
    return yaml::Node::map(std::move(entries), node);
}

bool is_of_package(const std::string& name) { return name.starts_with(kOfPackage); }

}  // namespace

PackageMachine PackageMachine::read(const std::string& name, const PackageSettings& settings) {
    const bool is_file = name.find('/') != std::string::npos || name.ends_with(".yaml");
    const std::string text = is_file ? read_file(name) : std::string(package::zoo_package_file(name));
    const std::string file = is_file ? name : "zoo:" + name;
    PackageMachine made;
    made.inputs_.push_back({file, content_hash(text)});
    yaml::Node root = yaml::parse_text(text, file);
    root.expect_keys({"package"});
    PackageSettings of_cores;
    for (const auto& [attribute, value] : settings) {
        if (!is_of_package(attribute)) {
            of_cores.emplace_back(attribute, value);
            continue;
        }
        root = with_value_at(root, attribute, 0, yaml::parse_text(value, "--set " + attribute));
        made.inputs_.push_back({"--set " + attribute, content_hash(value)});
    }
    Cores cores(std::filesystem::path(name).parent_path(), std::move(of_cores));
    made.package_ = package::read_package(root, [&](const std::string& one) { return cores.of(one); });
    cores.require_uses();
    if (made.package_.name.empty()) made.package_.name = std::filesystem::path(name).stem().string();
    cores.add_inputs(made.inputs_);
    for (const package::CoreKind& kind : made.package_.kinds) {
        const Machine* machine = cores.machine_of(kind);
        made.constraints_.push_back(machine == nullptr ? ConstraintsOf{} : machine->constraints());
        made.machines_.push_back(machine == nullptr ? Architecture{} : machine->architecture());
    }
    return made;
}

ConstraintsOfKind PackageMachine::constraints() const {
    return [constraints = constraints_, machines = machines_, kinds = package_.kinds](int kind, const Einsum& einsum) {
        if (!constraints[kind]) return Constraints{};
        return constraints_of_core(constraints[kind](einsum), machines[kind], *kinds[kind].architecture);
    };
}

}  // namespace tilewright
