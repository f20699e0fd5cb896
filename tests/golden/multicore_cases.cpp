#include "golden/multicore_cases.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "package/plan_text.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;

package::LinkRate link_of(const json& one) {
    return {one.at("rate").get<double>(), one.at("pj").get<double>(), one.at("cycles").get<std::int64_t>()};
}

package::CoreKind kind_of(const std::string& name, const json& one) {
    package::CoreKind kind;
    kind.name = name;
    kind.lanes = one.at("lanes").get<std::map<std::string, std::int64_t>>();
    kind.buffer_words = one.at("capacity");
    kind.read_pj = one.at("read");
    kind.write_pj = one.at("write");
    kind.operation_pj = one.at("op");
    kind.leak_pj_per_cycle = one.value("leak", 0);
    kind.window_words = one.value("window", 1);
    if (one.contains("cannot")) kind.excluded = one.at("cannot").get<std::set<std::string>>();
    return kind;
}

package::Package package_of(const json& one) {
    package::Package package;
    package.columns = one.at("mesh")[0];
    package.rows = one.at("mesh")[1];
    package.chiplet_columns = one.at("chiplet")[0];
    package.chiplet_rows = one.at("chiplet")[1];
    package.link = link_of(one.at("link"));
    package.d2d = link_of(one.at("d2d"));
    package.local = link_of(one.at("local"));
    package.partial_words = one.value("partial_words", 1);
    std::map<std::string, int> kinds;
    for (const auto& [name, kind] : one.at("kinds").items()) {
        kinds[name] = static_cast<int>(package.kinds.size());
        package.kinds.push_back(kind_of(name, kind));
    }
    for (const json& core : one.at("cores"))
        package.cores.push_back({{core.at("at")[0], core.at("at")[1]}, kinds.at(core.at("kind"))});
    for (const json& dram : one.at("drams"))
        package.drams.push_back(
            {{dram.at("at")[0], dram.at("at")[1]}, dram.at("rate"), dram.at("read"), dram.at("write")});
    package.interleave = one.value("interleave", false);
    if (one.contains("homes")) package.homes = one.at("homes").get<std::map<std::string, int>>();
    return package;
}

CascadeEinsum einsum_of(const json& one, const json& extents, const Cascade& cascade) {
    CascadeEinsum einsum;
    einsum.name = one.at("name");
    einsum.einsum.name = einsum.name;
    for (const json& dimension : one.at("dims"))
        einsum.einsum.dimensions.push_back({dimension, extents.at(dimension.get<std::string>())});
    const auto add = [&](const std::string& tensor, const std::vector<std::map<std::string, std::int64_t>>& axes,
                         const std::vector<std::int64_t>& plus, bool written) {
        Access access{find_tensor(cascade, tensor), {}, false};
        Tensor operand{tensor, {}, written};
        for (std::size_t a = 0; a < axes.size(); ++a) {
            Coordinate at{{}, plus[a]};
            for (const auto& [dimension, coefficient] : axes[a])
                at.terms.push_back({find_dimension(einsum.einsum, dimension), coefficient});
            operand.ranks.push_back({at.terms});
            access.coordinates.push_back(std::move(at));
        }
        einsum.einsum.tensors.push_back(std::move(operand));
        einsum.accesses.push_back(std::move(access));
    };
    for (const json& operand : one.at("operands"))
        add(operand.at("tensor"), operand.at("axes"), operand.at("plus"), false);
    std::vector<std::map<std::string, std::int64_t>> axes;
    for (const json& axis : one.at("axes")) axes.push_back({{axis, 1}});
    add(one.at("result"), axes, std::vector<std::int64_t>(axes.size(), 0), true);
    return einsum;
}

}  // namespace

