#include "verbs/package/set_account.hpp"

#include <fmt/format.h>

#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "multicore/set/account.hpp"
#include "multicore/set/read.hpp"
#include "options/verb.hpp"
#include "report/parts/table.hpp"

namespace tilewright::cli {
namespace {

namespace set = multicore::set;

int depth_of(const set::Tree& tree, int node) {
    int depth = 0;
    for (node = tree[node].parent; node >= 0; node = tree[node].parent) ++depth;
    return depth;
}

std::string name_of(const set::Node& node, const std::vector<set::Layer>& layers) {
    if (node.is_leaf) return layers[node.layer].name;
    return fmt::format("{} {}/{}", node.is_space ? "S" : "T", node.batch, node.times);
}

}  // namespace

ExitStatus evaluate_by_set(const InputOptions& input, const PackageOptions& package, const OutputOptions& output) {
    if (package.package.empty() || package.plan.empty() || input.nets.size() != 1)
        fail_usage("evaluate",
                   "--account set takes --package run.json, --net net_NAME.jsonl and --plan TREE.scheme.txt");
    const set::Machine machine = set::read_machine(yaml::parse_file(package.package));
    const std::vector<set::Layer> layers = set::read_layers(read_file(input.nets.front()), input.nets.front());
    const set::Tree tree = set::read_tree(read_file(package.plan), layers, package.plan);
    const std::vector<set::Figures> figures =
        set::count(layers, machine, tree, package.published ? set::kPublished : set::Switches{});
    report::Table table({"Node", "Hops", "DRAM words", "Busiest link", "Buffer", "Cycles"}, "lrrrrr");
    for (std::size_t n = 0; n < tree.size(); ++n) {
        const std::string indent(static_cast<std::size_t>(depth_of(tree, static_cast<int>(n))) * 2, ' ');
        table.add({indent + name_of(tree[n], layers), count_text(figures[n].hops), count_text(figures[n].dram_words),
                   count_text(figures[n].busiest_link),
                   tree[n].is_leaf ? count_text(figures[n].buffers[0].most + figures[n].buffers[1].most) : "",
                   count_text(figures[n].cycles)});
    }
    if (!output.quiet) print(table.text());
    return ExitStatus::done;
}

}  // namespace tilewright::cli
