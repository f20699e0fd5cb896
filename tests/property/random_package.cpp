#include "random_package.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "package/plan_text.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::property {
namespace {

std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
    return values[random.below(values.size())];
}

// The text of a cascade, layer by layer.
class CascadeText {
   public:
    explicit CascadeText(Random& random) : random_(random) {}

    std::string draw() {
        switch (random_.below(5)) {
            case 0: return products();
            case 1: return attention();
            case 2: return gated();
            default: return windows();
        }
    }

   private:
    static std::string n(std::int64_t value) { return std::to_string(value); }

    std::string products() {
        const std::int64_t layers = random_.between(1, 3);
        std::string sizes = "size m=" + n(random_.between(1, 5));
        std::string text;
        for (std::int64_t i = 0; i <= layers; ++i) sizes += ", k" + n(i) + "=" + n(random_.between(1, 5));
        for (std::int64_t i = 1; i <= layers; ++i)
            text += "e" + n(i) + ": T" + n(i) + "[m,k" + n(i) + "] += T" + n(i - 1) + "[m,k" + n(i - 1) + "] * W" +
                    n(i) + "[k" + n(i - 1) + ",k" + n(i) + "];\n";
        return sizes + ";\n" + text;
    }

    std::string attention() {
        return "size m=" + n(random_.between(2, 4)) + ", l=" + n(random_.between(2, 4)) +
               ", e=2, d=2, f=" + n(random_.between(1, 3)) +
               ";\nkeys: K[l,e] += X[l,d] * WK[d,e];\nscores: S[m,l] += Q[m,e] * K[l,e];\n" +
               (random_.chance(0.5) ? "soft: P[m,l] = exp(S[m,l]);\nmix: O[m,f] += P[m,l] * V[l,f];\n"
                                    : "mix: O[m,f] += S[m,l] * V[l,f];\n");
    }

    std::string gated() {
        return "size m=" + n(random_.between(2, 4)) + ", d=" + n(random_.between(2, 3)) +
               ", h=" + n(random_.between(2, 4)) +
               ";\ngate: G[m,h] += X[m,d] * WG[d,h];\nup: U[m,h] += X[m,d] * WU[d,h];\nmul: Y[m,h] = G[m,h] * "
               "U[m,h];\n" +
               (random_.chance(0.5) ? "down: Z[m,d] += Y[m,h] * WD[h,d];\nout: R[m,d] = Z[m,d] + X[m,d];\n" : "");
    }

    // Channels and rows; kernels with stride and padding; sometimes what came in is added again.
    std::string windows() {
        const std::int64_t layers = random_.between(1, 3);
        std::int64_t channels = random_.between(1, 3);
        std::int64_t rows = random_.between(3, 8);
        const std::int64_t first_channels = channels;
        const std::int64_t first_rows = rows;
        std::string text = "input T0[" + n(channels) + "," + n(rows) + "];\n";
        std::string body;
        for (std::int64_t i = 1; i <= layers; ++i) {
            const std::int64_t kernel = random_.between(1, 3);
            const std::int64_t stride = rows > 4 ? random_.between(1, 2) : 1;
            const std::int64_t padding = kernel > 1 ? random_.between(0, kernel / 2) : 0;
            const std::int64_t out = (rows + 2 * padding - kernel) / stride + 1;
            if (out < 1) break;
            const bool depthwise = random_.chance(0.3);
            const std::int64_t made = depthwise ? channels : random_.between(1, 3);
            const std::string c = "c" + n(i);
            const std::string from = depthwise ? c : "b" + n(i);
            text += "size p" + n(i) + "=" + n(out) + ", r" + n(i) + "=" + n(kernel) + ", " + c + "=" + n(made) +
                    (depthwise ? "" : ", " + from + "=" + n(channels)) + ";\n";
            text += "tensor T" + n(i) + "[" + n(made) + "," + n(out) + "];\n";
            body += "e" + n(i) + ": T" + n(i) + "[" + c + ",p" + n(i) + "] += T" + n(i - 1) + "[" + from + "," +
                    (stride > 1 ? n(stride) : "") + "p" + n(i) + "+r" + n(i) + (padding > 0 ? "-" + n(padding) : "") +
                    "] * W" + n(i) + "[" + c + (depthwise ? "" : "," + from) + ",r" + n(i) + "];\n";
            channels = made;
            rows = out;
            last_ = i;
        }
        const std::string last = "T" + n(last_);
        if (last_ > 0 && random_.chance(0.5)) {
            const bool fits = channels == first_channels && rows == first_rows;
            text += "size x=" + n(channels) + ", y=" + n(rows) + ";\n";
            body += "add: R[x,y] = " + last + "[x,y] + " + (fits ? "T0" : "S") + "[x,y];\n";
        }
        return text + body;
    }

    Random& random_;
    std::int64_t last_ = 0;
};

package::LinkRate random_link(Random& random, std::int64_t slow) {
    return {static_cast<double>(pick(random, {1, 2, 4})), static_cast<double>(pick(random, {0, 1, 3}) * slow),
            pick(random, {0, 1, 2}) * slow};
}

