#include "certificate/codesign/check_tree.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "certificate/codesign/check_leaf.hpp"

namespace tilewright::certificate {
namespace {

std::string box_in_words(const MachineBox& box, const MachineSpace& space) {
    std::string text;
    for (std::size_t knob = 0; knob < box.size() && knob < space.knobs.size(); ++knob) {
        const MachineKnob& one = space.knobs[knob];
        const auto last = static_cast<std::int64_t>(one.values.size()) - 1;
        const auto value = [&](std::int64_t position) -> const std::string& {
            return one.values[static_cast<std::size_t>(std::clamp<std::int64_t>(position, 0, last))];
        };
        text += (text.empty() ? "" : ", ") + one.name + "=" + value(box[knob].low);
        if (box[knob].high - box[knob].low > 1) text += ".." + value(box[knob].high - 1);
    }
    return text;
}

/// Walks the tree in file order, every box before its halves.
class TreeWalk {
   public:
    TreeWalk(const MachineCertificate& certificate, std::vector<Finding>& findings)
        : certificate_(certificate), findings_(findings) {}

    std::vector<std::size_t> leaves() {
        visit(whole_box(certificate_.space));
        if (findings_.empty() && next_ < certificate_.tree.size())
            note(next_, "box", "this box is a part of none that was cut");
        return std::move(leaves_);
    }

   private:
    // Depth is limited: every cut halves a range.
    void visit(const MachineBox& expected) {
        if (!findings_.empty()) return;
        if (next_ == certificate_.tree.size()) {
            findings_.push_back({"tree", "a box is left out: " + box_in_words(expected, certificate_.space)});
            return;
        }
        const std::size_t at = next_++;
        const BoxNode& node = certificate_.tree[at];
        if (node.box != expected)
            return note(at, "box",
                        "expected the box " + box_in_words(expected, certificate_.space) +
                            ": it is left out, or another one stands in its place");
        if (node.end != BoxEnd::cut) return leaves_.push_back(at);
        visit_halves(node, at);
    }

    void visit_halves(const BoxNode& node, std::size_t at) {
        if (node.knob >= node.box.size() || node.box[node.knob].high - node.box[node.knob].low < 2)
            return note(at, "cut", "the box cannot be cut there");
        const std::int64_t middle = (node.box[node.knob].low + node.box[node.knob].high) / 2;
        MachineBox low = node.box;
        MachineBox high = node.box;
        low[node.knob].high = middle;
        high[node.knob].low = middle;
        visit(low);
        visit(high);
    }

    void note(std::size_t node, const std::string& field, const std::string& message) {
        findings_.push_back({"tree." + std::to_string(node) + "." + field, message});
    }

    const MachineCertificate& certificate_;
    std::vector<Finding>& findings_;
    std::size_t next_ = 0;
    std::vector<std::size_t> leaves_;
};

// It is a mapped machine of the space within every limit, with the claimed value.
void check_best(const MachineCertificate& certificate, const std::function<bool()>& stop,
                std::vector<Finding>& findings) {
    if (!certificate.best) return;
    const BoxNode& best = *certificate.best;
    const MachineBox whole = whole_box(certificate.space);
    bool inside = best.end == BoxEnd::mapped && best.box.size() == whole.size() && is_one_machine(best.box);
    for (std::size_t knob = 0; inside && knob < whole.size(); ++knob)
        inside = best.box[knob].low >= 0 && best.box[knob].high <= whole[knob].high;
    if (!inside) return findings.push_back({"best", "the best machine is none of the space that was mapped"});
    if (!best.limit.empty()) return findings.push_back({"best", "the best machine is beyond a limit of " + best.limit});
    for (const Finding& finding : check_leaf(certificate, best, stop))
        findings.push_back({"best." + finding.field, finding.message});
}

std::string machines_proof(const MachineCertificate& certificate, const std::vector<std::size_t>& leaves) {
    const auto count = [&](BoxEnd end) {
        return std::to_string(
            std::ranges::count_if(leaves, [&](std::size_t leaf) { return certificate.tree[leaf].end == end; }));
    };
    double machines = 1.0;
    for (const MachineKnob& knob : certificate.space.knobs) machines *= static_cast<double>(knob.values.size());
    return (certificate.best ? "none has less " + certificate.space.objective : std::string("none is valid")) +
           ", of " + std::to_string(static_cast<std::int64_t>(machines)) + " machines: " + count(BoxEnd::mapped) +
           " mapped, " + count(BoxEnd::worse) + " boxes ruled out by proven floors, " + count(BoxEnd::beyond) +
           " beyond a limit, " + count(BoxEnd::unmappable) + " without a mapping of a layer";
}

}  // namespace

TreeVerdict check(const MachineCertificate& certificate, const std::function<bool()>& stop,
                  const std::function<void(std::size_t, std::size_t)>& tell) {
    TreeVerdict verdict;
    if (const std::string problem = problem_with(certificate.space); !problem.empty()) {
        verdict.findings.push_back({"space", problem});
        return verdict;
    }
    const std::vector<std::size_t> leaves = TreeWalk(certificate, verdict.findings).leaves();
    if (!verdict.findings.empty()) return verdict;
    check_best(certificate, stop, verdict.findings);
    if (!verdict.findings.empty()) return verdict;
    std::vector<std::vector<Finding>> found(leaves.size());
    std::atomic<std::size_t> done{0};
    const auto is_stopped = [&] { return stop && stop(); };
    tbb::parallel_for(std::size_t{0}, leaves.size(), [&](std::size_t i) {
        if (is_stopped()) return;
        std::vector<Finding> findings = check_leaf(certificate, certificate.tree[leaves[i]], stop);
        if (is_stopped()) return;  // a stop may be their only reason
        found[i] = std::move(findings);
        const std::size_t so_far = ++done;
        if (tell) tell(so_far, leaves.size());
    });
    if (done < leaves.size())
        verdict.findings.push_back({"tree", "the check was interrupted after " + std::to_string(done) + " of " +
                                                std::to_string(leaves.size()) + " boxes"});
    for (std::size_t i = 0; i < leaves.size(); ++i)
        for (const Finding& finding : found[i])
            verdict.findings.push_back({"tree." + std::to_string(leaves[i]) + "." + finding.field, finding.message});
    if (verdict.findings.empty()) verdict.proof = machines_proof(certificate, leaves);
    return verdict;
}

}  // namespace tilewright::certificate
