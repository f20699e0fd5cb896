#include "multicore/set/plans.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"
#include "multicore/set/account.hpp"

namespace tilewright::multicore::set {
namespace {

std::string count_of(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Of K, B, H, W; 0: none of them.
char letter_of(const std::string& dimension) {
    switch (dimension.front()) {
        case 'k':
        case 'n': return 'K';
        case 'b': return 'B';
        case 'p':
        case 'u': return 'H';
        case 'q': return 'W';
        default: return 0;
    }
}

class PlanOfTree {
   public:
    PlanOfTree(const Tree& tree, const Evaluator& evaluator)
        : tree_(tree), evaluator_(evaluator), problem_(evaluator.problem()) {
        place(0, 0);
    }

    Expressed express() {
        Expressed made;
        const bool is_root_cut = !tree_[0].is_leaf && !tree_[0].is_space;
        const std::vector<int> segments = is_root_cut ? tree_[0].children : std::vector<int>{0};
        int first = 0;
        for (const int segment : segments) {
            const int end = first + leaves_below(segment);
            for (Choice& one : fewest_runs(first, end)) {
                other_steps_ += one.has_other_step ? 1 : 0;
                streamed_ += one.is_streamed ? 1 : 0;
                made.plan.runs.push_back(std::move(one.run));
            }
            first = end;
        }
        tell(segments.size(), made);
        return made;
    }

   private:
    struct Choice {
        package::Run run;
        bool has_other_step = false;
        bool is_streamed = false;
    };

    void place(int node, std::int64_t first) {
        const Node& one = tree_[node];
        if (one.is_leaf) {
            leaves_.push_back(node);
            stages_.push_back(stage_of(static_cast<int>(leaves_.size()) - 1, first));
        }
        for (const int child : one.children) {
            place(child, first);
            if (one.is_space) first += cores_of(tree_, child);
        }
    }

    package::Stage stage_of(int einsum, std::int64_t first) {
        package::Stage stage;
        std::int64_t cores = 1;
        const std::vector<Dimension>& dimensions = problem_.cascade().einsums[einsum].einsum.dimensions;
        for (const auto& [letter, parts] : tree_[leaves_[einsum]].parts) {
            int found = -1;
            for (int d = 0; d < static_cast<int>(dimensions.size()); ++d)
                if (letter_of(dimensions[d].name) == letter) found = d;
            const std::int64_t most = found < 0 ? 1 : std::min(parts, dimensions[found].extent);
            clipped_ += most < parts ? 1 : 0;
            if (most > 1) stage.split.push_back({found, most});
            cores *= most;
        }
        for (std::int64_t core = first; core < first + cores; ++core) stage.team.push_back(static_cast<int>(core));
        return stage;
    }

    int leaves_below(int node) const {
        if (tree_[node].is_leaf) return 1;
        int sum = 0;
        for (const int child : tree_[node].children) sum += leaves_below(child);
        return sum;
    }

    // Shortest path over the segment's einsums.
    std::vector<Choice> fewest_runs(int first, int end) {
        std::vector<int> count(end - first + 1, 1 << 20);
        std::vector<std::optional<Choice>> last(end - first + 1);
        count[0] = 0;
        for (int i = first; i < end; ++i)
            for (int j = i; j < end; ++j) {
                if (count[i - first] + 1 >= count[j + 1 - first] || !problem_.may_be_run(i, j)) continue;
                std::optional<Choice> found = run_of(i, j);
                if (!found) continue;
                count[j + 1 - first] = count[i - first] + 1;
                last[j + 1 - first] = std::move(found);
            }
        std::vector<Choice> path;
        for (int at = end; at > first; at = path.back().run.first) {
            if (!last[at - first])
                throw InputError(ErrorCode::bad_value, {},
                                 "no step of '" + problem_.cascade().einsums[at - 1].name + "' fits the buffers");
            path.push_back(std::move(*last[at - first]));
        }
        std::ranges::reverse(path);
        return path;
    }

    // Images as the tree has them, then more, then fewer, then rows of all images.
    std::vector<std::pair<int, std::int64_t>> steps_of(int first, int last) const {
        const std::vector<int>& axes = problem_.worker(last).axes;
        std::vector<std::pair<int, std::int64_t>> steps;
        std::int64_t images = tree_[leaves_[last]].batch;
        for (int e = first; e < last; ++e) images = std::min(images, tree_[leaves_[e]].batch);
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const Dimension& one = problem_.cascade().einsums[last].einsum.dimensions[axes[axis]];
            std::vector<std::int64_t> sizes = divisors(one.extent);
            if (letter_of(one.name) == 'B')
                std::ranges::stable_sort(sizes, [&](std::int64_t a, std::int64_t b) {
                    const auto rank = [&](std::int64_t size) {
                        return size >= images ? size : 2 * one.extent + images - size;
                    };
                    return rank(a) < rank(b);
                });
            else
                std::ranges::reverse(sizes);
            for (const std::int64_t size : sizes) steps.emplace_back(static_cast<int>(axis), size);
        }
        return steps;
    }

    std::optional<Choice> run_of(int first, int last) const {
        Choice choice;
        choice.run.first = first;
        choice.run.last = last;
        const auto steps = steps_of(first, last);
        for (const bool streams : {false, true}) {
            choice.is_streamed = streams;
            choice.run.stages.assign(stages_.begin() + first, stages_.begin() + last + 1);
            if (streams)
                for (int e = first; e <= last; ++e)
                    for (const Reading& reading : problem_.worker(e).reads)
                        if (problem_.cascade().tensors[reading.tensor].role == TensorRole::weight)
                            choice.run.stages[e - first].streamed |= 1U << reading.operand;
            for (const auto& [axis, size] : steps) {
                choice.run.axis = axis;
                choice.run.step = size;
                choice.has_other_step = std::pair(axis, size) != steps.front();
                if (evaluator_.run(choice.run)) return choice;
            }
        }
        return std::nullopt;
    }

    void tell(std::size_t segments, Expressed& made) const {
        if (made.plan.runs.size() != segments)
            made.departures.push_back(count_of(segments, "segment") + " of the tree as " +
                                      count_of(made.plan.runs.size(), "run") +
                                      ": a run's results but the last are read inside it alone, and its words have to "
                                      "fit the buffers together");
        if (other_steps_ > 0)
            made.departures.push_back(count_of(other_steps_, "run") +
                                      " in other steps than the tree's images: buffers "
                                      "hold results and words for the next step, too");
        if (streamed_ > 0)
            made.departures.push_back(count_of(streamed_, "run") + " with weights that come in every step");
        if (clipped_ > 0)
            made.departures.push_back(count_of(clipped_, "split") + " into more parts than words, on fewer cores");
    }

    const Tree& tree_;
    const Evaluator& evaluator_;
    const Problem& problem_;
    std::vector<int> leaves_;  // nodes, by einsum
    std::vector<package::Stage> stages_;
    std::size_t other_steps_ = 0;
    std::size_t streamed_ = 0;
    std::size_t clipped_ = 0;
};

class TreeOfPlan {
   public:
    TreeOfPlan(const std::vector<Layer>& layers, const Machine& machine, const Evaluator& evaluator)
        : layers_(layers), machine_(machine), evaluator_(evaluator), problem_(evaluator.problem()) {}

