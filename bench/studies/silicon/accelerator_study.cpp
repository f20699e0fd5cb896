// Errors of predicted kernels of accelerators, by kind, machine, engine and precision: a table of golden/silicon2,
// unpacked.
//
//     silicon_accelerators FOLDER [--blind] [--every N] [--without-form] [--kind NAME]
//
// --blind: each machine with the calibration of a relative; --without-form: products by the general form of kernels.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accelerator_rows.hpp"
#include "silicon/accuracy.hpp"
#include "silicon/files/accelerator.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::silicon_study {
namespace {

struct Options {
    std::filesystem::path folder;
    std::string kind;
    bool blind = false;
    RowOptions rows;
};

silicon::Accelerator shipped(const std::string& machine, const std::string& engine) {
    const yaml::Node root = timeloop::zoo_architecture(zoo_name(machine));
    return *silicon::read_accelerator(root, timeloop::read_architecture(root), engine);
}

class Machines {
   public:
    explicit Machines(bool blind) : blind_(blind) {}

    const silicon::Accelerator* operator()(const std::string& machine, const std::string& engine) {
        const auto key = std::make_pair(machine, engine);
        const auto found = known_.find(key);
        if (found != known_.end()) return &found->second;
        silicon::Accelerator made = shipped(machine, engine);
        if (blind_) made.calibrated = shipped(relative_of(machine), engine).calibrated;
        return &known_.emplace(key, std::move(made)).first->second;
    }

   private:
    bool blind_;
    std::map<std::pair<std::string, std::string>, silicon::Accelerator> known_;
};

std::string roofline_text(const Group& group) {
    if (group.roofline.size() != group.measured.size()) return "-";
    return fmt::format("{:.1f}", 100.0 * silicon::accuracy_of(group.roofline, group.measured).median);
}

void print_group(const Group& group) {
    constexpr std::size_t kLeast = 5;
    if (group.measured.size() < kLeast) return;
    const silicon::Accuracy reached = silicon::accuracy_of(group.predicted, group.measured);
    fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:+.1f} | {} |\n", group.kind, group.machine,
               group.what, reached.cases, 100.0 * reached.median, 100.0 * reached.mean, 100.0 * reached.ninetieth,
               100.0 * reached.worst, 100.0 * reached.bias, roofline_text(group));
}

Options options_of(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--blind")
            options.blind = true;
        else if (word == "--without-form")
            options.rows.without_form = true;
        else if (word == "--every" && i + 1 < count)
            options.rows.every = std::stoul(words[++i]);
        else if (word == "--kind" && i + 1 < count)
            options.kind = words[++i];
        else
            options.folder = word;
    }
    return options;
}

// One group of several, such as a machine's products of one precision under two engines.
void add(const Group& group, const std::string& what, std::map<std::string, Group>& sums) {
    Group& sum = sums[group.machine + what];
    sum.kind = group.kind;
    sum.machine = group.machine;
    sum.what = what;
    for (auto list : {&Group::predicted, &Group::measured, &Group::roofline})
        (sum.*list).insert((sum.*list).end(), (group.*list).begin(), (group.*list).end());
}

void add_sums(const Group& group, std::map<std::string, Group>& sums) {
    if (group.kind == "products" && group.what.ends_with("bfloat16") && !group.what.starts_with("sglang"))
        add(group, "bfloat16, vLLM and TensorRT-LLM together", sums);
    if (group.kind == "prefill" || group.kind == "decode" || group.kind == "latent decode" || group.kind == "experts")
        add(group, group.kind + ", all", sums);
}

void print_all(const Options& options) {
    Machines machines(options.blind);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(options.folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    fmt::print(
        "| kind | machine | rows of | rows | median | mean | 90th percentile | worst | bias | roofline's median |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
    std::map<std::string, Group> sums;
    for (const std::filesystem::path& file : files)
        for (const Group& group : groups_of(file, std::ref(machines), options.rows)) {
            if (!options.kind.empty() && group.kind != options.kind) continue;
            print_group(group);
            add_sums(group, sums);
        }
    for (const auto& [name, group] : sums) print_group(group);
}

}  // namespace
}  // namespace tilewright::silicon_study

int main(int count, char** words) {
    using namespace tilewright::silicon_study;
    const Options options = options_of(count, words);
    if (options.folder.empty()) {
        fmt::print(stderr, "usage: silicon_accelerators FOLDER [--blind] [--every N] [--without-form] [--kind NAME]\n");
        return 2;
    }
    print_all(options);
    return 0;
}
