#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tiles/files/read_rules.hpp"

namespace tilewright::tiles {
namespace {

std::vector<std::int64_t> row_of(const yaml::Node& node) {
    std::vector<std::int64_t> row;
    for (const yaml::Node& number : node.items()) row.push_back(number.integer());
    return row;
}

void read_quality(const yaml::Node& node, Machine& machine) {
    for (const yaml::Node& item : node.items()) {
        item.expect_keys({"of", "time", "rows"});
        const double time = item.at("time").real();
        if (time <= 0.0) item.at("time").fail(ErrorCode::bad_value, "expected a number above 0");
        if (!machine.quality.emplace(row_of(item.at("of")), Quality{time, item.at("rows").positive()}).second)
            item.fail(ErrorCode::duplicate_key, "this code has a quality already");
    }
}

}  // namespace

Machine read_machine(const yaml::Node& document) {
    document.expect_keys(
        {"version", "machine", "source", "like", "numbers", "kernels", "quality", "unmeasured", "prior", "measured"});
    if (document.at("version").integer() != 1)
        document.at("version").fail(ErrorCode::unsupported, "version 1 of machines is known");
    Machine machine;
    machine.name = document.at("machine").text();
    if (const yaml::Node* like = document.find("like")) machine.like = like->text();
    if (const yaml::Node* numbers = document.find("numbers"))
        for (const yaml::Node::Entry& entry : numbers->entries()) machine.numbers[entry.key] = entry.value.real();
    if (const yaml::Node* kernels = document.find("kernels"))
        for (const yaml::Node& item : kernels->items()) machine.kernels.push_back(row_of(item));
    if (const yaml::Node* quality = document.find("quality")) read_quality(*quality, machine);
    if (const yaml::Node* unmeasured = document.find("unmeasured")) machine.unmeasured = unmeasured->real();
    if (const yaml::Node* prior = document.find("prior")) machine.prior = prior->real();
    if (const yaml::Node* measured = document.find("measured")) {
        measured->expect_keys({"rows", "median_error"});
        machine.measured_rows = measured->at("rows").positive();
        machine.measured_error = measured->at("median_error").real();
    }
    return machine;
}

std::string machine_text(const Machine& machine, const std::string& source) {
    std::string text = fmt::format("version: 1\nmachine: {}\nsource: {}\nnumbers:\n", machine.name, source);
    for (const auto& [name, number] : machine.numbers) text += fmt::format("  {}: {}\n", name, number);
    if (!machine.kernels.empty()) text += "kernels:\n";
    for (const std::vector<std::int64_t>& row : machine.kernels) text += fmt::format("- [{}]\n", fmt::join(row, ", "));
    if (!machine.quality.empty()) text += "quality:\n";
    for (const auto& [key, quality] : machine.quality)
        text +=
            fmt::format("- {{of: [{}], time: {:.3f}, rows: {}}}\n", fmt::join(key, ", "), quality.time, quality.rows);
    if (machine.unmeasured != 1.0) text += fmt::format("unmeasured: {}\n", machine.unmeasured);
    if (machine.prior != 0.0) text += fmt::format("prior: {}\n", machine.prior);
    if (machine.measured_rows > 0)
        text += fmt::format("measured: {{rows: {}, median_error: {:.3f}}}\n", machine.measured_rows,
                            machine.measured_error);
    return text;
}

Machine merged(Machine base, const Machine& over) {
    base.name = over.name;
    base.like = "";
    for (const auto& [name, number] : over.numbers) base.numbers[name] = number;
    if (!over.kernels.empty()) base.kernels = over.kernels;
    if (!over.quality.empty()) {
        base.quality = over.quality;
        base.unmeasured = over.unmeasured;
        base.prior = over.prior;
    }
    if (over.measured_rows > 0) {
        base.measured_rows = over.measured_rows;
        base.measured_error = over.measured_error;
    }
    return base;
}

}  // namespace tilewright::tiles
