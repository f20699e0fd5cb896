#include "verbs/package/set_account.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "multicore/set/account.hpp"
#include "multicore/set/plans.hpp"
#include "multicore/set/problem.hpp"
#include "multicore/set/read.hpp"
#include "options/verb.hpp"
#include "package/plan_text.hpp"
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

// What plans are evaluated with.
struct View {
    explicit View(const PackageProblem& given)
        : problem(given.cascade, given.package),
          network(given.package),
          leaves(problem),
          evaluator(problem, network, leaves) {}

    multicore::Problem problem;
    package::Network network;
    multicore::LaneLeaves leaves;
    multicore::Evaluator evaluator;
};

// Stages of a plan may stand in another order than the network's layers.
std::vector<int> order_of_stages(const std::string& text, const std::vector<set::Layer>& layers) {
    std::vector<int> order;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word != "stage" || !(words >> word)) continue;
        for (std::size_t l = 0; l < layers.size(); ++l)
            if (layers[l].name == word) order.push_back(static_cast<int>(l));
    }
    return order.size() == layers.size() ? order : std::vector<int>{};
}

bool is_tree(const std::string& text) { return text.find("NoC(hops=") != std::string::npos; }

}  // namespace

bool is_set_run(const PackageOptions& package) {
    return package.package.ends_with(".json") && yaml::parse_file(package.package).has("link_rate");
}

SetRun read_set_run(const std::string& verb, const InputOptions& input, const PackageOptions& package) {
    if (package.package.empty() || input.nets.size() != 1 || !input.einsum.empty())
        fail_usage(verb, "SET's runs are --package run.json and --net net_NAME.jsonl");
    SetRun run;
    const auto text_of = [&](const std::string& file) {
        std::string text = read_file(file);
        run.read.push_back({file, content_hash(text)});
        return text;
    };
    run.machine = set::read_machine(yaml::parse_text(text_of(package.package), package.package));
    run.layers = set::read_layers(text_of(input.nets.front()), input.nets.front());
    if (package.plan.empty()) return run;
    const std::string text = text_of(package.plan);
    if (is_tree(text)) run.tree = set::read_tree(text, run.layers, package.plan);
    run.order = run.tree ? set::order_of(*run.tree) : order_of_stages(text, run.layers);
    return run;
}

PackageProblem SetRun::problem(bool in_rounds) const {
    const std::int64_t rounds = tree && in_rounds ? set::rounds_of(*tree) : 1;
    return {set::cascade_of(layers, machine.batch / rounds, rounds, order), set::package_of(machine)};
}

package::Plan plan_of_tree(const SetRun& run, const PackageProblem& problem, std::vector<std::string>& notes) {
    View view(problem);
    set::Expressed made = set::plan_of(*run.tree, view.evaluator);
    notes.insert(notes.end(), made.departures.begin(), made.departures.end());
    return std::move(made.plan);
}

ExitStatus evaluate_by_set(const InputOptions& input, const PackageOptions& package, const OutputOptions& output) {
    if (package.plan.empty())
        fail_usage("evaluate", "--account set takes --plan: TREE.scheme.txt, or a plan of map --package run.json");
    const SetRun run = read_set_run("evaluate", input, package);
    const std::vector<set::Layer>& layers = run.layers;
    set::Tree tree;
    if (run.tree) {
        tree = *run.tree;
    } else {
        const PackageProblem problem = run.problem(false);
        const View view(problem);
        const package::Plan plan =
            package::parse_plan(read_file(package.plan), problem.cascade, problem.package.core_count(), package.plan);
        set::ExpressedTree made = set::tree_of(plan, layers, run.machine, view.evaluator);
        tree = std::move(made.tree);
        for (const std::string& note : made.departures) print_error("note: " + note);
    }
    const std::vector<set::Figures> figures =
        set::count(layers, run.machine, tree, package.published ? set::kPublished : set::Switches{});
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
