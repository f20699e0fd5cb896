#include "inputs/rank_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "base/error.hpp"
#include "options/options.hpp"
#include "timeloop/problem/problem.hpp"
#include "workload/rename.hpp"

namespace tilewright::cli {

void rename_as_asked(const std::string& verb, const std::vector<std::string>& asked, Network& network) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& text : asked) names.push_back(name_and_value(verb, "--rename", "OLD=NEW", text));
    if (names.empty()) return;
    in_the_words_of(verb, [&] { rename_ranks(network, names); }, "--rename: ");
}

std::vector<std::string> name_by_role(const yaml::Node& root, const std::vector<std::filesystem::path>& folders,
                                      Network& network) {
    const Einsum like = timeloop::read_problem(root, folders);
    const std::string file = root.at("problem").where().file;
    std::set<std::string> renamed;
    std::vector<std::string> others;
    for (Layer& layer : network.layers) {
        const auto names = names_by_role(layer.einsum, like);
        if (!names) {
            others.push_back(layer.name);
            continue;
        }
        rename_ranks(layer, *names);
        for (const auto& [from, to] : *names) renamed.insert(from + "=" + to);
    }
    std::vector<std::string> notes{
        fmt::format("{}: its problem only gives names: the layers of '{}' are mapped{}", file, network.name,
                    renamed.empty() ? "" : fmt::format(", as with --rename {}", fmt::join(renamed, ",")))};
    if (!others.empty())
        notes.push_back(
            fmt::format("{}: its problem is of another kind than {} of the layers ({}{}); they keep their names", file,
                        others.size(), others.front(), others.size() == 1 ? "" : ", ..."));
    return notes;
}

}  // namespace tilewright::cli
