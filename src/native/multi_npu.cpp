#include "native/multi_npu.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/files/embedded.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_multi_npus();  // generated

namespace native {
namespace {

std::string name_of(const EmbeddedFile& file) {
    const std::size_t start = file.path.rfind('/') + 1;
    return std::string(file.path.substr(start, file.path.rfind('.') - start));
}

std::string first_line(std::string_view text) { return std::string(text.substr(2, text.find('\n') - 2)); }

void read_dma(const yaml::Node& node, schedule::MultiNpu& machine) {
    node.expect_keys({"channels", "bytes_per_cycle"});
    if (node.has("channels")) machine.dma_channels = node.at("channels").positive();
    machine.bytes_per_cycle = node.at("bytes_per_cycle").positive();
}

void read_element_bytes(const yaml::Node& node, schedule::ElementBytes& bytes) {
    node.expect_keys({"input", "weight", "output", "partial_sum"});
    if (node.has("input")) bytes.input = node.at("input").positive();
    if (node.has("weight")) bytes.weight = node.at("weight").positive();
    if (node.has("output")) bytes.output = node.at("output").positive();
    if (node.has("partial_sum")) bytes.partial_sum = node.at("partial_sum").positive();
}

schedule::LatencyExpression read_latency(const yaml::Node& node) {
    try {
        return schedule::LatencyExpression(node.text());
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        node.fail(ErrorCode::bad_value, error.message());
    }
}

void read_core(const yaml::Node& node, schedule::MultiNpu& machine) {
    schedule::CoreArray& array = machine.array;
    node.expect_keys({"array", "fill_cycles", "latency", "architecture"});
    const yaml::Node& sides = node.at("array");
    sides.expect_keys({"in_channels", "out_channels"});
    array.in_channels = sides.at("in_channels").positive();
    array.out_channels = sides.at("out_channels").positive();
    if (node.has("latency")) {
        if (node.has("fill_cycles"))
            node.at("fill_cycles").fail(ErrorCode::bad_value, "'latency' says all of it: leave out 'fill_cycles'");
        machine.latency = read_latency(node.at("latency"));
    }
    if (node.has("architecture")) {
        for (const char* other : {"latency", "fill_cycles"})
            if (node.has(other))
                node.at(other).fail(
                    ErrorCode::bad_value,
                    std::string("'architecture' says how long an operation takes: leave out '") + other + "'");
        if (node.at("architecture").text().empty())
            node.at("architecture").fail(ErrorCode::bad_value, "expected a machine's name or file");
        machine.mapped = schedule::MappedLatency(node.at("architecture").text());
    }
    if (!node.has("fill_cycles")) return;
    array.fill_cycles = node.at("fill_cycles").integer();
    if (array.fill_cycles < 0) node.at("fill_cycles").fail(ErrorCode::bad_value, "expected 0 or more cycles");
}

const EmbeddedFile& zoo_entry(std::string_view name) {
    std::vector<std::string> known;
    for (const EmbeddedFile& file : embedded_multi_npus()) {
        if (name_of(file) == name) return file;
        known.push_back(name_of(file));
    }
    std::sort(known.begin(), known.end());
    throw InputError(ErrorCode::unknown_name, {},
                     "no machine with several cores is called '" + std::string(name) + "'" + did_you_mean(name, known) +
                         "; there are " + list_words(known) + ", and files");
}

}  // namespace

schedule::MultiNpu read_multi_npu(const yaml::Node& root) {
    const yaml::Node& node = root.at("multi_npu");
    node.expect_keys({"name", "cores", "scratchpad_bytes", "dma", "element_bytes", "core"});
    schedule::MultiNpu machine;
    machine.name = node.at("name").text();
    machine.cores = node.at("cores").positive();
    machine.scratchpad_bytes = node.at("scratchpad_bytes").positive();
    read_dma(node.at("dma"), machine);
    if (node.has("element_bytes")) read_element_bytes(node.at("element_bytes"), machine.element_bytes);
    read_core(node.at("core"), machine);
    const std::string wrong = problem_with(machine);
    if (!wrong.empty()) node.fail(ErrorCode::bad_value, wrong);
    return machine;
}

std::vector<ZooMultiNpu> zoo_multi_npus() {
    std::vector<ZooMultiNpu> machines;
    for (const EmbeddedFile& file : embedded_multi_npus()) machines.push_back({name_of(file), first_line(file.text)});
    std::sort(machines.begin(), machines.end(),
              [](const ZooMultiNpu& a, const ZooMultiNpu& b) { return a.name < b.name; });
    return machines;
}

schedule::MultiNpu zoo_multi_npu(std::string_view name) {
    const EmbeddedFile& file = zoo_entry(name);
    return read_multi_npu(yaml::parse_text(file.text, std::string(file.path)));
}

std::string_view zoo_multi_npu_file(std::string_view name) { return zoo_entry(name).text; }

}  // namespace native
}  // namespace tilewright
