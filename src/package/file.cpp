#include "package/file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/files/embedded.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_packages();  // generated

namespace package {
namespace {

const std::vector<std::string> kEinsumKinds{"contraction", "elementwise", "pooling", "statistics", "copy"};

// "4x2" is [4, 2].
std::vector<yaml::Node> items_of_pair(const yaml::Node& node) {
    if (!node.is_scalar()) return node.items();
    const std::string& text = node.text();
    const std::size_t times = text.find('x');
    if (times == std::string::npos) node.fail(ErrorCode::wrong_type, "expected two numbers, [x, y] or XxY");
    return {yaml::Node::scalar(text.substr(0, times), node), yaml::Node::scalar(text.substr(times + 1), node)};
}

std::pair<int, int> pair_of(const yaml::Node& node, std::int64_t least) {
    const std::vector<yaml::Node> items = items_of_pair(node);
    if (items.size() != 2) node.fail(ErrorCode::wrong_type, "expected two numbers, [x, y]");
    for (const yaml::Node& item : items)
        if (item.integer() < least || item.integer() > 4096)
            item.fail(ErrorCode::bad_value, "expected a number from " + std::to_string(least) + " to 4096");
    return {static_cast<int>(items[0].integer()), static_cast<int>(items[1].integer())};
}

double not_negative(const yaml::Node& node) {
    const double value = node.real();
    if (value < 0.0) node.fail(ErrorCode::bad_value, "expected 0 or more");
    return value;
}

double rate_of(const yaml::Node& node) {
    const double value = node.real();
    if (!(value > 0.0)) node.fail(ErrorCode::bad_value, "expected more than 0 words a cycle");
    return value;
}

LinkRate read_link(const yaml::Node& node) {
    node.expect_keys({"words_per_cycle", "energy", "latency"});
    LinkRate link;
    link.words_per_cycle = rate_of(node.at("words_per_cycle"));
    if (node.has("energy")) link.energy_pj = not_negative(node.at("energy"));
    if (node.has("latency")) {
        link.latency_cycles = node.at("latency").integer();
        if (link.latency_cycles < 0) node.at("latency").fail(ErrorCode::bad_value, "expected 0 or more cycles");
    }
    return link;
}

// Of a mesh whose rows run to and fro, neighbours in the order are neighbours in the mesh.
std::vector<Place> snake(const Package& package) {
    std::vector<Place> places;
    for (int y = 0; y < package.rows; ++y)
        for (int i = 0; i < package.columns; ++i) places.push_back({y % 2 == 0 ? i : package.columns - 1 - i, y});
    return places;
}

class PackageReader {
   public:
    PackageReader(const yaml::Node& node, const ArchitectureOf& architecture_of)
        : node_(node), architecture_of_(architecture_of) {}

    Package read() {
        node_.expect_keys({"name", "mesh", "chiplet", "kinds", "cores", "link", "d2d", "local", "dram", "interleave",
                           "homes", "partial_words"});
        if (node_.has("name")) package_.name = node_.at("name").text();
        std::tie(package_.columns, package_.rows) = pair_of(node_.at("mesh"), 1);
        package_.chiplet_columns = package_.columns;
        package_.chiplet_rows = package_.rows;
        if (node_.has("chiplet"))
            std::tie(package_.chiplet_columns, package_.chiplet_rows) = pair_of(node_.at("chiplet"), 1);
        package_.link = read_link(node_.at("link"));
        package_.d2d = node_.has("d2d") ? read_link(node_.at("d2d")) : package_.link;
        package_.local =
            node_.has("local") ? read_link(node_.at("local")) : LinkRate{package_.link.words_per_cycle, 0.0, 0};
        if (node_.has("partial_words")) package_.partial_words = node_.at("partial_words").positive();
        if (node_.has("kinds"))
            for (const yaml::Node::Entry& entry : node_.at("kinds").entries()) read_kind(entry.key, entry.value);
        read_cores(node_.at("cores"));
        read_drams();
        if (const std::string why = problem_with(package_); !why.empty()) node_.fail(ErrorCode::bad_value, why);
        if (package_.core_count() + package_.dram_count() > kMaxCores)
            node_.fail(ErrorCode::unsupported, "cores and DRAMs are " +
                                                   std::to_string(package_.core_count() + package_.dram_count()) +
                                                   "; at most " + std::to_string(kMaxCores) + " are supported");
        return std::move(package_);
    }