package::CoreKind random_kind(Random& random, const Cascade& cascade, const std::string& name) {
    package::CoreKind kind;
    kind.name = name;
    std::int64_t words = 0;
    for (const CascadeTensor& tensor : cascade.tensors) words += words_of(tensor);
    for (const CascadeEinsum& einsum : cascade.einsums)
        for (const Dimension& dimension : einsum.einsum.dimensions)
            if (random.chance(0.4)) kind.lanes[dimension.name] = pick(random, {1, 2, 4});
    kind.buffer_words = std::max<std::int64_t>(4, words * pick(random, {4, 6, 10, 20, 30}) / 10);
    kind.read_pj = static_cast<double>(random.between(1, 2));
    kind.write_pj = static_cast<double>(random.between(1, 3));
    kind.operation_pj = static_cast<double>(random.between(1, 5));
    kind.leak_pj_per_cycle = random.chance(0.3) ? 1.0 : 0.0;
    kind.window_words = pick(random, {1, 2, 4});
    if (random.chance(0.1)) kind.excluded.insert(cascade.einsums[random.below(cascade.einsums.size())].name);
    return kind;
}

package::Package random_package(Random& random, const Cascade& cascade) {
    package::Package package;
    package.columns = static_cast<int>(random.between(1, 3));
    package.rows = static_cast<int>(random.between(1, 2));
    package.chiplet_columns = static_cast<int>(random.between(1, package.columns));
    package.chiplet_rows = static_cast<int>(random.between(1, package.rows));
    package.link = random_link(random, 1);
    package.d2d = random_link(random, 3);
    package.local = random_link(random, 1);
    package.partial_words = random.between(1, 2);
    package.kinds.push_back(random_kind(random, cascade, "a"));
    if (random.chance(0.4)) package.kinds.push_back(random_kind(random, cascade, "b"));
    const auto place = [&] {
        return package::Place{static_cast<int>(random.between(0, package.columns - 1)),
                              static_cast<int>(random.between(0, package.rows - 1))};
    };
    for (std::int64_t cores = random.between(1, 6); cores > 0; --cores)
        package.cores.push_back({place(), static_cast<int>(random.below(package.kinds.size()))});
    for (std::int64_t drams = random.between(1, 3); drams > 0; --drams)
        package.drams.push_back({place(), static_cast<double>(pick(random, {1, 2, 8})),
                                 static_cast<double>(random.between(5, 50)),
                                 static_cast<double>(random.between(5, 50))});
    package.interleave = random.chance(0.5);
    if (!package.interleave)
        for (const CascadeTensor& tensor : cascade.tensors)
            package.homes[tensor.name] = static_cast<int>(random.below(package.drams.size()));
    return package;
}

package::Stage random_stage(Random& random, const PackageProblem& problem, int einsum, int first) {
    const CascadeEinsum& one = problem.cascade.einsums[einsum];
    package::Stage stage;
    std::int64_t parts = 1;
    const auto dimensions = static_cast<std::int64_t>(one.einsum.dimensions.size());
    for (int tries = 0; tries < 3; ++tries) {
        const package::Split split{static_cast<int>(random.between(0, dimensions - 1)), random.between(2, 3)};
        const bool is_new = std::ranges::none_of(
            stage.split, [&](const package::Split& other) { return other.dimension == split.dimension; });
        const bool fits = one.einsum.dimensions[split.dimension].extent >= split.parts || random.chance(0.05);
        if (!is_new || !fits || parts * split.parts > problem.package.core_count() || random.chance(0.3)) continue;
        stage.split.push_back(split);
        parts *= split.parts;
    }
    std::vector<int> cores(problem.package.cores.size());
    std::iota(cores.begin(), cores.end(), 0);
    for (std::size_t i = cores.size(); i > 1; --i) std::swap(cores[i - 1], cores[random.below(i)]);
    stage.team.assign(cores.begin(), cores.begin() + parts);
    for (int operand = 0; operand < one.einsum.tensor_count(); ++operand) {
        if (one.einsum.tensors[operand].written) continue;
        bool inside = false;
        for (int e = first; e < einsum; ++e) {
            const CascadeEinsum& other = problem.cascade.einsums[e];
            inside = inside || other.accesses[package::result_operand(other)].tensor == one.accesses[operand].tensor;
        }
        if (random.chance(inside ? 0.01 : 0.3)) stage.streamed |= 1U << operand;
    }
    const std::vector<int> axes = package::result_dimensions(one);
    if (random.chance(0.6))
        stage.sums = {random.chance(0.5) ? package::Sums::Way::ring : package::Sums::Way::scatter,
                      static_cast<int>(random.below(axes.size()))};
    return stage;
}

}  // namespace

PackageProblem random_package_problem(Random& random) {
    PackageProblem problem;
    problem.text = CascadeText(random).draw();
    problem.cascade = parse_cascade(problem.text);
    if (problem.cascade.einsum_count() > 1 && random.chance(0.1)) {
        const CascadeEinsum& einsum = problem.cascade.einsums[random.below(problem.cascade.einsums.size())];
        problem.cascade.tensors[einsum.accesses[package::result_operand(einsum)].tensor].role = TensorRole::output;
    }
    problem.package = random_package(random, problem.cascade);
    return problem;
}

package::Plan random_package_plan(Random& random, const PackageProblem& problem) {
    package::Plan plan;
    const int count = problem.cascade.einsum_count();
    for (int first = 0; first < count;) {
        package::Run run;
        run.first = first;
        run.last = random.chance(0.6) ? count - 1 : static_cast<int>(random.between(first, count - 1));
        const CascadeEinsum& last = problem.cascade.einsums[run.last];
        const std::vector<int> axes = package::result_dimensions(last);
        run.axis = static_cast<int>(random.below(axes.size()));
        const std::int64_t extent = last.einsum.dimensions[axes[run.axis]].extent;
        run.step = random.chance(0.3) ? extent : random.between(1, extent);
        for (int e = run.first; e <= run.last; ++e) run.stages.push_back(random_stage(random, problem, e, first));
        first = run.last + 1;
        plan.runs.push_back(std::move(run));
    }
    return plan;
}

}  // namespace tilewright::property