    ExpressedTree express(const package::Plan& plan) {
        add({.batch = machine_.batch}, -1);
        for (const package::Run& run : plan.runs) add_run(run);
        ExpressedTree made{std::move(tree_), {}};
        if (sums_ > 0)
            made.departures.push_back(count_of(sums_, "split") + " of sums as splits of channels, which SET has alone");
        if (rows_ > 0)
            made.departures.push_back(count_of(rows_, "run") +
                                      " in steps of all images, since SET cuts time by images");
        return made;
    }

   private:
    int add(Node node, int parent) {
        const int index = static_cast<int>(tree_.size());
        node.parent = parent;
        if (parent >= 0) tree_[parent].children.push_back(index);
        tree_.push_back(std::move(node));
        return index;
    }

    // Neighbours without common cores are a cut of space; those, one after another, a cut of time.
    void add_run(const package::Run& run) {
        std::vector<std::size_t> starts;
        std::set<int> taken;
        for (std::size_t s = 0; s < run.stages.size(); ++s) {
            const std::vector<int>& team = run.stages[s].team;
            const auto is_taken = [&](int core) { return taken.contains(core); };
            if (starts.empty() || std::ranges::any_of(team, is_taken)) {
                starts.push_back(s);
                taken.clear();
            }
            taken.insert(team.begin(), team.end());
        }
        starts.push_back(run.stages.size());
        const bool by_image = machine_.batch > 1 && run.axis == 0;
        if (!by_image && run.step < problem_.whole_result(run.last)[run.axis].to) ++rows_;
        Node cut{.batch = machine_.batch, .times = by_image ? ceil_div(machine_.batch, run.step) : 1};
        const std::int64_t images = by_image ? run.step : machine_.batch;
        const bool is_pipeline = starts.size() == 2 && run.stages.size() > 1;
        cut.is_space = is_pipeline;
        const int around = add(cut, 0);
        for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
            int parent = around;
            if (!is_pipeline && starts[g + 1] - starts[g] > 1)
                parent = add({.is_space = true, .batch = images}, around);
            for (std::size_t s = starts[g]; s < starts[g + 1]; ++s)
                add_leaf(run.first + static_cast<int>(s), run.stages[s], images, parent);
        }
    }