   private:
    CoreKind of_architecture(const std::string& name, const yaml::Node& at) const {
        try {
            return kind_of(name, architecture_of_(at.text()));
        } catch (const InputError& error) {
            if (!error.where().file.empty()) throw;
            at.fail(error.code(), error.message());
        }
    }

    static CoreKind simple(const std::string& name, const yaml::Node& node) {
        CoreKind kind;
        kind.name = name;
        for (const yaml::Node::Entry& entry : node.at("lanes").entries())
            kind.lanes[entry.key] = entry.value.positive();
        kind.buffer_words = node.at("buffer_words").positive();
        kind.read_pj = not_negative(node.at("read"));
        kind.write_pj = not_negative(node.at("write"));
        kind.operation_pj = not_negative(node.at("operation"));
        return kind;
    }

    void read_kind(const std::string& name, const yaml::Node& node) {
        const bool is_simple = node.has("lanes");
        if (is_simple)
            node.expect_keys(
                {"lanes", "buffer_words", "read", "write", "operation", "leak", "window", "excludes", "runs"});
        else
            node.expect_keys({"architecture", "leak", "window", "excludes", "runs"});
        CoreKind kind = is_simple ? simple(name, node) : of_architecture(name, node.at("architecture"));
        if (node.has("leak")) kind.leak_pj_per_cycle = not_negative(node.at("leak"));
        if (node.has("window")) kind.window_words = node.at("window").positive();
        if (node.has("excludes"))
            for (const yaml::Node& one : node.at("excludes").items()) kind.excluded.insert(one.text());
        if (node.has("runs"))
            for (const yaml::Node& one : node.at("runs").items()) {
                if (std::ranges::count(kEinsumKinds, one.text()) == 0)
                    one.fail(ErrorCode::unknown_name, "no einsums are '" + one.text() + "'" +
                                                          did_you_mean(one.text(), kEinsumKinds) + "; expected " +
                                                          list_words(kEinsumKinds));
                kind.only_kinds.insert(one.text());
            }
        kinds_[name] = static_cast<int>(package_.kinds.size());
        package_.kinds.push_back(std::move(kind));
    }

    int kind_at(const yaml::Node& node) {
        if (node.has("kind")) {
            const yaml::Node& name = node.at("kind");
            if (const auto found = kinds_.find(name.text()); found != kinds_.end()) return found->second;
            std::vector<std::string> known;
            for (const auto& [one, index] : kinds_) known.push_back(one);
            name.fail(ErrorCode::unknown_name, "no kind is called '" + name.text() + "'" +
                                                   did_you_mean(name.text(), known) +
                                                   (known.empty() ? "; there are no 'kinds'" : ""));
        }
        const yaml::Node& at = node.at("architecture");
        const auto [place, is_new] = kinds_.try_emplace(at.text(), static_cast<int>(package_.kinds.size()));
        if (is_new) package_.kinds.push_back(of_architecture(at.text(), at));
        return place->second;
    }

    void read_cores(const yaml::Node& node) {
        if (!node.is_map()) {
            for (const yaml::Node& one : node.items()) {
                one.expect_keys({"at", "kind", "architecture"});
                const auto [x, y] = pair_of(one.at("at"), 0);
                package_.cores.push_back({{x, y}, kind_at(one)});
            }
            return;
        }
        node.expect_keys({"at", "kind", "architecture"});
        const int kind = kind_at(node);
        const yaml::Node& at = node.at("at");
        if (at.is_scalar() && at.text() == "all") {
            for (const Place& place : snake(package_)) package_.cores.push_back({place, kind});
            return;
        }
        if (at.is_scalar()) at.fail(ErrorCode::bad_value, "expected 'all' or a list of places, [[x, y], ...]");
        for (const yaml::Node& one : at.items()) {
            const auto [x, y] = pair_of(one, 0);
            package_.cores.push_back({{x, y}, kind});
        }
    }

