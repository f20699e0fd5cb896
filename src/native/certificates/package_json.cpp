#include "native/certificates/package_json.hpp"

#include <cmath>

namespace tilewright::native {
namespace {

using package::CoreKind;
using package::LinkRate;
using package::Package;
using package::Place;

constexpr int kMostRouters = 4096;
constexpr std::int64_t kMostLatency = std::int64_t{1} << 31;  // cycles of a link
constexpr std::int64_t kMostPartial = 1024;                   // words of a partial sum
constexpr double kLeastRate = 1e-6;                           // words a cycle

Json json_of_place(const Place& at) { return Json::array({at.x, at.y}); }

std::int64_t at_most(const yaml::Node& node, std::int64_t least, std::int64_t most) {
    const std::int64_t value = node.integer();
    if (value < least || value > most)
        node.fail(ErrorCode::bad_value,
                  "expected a number from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

Place place_of(const yaml::Node& node) {
    if (list_of(node).size() != 2) node.fail(ErrorCode::bad_value, "expected two numbers, along x and y");
    return {static_cast<int>(at_most(node.items()[0], 0, kMostRouters)),
            static_cast<int>(at_most(node.items()[1], 0, kMostRouters))};
}

double amount_of(const yaml::Node& node) {
    double amount = 0.0;
    Reader::read(node, amount);
    if (!(amount >= 0.0) || !std::isfinite(amount))
        node.fail(ErrorCode::bad_value, "expected a finite number of at least 0");
    return amount;
}

double rate_in(const yaml::Node& node) {
    const double rate = amount_of(node);
    if (rate < kLeastRate) node.fail(ErrorCode::bad_value, "expected a rate of at least 0.000001 words a cycle");
    return rate;
}

Json json_of_rate(const LinkRate& rate) {
    return {{"words_per_cycle", rate.words_per_cycle},
            {"energy_pj", rate.energy_pj},
            {"latency_cycles", rate.latency_cycles}};
}

LinkRate rate_of(const yaml::Node& node) {
    node.expect_keys({"words_per_cycle", "energy_pj", "latency_cycles"});
    return {rate_in(node.at("words_per_cycle")), amount_of(node.at("energy_pj")),
            at_most(node.at("latency_cycles"), 0, kMostLatency)};
}

Json json_of_kind(const CoreKind& kind) {
    Json json = {{"name", kind.name},
                 {"buffer_words", kind.buffer_words},
                 {"read_pj", kind.read_pj},
                 {"write_pj", kind.write_pj},
                 {"operation_pj", kind.operation_pj},
                 {"leak_pj_per_cycle", kind.leak_pj_per_cycle},
                 {"window_words", kind.window_words},
                 {"excluded", kind.excluded},
                 {"only_kinds", kind.only_kinds}};
    if (kind.architecture)
        json["architecture"] = native::json_of(*kind.architecture);
    else
        json["lanes"] = kind.lanes;
    return json;
}

void read_names(const yaml::Node& list, std::set<std::string>& names) {
    for (const yaml::Node& one : list_of(list)) names.insert(one.text());
}

CoreKind kind_of(const yaml::Node& node) {
    node.expect_keys({"name", "buffer_words", "read_pj", "write_pj", "operation_pj", "leak_pj_per_cycle",
                      "window_words", "excluded", "only_kinds", "architecture", "lanes"});
    CoreKind kind;
    kind.name = node.at("name").text();
    kind.buffer_words = node.at("buffer_words").positive();
    kind.read_pj = amount_of(node.at("read_pj"));
    kind.write_pj = amount_of(node.at("write_pj"));
    kind.operation_pj = amount_of(node.at("operation_pj"));
    kind.leak_pj_per_cycle = amount_of(node.at("leak_pj_per_cycle"));
    kind.window_words = node.at("window_words").positive();
    read_names(node.at("excluded"), kind.excluded);
    read_names(node.at("only_kinds"), kind.only_kinds);
    if (const yaml::Node* const machine = node.find("architecture")) {
        kind.architecture = architecture_of(*machine);
        if (kind.architecture->memories.empty())
            machine->fail(ErrorCode::bad_value, "expected a machine with a memory, the core's buffer");
    } else {
        for (const yaml::Node::Entry& lanes : node.at("lanes").entries())
            kind.lanes[lanes.key] = lanes.value.positive();
    }
    return kind;
}

int index_of(const yaml::Node& node, std::size_t count) {
    return static_cast<int>(at_most(node, 0, static_cast<std::int64_t>(count) - 1));
}

void read_nodes(const yaml::Node& node, Package& package) {
    for (const yaml::Node& one : list_of(node.at("kinds"))) package.kinds.push_back(kind_of(one));
    for (const yaml::Node& one : list_of(node.at("cores"))) {
        one.expect_keys({"at", "kind"});
        package.cores.push_back({place_of(one.at("at")), index_of(one.at("kind"), package.kinds.size())});
    }
    for (const yaml::Node& one : list_of(node.at("drams"))) {
        one.expect_keys({"at", "words_per_cycle", "read_pj", "write_pj"});
        package::Dram& dram = package.drams.emplace_back();
        dram.at = place_of(one.at("at"));
        dram.words_per_cycle = rate_in(one.at("words_per_cycle"));
        dram.read_pj = amount_of(one.at("read_pj"));
        dram.write_pj = amount_of(one.at("write_pj"));
    }
    Reader::read(node.at("interleave"), package.interleave);
    for (const yaml::Node::Entry& home : node.at("homes").entries())
        package.homes[home.key] = index_of(home.value, package.drams.size());
}

}  // namespace

Json json_of(const Package& package) {
    Json json;
    json["name"] = package.name;
    json["mesh"] = json_of_place({package.columns, package.rows});
    json["chiplet"] = json_of_place({package.chiplet_columns, package.chiplet_rows});
    json["link"] = json_of_rate(package.link);
    json["d2d"] = json_of_rate(package.d2d);
    json["local"] = json_of_rate(package.local);
    json["partial_words"] = package.partial_words;
    json["kinds"] = Json::array();
    for (const CoreKind& kind : package.kinds) json["kinds"].push_back(json_of_kind(kind));
    json["cores"] = Json::array();
    for (const package::Core& core : package.cores)
        json["cores"].push_back({{"at", json_of_place(core.at)}, {"kind", core.kind}});
    json["drams"] = Json::array();
    for (const package::Dram& dram : package.drams)
        json["drams"].push_back({{"at", json_of_place(dram.at)},
                                 {"words_per_cycle", dram.words_per_cycle},
                                 {"read_pj", dram.read_pj},
                                 {"write_pj", dram.write_pj}});
    json["interleave"] = package.interleave;
    json["homes"] = package.homes.empty() ? Json::object() : Json(package.homes);
    return json;
}

Package package_of(const yaml::Node& node) {
    node.expect_keys({"name", "mesh", "chiplet", "link", "d2d", "local", "partial_words", "kinds", "cores", "drams",
                      "interleave", "homes"});
    Package package;
    package.name = node.at("name").text();
    const Place mesh = place_of(node.at("mesh"));
    const Place chiplet = place_of(node.at("chiplet"));
    if (std::int64_t{mesh.x} * mesh.y > kMostRouters)
        node.at("mesh").fail(ErrorCode::bad_value, "expected at most " + std::to_string(kMostRouters) + " routers");
    package.columns = mesh.x;
    package.rows = mesh.y;
    package.chiplet_columns = chiplet.x;
    package.chiplet_rows = chiplet.y;
    package.link = rate_of(node.at("link"));
    package.d2d = rate_of(node.at("d2d"));
    package.local = rate_of(node.at("local"));
    package.partial_words = at_most(node.at("partial_words"), 1, kMostPartial);
    read_nodes(node, package);
    if (const std::string problem = package::problem_with(package); !problem.empty())
        node.fail(ErrorCode::bad_value, problem);
    return package;
}

std::string difference(const Package& package, const Package& other) {
    const Json one = json_of(package);
    const Json two = json_of(other);
    for (const auto& [key, value] : one.items()) {
        if (key == "name" || value == two.at(key)) continue;
        for (std::size_t i = 0; value.is_array() && value.size() == two.at(key).size() && i < value.size(); ++i)
            if (value[i] != two.at(key)[i]) return key + "." + std::to_string(i) + " differs";
        return key + " differs";
    }
    return "";
}

}  // namespace tilewright::native