    void add_leaf(int einsum, const package::Stage& stage, std::int64_t images, int parent) {
        const CascadeEinsum& one = problem_.cascade().einsums[einsum];
        Node leaf{.is_leaf = true, .batch = images};
        const auto named = [&](const Layer& layer) { return layer.name == one.name; };
        leaf.layer = static_cast<int>(std::ranges::find_if(layers_, named) - layers_.begin());
        leaf.first = stage.team.front();
        Extents extents = whole_of(problem_, einsum);
        std::map<char, int> dimension_of;
        for (int d = 0; d < static_cast<int>(extents.size()); ++d)
            dimension_of.emplace(letter_of(one.einsum.dimensions[d].name), d);
        if (const auto image = dimension_of.find('B'); image != dimension_of.end()) extents[image->second] = images;
        std::map<char, std::int64_t> parts;
        for (const package::Split& split : stage.split) {
            char letter = letter_of(one.einsum.dimensions[split.dimension].name);
            if (letter == 0) ++sums_;
            if (letter == 0) letter = 'K';
            if (!parts.contains(letter)) leaf.parts.emplace_back(letter, 1);
            parts.emplace(letter, 1).first->second *= split.parts;
        }
        for (auto& [letter, count] : leaf.parts) {
            count = parts[letter];
            if (const auto d = dimension_of.find(letter); d != dimension_of.end())
                extents[d->second] = ceil_div(extents[d->second], count);
        }
        leaf.recorded.cycles = evaluator_.leaves().of(einsum, 0, extents).cycles;
        add(std::move(leaf), parent);
    }

    const std::vector<Layer>& layers_;
    const Machine& machine_;
    const Evaluator& evaluator_;
    const Problem& problem_;
    Tree tree_;
    std::size_t sums_ = 0;
    std::size_t rows_ = 0;
};

}  // namespace

Expressed plan_of(const Tree& tree, const Evaluator& evaluator) { return PlanOfTree(tree, evaluator).express(); }

ExpressedTree tree_of(const package::Plan& plan, const std::vector<Layer>& layers, const Machine& machine,
                      const Evaluator& evaluator) {
    return TreeOfPlan(layers, machine, evaluator).express(plan);
}

}  // namespace tilewright::multicore::set