    void read_drams() {
        for (const yaml::Node& one : node_.at("dram").items()) {
            one.expect_keys({"at", "words_per_cycle", "read", "write"});
            const auto [x, y] = pair_of(one.at("at"), 0);
            package_.drams.push_back({{x, y},
                                      rate_of(one.at("words_per_cycle")),
                                      not_negative(one.at("read")),
                                      not_negative(one.at("write"))});
        }
        if (node_.has("interleave")) package_.interleave = node_.at("interleave").boolean();
        if (!node_.has("homes")) return;
        for (const yaml::Node::Entry& entry : node_.at("homes").entries()) {
            const std::int64_t home = entry.value.integer();
            if (home < 0 || home >= package_.dram_count())
                entry.value.fail(ErrorCode::bad_value,
                                 "there are DRAMs 0 to " + std::to_string(package_.dram_count() - 1));
            package_.homes[entry.key] = static_cast<int>(home);
        }
    }

    const yaml::Node& node_;
    const ArchitectureOf& architecture_of_;
    Package package_;
    std::map<std::string, int> kinds_;
};

std::string zoo_name(const EmbeddedFile& file) {
    const std::size_t start = file.path.rfind('/') + 1;
    return std::string(file.path.substr(start, file.path.rfind('.') - start));
}

}  // namespace

CoreKind kind_of(const std::string& name, const Architecture& architecture) {
    Architecture machine = architecture;
    if (machine.memories.size() > 1 && machine.memories.front().is_dram)
        machine.memories.erase(machine.memories.begin());
    Memory& buffer = machine.memories.front();
    const std::optional<std::int64_t> words = buffer.usable_words();
    if (buffer.is_dram || buffer.spreads_only || buffer.instances != 1 || !words)
        throw InputError(ErrorCode::unsupported, {},
                         "'" + architecture.name +
                             "' is no core: behind its DRAM it needs a memory of one instance and "
                             "limited capacity, the core's buffer");
    CoreKind kind;
    kind.name = name;
    kind.buffer_words = *words;
    const double block = static_cast<double>(buffer.block_words);
    kind.read_pj = buffer.energy.read_pj.value / block;
    kind.write_pj = buffer.energy.fill_pj.value / block;
    kind.operation_pj = machine.compute.energy_pj.value;
    buffer.capacity_words.reset();
    kind.architecture = std::move(machine);
    return kind;
}

Package read_package(const yaml::Node& root, const ArchitectureOf& architecture_of) {
    return PackageReader(root.at("package"), architecture_of).read();
}

std::vector<ZooPackage> zoo_packages() {
    std::vector<ZooPackage> all;
    for (const EmbeddedFile& file : embedded_packages())
        all.push_back({zoo_name(file), std::string(file.text.substr(2, file.text.find('\n') - 2))});
    std::ranges::sort(all, {}, &ZooPackage::name);
    return all;
}

bool is_zoo_package(std::string_view name) {
    return std::ranges::any_of(embedded_packages(), [&](const EmbeddedFile& file) { return zoo_name(file) == name; });
}

std::string_view zoo_package_file(std::string_view name) {
    std::vector<std::string> known;
    for (const EmbeddedFile& file : embedded_packages()) {
        if (zoo_name(file) == name) return file.text;
        known.push_back(zoo_name(file));
    }
    std::ranges::sort(known);
    throw InputError(ErrorCode::unknown_name, {},
                     "no package is called '" + std::string(name) + "'" + did_you_mean(name, known) + "; there are " +
                         list_words(known) + ", and files");
}

}  // namespace package
}  // namespace tilewright