PackageCase read_package_case(const json& one) {
    PackageCase read;
    read.name = one.value("name", "");
    read.cascade.name = read.name;
    const auto outside = one.at("outside").get<std::set<std::string>>();
    for (const auto& [name, shape] : one.at("tensors").items())
        read.cascade.tensors.push_back({name, TensorRole::input, shape.get<std::vector<std::int64_t>>()});
    for (const json& einsum : one.at("einsums")) {
        const std::string result = einsum.at("result");
        read.cascade.tensors[find_tensor(read.cascade, result)].role =
            outside.contains(result) ? TensorRole::output : TensorRole::intermediate;
        read.cascade.einsums.push_back(einsum_of(einsum, one.at("dims"), read.cascade));
    }
    read.package = package_of(one.at("package"));
    return read;
}

package::Run read_run(const json& one, const Cascade& cascade) {
    package::Run run;
    run.first = one.at("first");
    run.last = one.at("last");
    const auto axis_of = [&](const CascadeEinsum& einsum, const std::string& dimension) {
        const std::vector<int> axes = package::result_dimensions(einsum);
        const auto found = std::ranges::find(axes, find_dimension(einsum.einsum, dimension));
        return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
    };
    run.axis = axis_of(cascade.einsums[run.last], one.at("step").at("dim"));
    run.step = one.at("step").at("size");
    for (const json& given : one.at("stages")) {
        const CascadeEinsum& einsum = cascade.einsums[run.first + static_cast<int>(run.stages.size())];
        package::Stage stage;
        stage.team = given.at("team").get<std::vector<int>>();
        for (const json& split : given.at("split"))
            stage.split.push_back({find_dimension(einsum.einsum, split[0].get<std::string>()), split[1]});
        for (const json& operand : given.at("streamed")) stage.streamed |= 1U << operand.get<int>();
        const std::string way = given.value("reduce", "root");
        if (way.starts_with("ring:"))
            stage.sums = {package::Sums::Way::ring, axis_of(einsum, way.substr(5))};
        else if (way != "root")
            stage.sums = {package::Sums::Way::scatter, axis_of(einsum, way)};
        run.stages.push_back(std::move(stage));
    }
    return run;
}

std::vector<package::Run> read_runs(const json& plan, const Cascade& cascade) {
    std::vector<package::Run> runs;
    for (const json& one : plan.at("segments")) runs.push_back(read_run(one, cascade));
    return runs;
}

json counts_of(const multicore::Cost& cost, const std::vector<std::vector<std::int64_t>>& slots) {
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    return {{"energy", whole(cost.energy.total())},
            {"cycles", cost.cycles},
            {"operations", cost.counts.operations},
            {"leaf_reads", cost.counts.leaf_reads},
            {"leaf_writes", cost.counts.leaf_writes},
            {"sends", cost.counts.sends},
            {"arrivals", cost.counts.arrivals},
            {"partials", cost.counts.partials},
            {"dram_reads", cost.counts.dram_reads},
            {"dram_writes", cost.counts.dram_writes},
            {"link_words", cost.counts.link_words},
            {"link_pj", whole(cost.energy.links + cost.energy.d2d)},
            {"peak", cost.peak},
            {"slots", slots}};
}

json counts_of_runs(const multicore::Evaluator& evaluator, const std::vector<package::Run>& runs) {
    json sum;
    for (const package::Run& run : runs) {
        const multicore::Evaluated one = evaluator.run(run);
        if (!one) return {{"refused", std::string(to_text(one.refused))}};
        std::vector<std::int64_t> lengths;
        for (const multicore::Slot& slot : one.cost.slots) lengths.push_back(slot.cycles);
        json counts = counts_of(one.cost, {lengths});
        if (sum.is_null()) {
            sum = std::move(counts);
            continue;
        }
        for (auto& [key, value] : sum.items()) {
            if (key == "slots")
                value.push_back(lengths);
            else if (key == "peak")
                for (std::size_t core = 0; core < value.size(); ++core)
                    value[core] = std::max(value[core].get<std::int64_t>(), one.cost.peak[core]);
            else
                value = value.get<std::int64_t>() + counts.at(key).get<std::int64_t>();
        }
    }
    return sum;
}

}  // namespace tilewright::golden
