#include "inputs/mistakes.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "native/multi_npu.hpp"
#include "options/options.hpp"
#include "timeloop/files/zoo.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::cli {
namespace {

using yaml::Node;

constexpr int kDeepestEntry = 200;

bool is_there(const Node& node, const Location& place) {
    const Location where = node.where();
    return where.line == place.line && where.column == place.column && where.file == place.file;
}

// Mistakes in a text may be said at the place inside it.
bool is_in(const Node& node, const Location& place) {
    const Location where = node.where();
    if (!node.is_scalar() || where.line != place.line || where.file != place.file) return false;
    const int letters = static_cast<int>(node.text().size()) + (node.is_quoted() ? 2 : 0);
    const int inside = place.column - where.column;
    return inside == 0 || (inside > 0 && inside < letters);
}

// `node` without the entry whose key, or whose plain value, or the item that stands at `place`; nothing when there is
// none.
std::optional<Node> without(const Node& node, const Location& place, int depth) {
    if (depth > kDeepestEntry) return std::nullopt;
    if (node.is_sequence()) {
        std::vector<Node> items = node.items();
        for (auto item = items.begin(); item != items.end(); ++item) {
            const bool meant = is_in(*item, place);
            std::optional<Node> changed = meant ? std::nullopt : without(*item, place, depth + 1);
            if (!meant && !changed) continue;
            if (meant)
                items.erase(item);
            else
                *item = *changed;
            return Node::sequence(std::move(items), node).with_tag(node.tag());
        }
        return std::nullopt;
    }
    if (!node.is_map()) return std::nullopt;
    std::vector<Node::Entry> entries = node.entries();
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const bool meant = is_there(entry->key_node, place) || is_in(entry->value, place);
        std::optional<Node> changed = meant ? std::nullopt : without(entry->value, place, depth + 1);
        if (!meant && !changed) continue;
        if (meant)
            entries.erase(entry);
        else
            entry->value = *changed;
        return Node::map(std::move(entries), node).with_tag(node.tag());
    }
    return std::nullopt;
}

// Perhaps a mistake only because something refused was left out.
bool may_follow(const InputError& error) {
    return error.code() == ErrorCode::missing_key || error.code() == ErrorCode::factor_product;
}

}  // namespace

std::vector<InputError> mistakes_in(Node root, const std::function<void(const Node&)>& read, int most) {
    std::vector<InputError> mistakes;
    while (static_cast<int>(mistakes.size()) < most) {
        try {
            read(root);
            return mistakes;
        } catch (const InputError& error) {
            std::optional<Node> rest = without(root, error.where(), 0);
            if (!mistakes.empty() && (!rest || may_follow(error))) return mistakes;
            mistakes.push_back(error);
            if (!rest) return mistakes;
            root = *rest;
        }
    }
    return mistakes;
}

namespace {

bool is_machine(const std::string& name) {
    const std::vector<std::string> names = timeloop::zoo_architectures();
    return std::ranges::find(names, name) != names.end();
}

bool is_network(const std::string& name) {
    return std::ranges::any_of(zoo_networks(), [&](const ZooEntry& entry) { return entry.name == name; });
}

bool is_machine_of_cores(const std::string& name) {
    return std::ranges::any_of(native::zoo_multi_npus(),
                               [&](const native::ZooMultiNpu& machine) { return machine.name == name; });
}

// "./mine.yaml", where such a file is: with one of these endings, or as it was named.
std::optional<std::string> file_meant(const std::string& name, const std::vector<std::string>& endings) {
    for (const std::string& ending : endings) {
        std::error_code unknown;
        if (std::filesystem::is_regular_file(name + ending, unknown)) return "./" + name + ending;
    }
    return std::nullopt;
}

std::string with_file(const std::string& option, const std::string& name, const std::string& file) {
    return fmt::format("the zoo has no '{1}'; for the file give {0} {2}", option, name, file);
}

std::string file_or_network(const std::string& name) {
    if (const auto file = file_meant(name, {".yaml", ".yml", ".json", ".cfg", ""}))
        return with_file("--arch", name, *file);
    return is_network(name) ? fmt::format("'{0}' is a network: give --net {0}", name) : "";
}

}  // namespace

std::string meant_for_arch(const std::string& name) {
    if (is_machine(name)) return "";
    std::string meant = file_or_network(name);
    if (!meant.empty() || !is_machine_of_cores(name)) return meant;
    return fmt::format("'{0}' has several cores: schedule layers by tilewright schedule --arch {0} --net ...", name);
}

std::string meant_for_arch_of_cores(const std::string& name) {
    if (is_machine_of_cores(name)) return "";
    std::string meant = file_or_network(name);
    if (!meant.empty() || !is_machine(name)) return meant;
    return fmt::format(
        "'{0}' is one core: map layers to it by tilewright map --arch {0} --net ...; schedule takes "
        "machines of several (arch1 to arch8)",
        name);
}

std::string meant_for_file(const std::string& name) {
    if (is_machine(name))
        return fmt::format("there is no file '{0}'; for the machine of that name give --arch {0}", name);
    if (is_network(name) || is_zoo_cascade(name))
        return fmt::format("there is no file '{0}'; for the network of that name give --net {0}", name);
    if (is_machine_of_cores(name))
        return fmt::format(
            "there is no file '{0}'; the machine of that name has several cores: tilewright schedule "
            "--arch {0} --net ...",
            name);
    for (const char* const ending : {".yaml", ".yml", ".onnx", ".json", ".m"})
        if (const auto file = file_meant(name, {ending}))
            return fmt::format("there is no file '{}'; give {}", name, *file);
    return "";
}

std::string meant_for_net(const std::string& name) {
    if (is_network(name)) return "";
    if (const auto file = file_meant(name, {".onnx", ".yaml", ".yml", ".json", ".csv", ".m", ""}))
        return with_file("--net", name, *file);
    return is_machine(name) ? fmt::format("'{0}' is a machine: give --arch {0}", name) : "";
}

}  // namespace tilewright::cli
