#include "native/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>

#include "base/numbers/checked.hpp"
#include "native/problem_json.hpp"

namespace tilewright::schedule {

// Found by the archives through the values' namespace.
void fields(yaml::Archive& archive, Kept& kept) {
    archive("input", kept.input);
    archive("output", kept.output);
    archive("below_bytes", kept.below_bytes);
    archive("above_bytes", kept.above_bytes);
}

void fields(yaml::Archive& archive, WordBits& bits) {
    archive("input", bits.input);
    archive("weight", bits.weight);
    archive("output", bits.output);
    archive("partial_sum", bits.partial_sum);
}

void fields(yaml::Archive& archive, ConvLayer& layer) {
    archive("out_w", layer.out_w);
    archive("out_h", layer.out_h);
    archive("in_c", layer.in_c);
    archive("out_c", layer.out_c);
    archive("kernel_w", layer.kernel_w);
    archive("kernel_h", layer.kernel_h);
    archive("stride_w", layer.stride_w);
    archive("stride_h", layer.stride_h);
    archive("dilation_w", layer.dilation_w);
    archive("dilation_h", layer.dilation_h);
    archive.where(layer.bits.given(), "bits", layer.bits);  // default: the machine's element widths
    // Only with kept tensors.
    archive.where(!(layer.kept == Kept{}), "kept", layer.kept);
}

void fields(yaml::Archive& archive, PerDim& tiling) {
    archive("ow", tiling[Dim::out_w]);
    archive("oh", tiling[Dim::out_h]);
    archive("ic", tiling[Dim::in_c]);
    archive("oc", tiling[Dim::out_c]);
}

void fields(yaml::Archive& archive, ElementBytes& bytes) {
    archive("input", bytes.input);
    archive("weight", bytes.weight);
    archive("output", bytes.output);
    archive("partial_sum", bytes.partial_sum);
}

void fields(yaml::Archive& archive, CoreArray& array) {
    archive("in_channels", array.in_channels);
    archive("out_channels", array.out_channels);
    archive("fill_cycles", array.fill_cycles);
}

void fields(yaml::Archive& archive, TileShape& tile) {
    archive("ow", tile.out_w);
    archive("oh", tile.out_h);
    archive("ic", tile.in_c);
    archive("oc", tile.out_c);
    archive("kw", tile.kernel_w);
    archive("kh", tile.kernel_h);
    archive("stride_w", tile.stride_w);
    archive("stride_h", tile.stride_h);
    archive("dilation_w", tile.dilation_w);
    archive("dilation_h", tile.dilation_h);
    archive.where(tile.bits.given(), "bits", tile.bits);
}

// A tile with its mapping's cycles, as listed in files.
struct TileEntry {
    TileShape tile;
    std::int64_t cycles = 0;
};

void fields(yaml::Archive& archive, TileEntry& entry) {
    archive("tile", entry.tile);
    archive("cycles", entry.cycles);
}

struct MappedCore {
    std::string core;
    std::vector<TileEntry> tiles;
};

void fields(yaml::Archive& archive, MappedCore& mapped) {
    archive("core", mapped.core);
    archive("tiles", mapped.tiles);
}

inline MappedLatency mapped_latency(const MappedCore& mapped, const yaml::Node& place) {
    std::map<TileShape, std::int64_t> list;
    for (std::size_t i = 0; i < mapped.tiles.size(); ++i) {
        const yaml::Node& entry = place.at("tiles").items()[i];
        if (mapped.tiles[i].cycles < 1) entry.at("cycles").fail(ErrorCode::bad_value, "expected at least 1 cycle");
        if (!list.emplace(mapped.tiles[i].tile, mapped.tiles[i].cycles).second)
            entry.fail(ErrorCode::duplicate_key, "the tile is listed twice");
    }
    if (mapped.core.empty()) place.at("core").fail(ErrorCode::bad_value, "expected the name of a core");
    return MappedLatency(mapped.core, std::make_shared<ListedCycles>(std::move(list)));
}

void fields(yaml::Archive& archive, MultiNpu& machine) {
    archive("name", machine.name);
    archive("cores", machine.cores);
    archive("scratchpad_bytes", machine.scratchpad_bytes);
    archive("dma_channels", machine.dma_channels);
    archive("bytes_per_cycle", machine.bytes_per_cycle);
    archive("element_bytes", machine.element_bytes);
    archive("array", machine.array);
    // Only if given. A mapped core's tiles are written with their layers.
    const yaml::Node* read = archive.node();
    if (read != nullptr && read->has("mapped")) {
        MappedCore mapped;
        archive("mapped", mapped);
        machine.mapped = mapped_latency(mapped, read->at("mapped"));
    }
    std::string latency = machine.latency.given() ? machine.latency.text() : "";
    archive.where_any("latency", latency);
    if (read == nullptr || !read->has("latency")) return;
    try {
        machine.latency = LatencyExpression(latency);
    } catch (const InputError& error) {
        read->at("latency").fail(ErrorCode::bad_value, error.message());
    }
}

}  // namespace tilewright::schedule

namespace tilewright::native {
namespace {

using namespace schedule;
using yaml::Choice;
using yaml::Json;
using yaml::list_of;
using yaml::Reader;
using yaml::Writer;

constexpr const char* kScheduleSchema = "tilewright-schedule/1";

template <typename Enum, std::size_t kCount>
Choice<Enum> choice(Enum& value, const std::array<const char*, kCount>& names) {
    Choice<Enum> result{value, {}};
    for (std::size_t i = 0; i < kCount; ++i) result.names.emplace_back(static_cast<Enum>(i), names[i]);
    return result;
}

Json json_of(const Transfer& one) {
    Json json;
    json["kind"] = kTransferKindNames[static_cast<std::size_t>(one.kind)];
    json["operand"] = kOperandNames[static_cast<std::size_t>(one.operand)];
    json["tile"] = one.index;
    json["channel"] = one.channel;
    json["address"] = one.address;
    json["bytes"] = one.bytes;
    json["start"] = one.start;
    json["end"] = one.end;
    return json;
}

Json json_of(const Execution& one) {
    Json json;
    json["operation"] = one.operation;
    json["core"] = one.core;
    for (std::size_t i = 0; i < kOperands; ++i)
        json[kOperandNames[i]] = one.address[i] == kNoBlock ? Json(nullptr) : Json(one.address[i]);
    json["start"] = one.start;
    json["end"] = one.end;
    return json;
}

Json json_of(const OrderedStep& one) {
    Json json;
    json["name"] = one.name;
    json["schedule"] = one.schedule;
    json["groups"] = one.groups;
    json["images"] = one.images;
    json["repeats"] = one.repeats;
    return json;
}

Json json_of(const StayingTensor& one) {
    Json json;
    json["made_by"] = one.step;
    json["read_by"] = one.readers;
    json["address"] = one.address;
    json["bytes"] = one.bytes;
    return json;
}

template <typename List>
std::string lines_of(const List& list) {
    std::string text;
    for (const auto& one : list) text += (text.empty() ? "\n   " : ",\n   ") + text_of(json_of(one));
    return "[" + text + "]";
}

std::string schedule_text(const LayerSchedule& one) {
    const Schedule& schedule = one.schedule;
    std::string text = "  {\"names\": " + text_of(Writer::write(one.names));
    text += ", \"repeats\": " + std::to_string(one.repeats);
    text += ",\n   \"layer\": " + text_of(Writer::write(one.problem.layer));
    text += ",\n   \"tiling\": " + text_of(Writer::write(one.problem.tiling));
    text += std::string(",\n   \"rule\": \"") + kLatencyRuleNames[static_cast<std::size_t>(schedule.rule)] + "\"";
    text += ",\n   \"latency_cycles\": " + std::to_string(schedule.latency_cycles);
    text += ",\n   \"traffic_bytes\": " + std::to_string(schedule.traffic_bytes);
    text += ",\n   \"transfers\": " + lines_of(schedule.transfers);
    return text + ",\n   \"executions\": " + lines_of(schedule.executions) + "}";
}

// The tiles of all operations, each shape once, with cycles.
std::vector<TileEntry> tiles_of(const std::vector<LayerSchedule>& layers) {
    std::map<TileShape, std::int64_t> list;
    for (const LayerSchedule& one : layers) {
        if (one.schedule.executions.empty()) continue;
        const PerDim all = extents(one.problem.layer);
        const PerDim& tile = one.problem.tiling;
        const auto sizes = [&](Dim dim) {
            std::vector<std::int64_t> both{tile[dim]};
            if (all[dim] % tile[dim] > 0) both.push_back(all[dim] % tile[dim]);
            return both;
        };
        for (const std::int64_t w : sizes(Dim::out_w))
            for (const std::int64_t h : sizes(Dim::out_h))
                for (const std::int64_t c : sizes(Dim::in_c))
                    for (const std::int64_t k : sizes(Dim::out_c)) {
                        const TileShape shape = tile_shape(one.problem.layer, w, h, c, k);
                        list.emplace(shape, operation_cycles(one.problem.machine, shape));
                    }
    }
    std::vector<TileEntry> entries;
    for (const auto& [tile, cycles] : list) entries.push_back({tile, cycles});
    return entries;
}

// Tiles, operations, cores and channels are numbered by int.
int small(const yaml::Node& node) {
    const std::int64_t value = node.integer();
    if (value < 0 || value > std::numeric_limits<int>::max())
        node.fail(ErrorCode::bad_value, "expected a number from 0 to 2^31 - 1");
    return static_cast<int>(value);
}

std::int64_t number(const yaml::Node& node) {
    std::int64_t value = 0;
    Reader::read(node, value);
    return value;
}

Transfer transfer_of(const yaml::Node& node) {
    node.expect_keys({"kind", "operand", "tile", "channel", "address", "bytes", "start", "end"});
    Transfer one;
    auto kind = choice(one.kind, kTransferKindNames);
    Reader::read(node.at("kind"), kind);
    auto operand = choice(one.operand, kOperandNames);
    Reader::read(node.at("operand"), operand);
    one.index = small(node.at("tile"));
    one.channel = small(node.at("channel"));
    one.address = number(node.at("address"));
    one.bytes = number(node.at("bytes"));
    one.start = number(node.at("start"));
    one.end = number(node.at("end"));
    return one;
}

Execution execution_of(const yaml::Node& node) {
    node.expect_keys({"operation", "core", "input", "weight", "output", "start", "end"});
    Execution one;
    one.operation = small(node.at("operation"));
    one.core = small(node.at("core"));
    for (std::size_t i = 0; i < kOperands; ++i) {
        std::optional<std::int64_t> address;
        Reader::read(node.at(kOperandNames[i]), address);
        one.address[i] = address.value_or(kNoBlock);
    }
    one.start = number(node.at("start"));
    one.end = number(node.at("end"));
    return one;
}

StayingTensor staying_of(const yaml::Node& node) {
    node.expect_keys({"made_by", "read_by", "address", "bytes"});
    StayingTensor one;
    one.step = small(node.at("made_by"));
    for (const yaml::Node& reader : list_of(node.at("read_by"))) one.readers.push_back(small(reader));
    one.address = number(node.at("address"));
    one.bytes = number(node.at("bytes"));
    return one;
}

// Names not yet run, by schedule, and remaining runs of each schedule.
struct Outstanding {
    std::vector<std::vector<std::string>> names;
    std::vector<std::int64_t> repeats;
};

NetworkStep step_of(const yaml::Node& node, const std::vector<LayerScheduleFile>& layers, Outstanding& left) {
    node.expect_keys({"name", "schedule", "groups", "images", "repeats"});
    const auto index = static_cast<std::size_t>(small(node.at("schedule")));
    if (index >= layers.size())
        node.at("schedule")
            .fail(ErrorCode::bad_value,
                  "expected one of the " + std::to_string(layers.size()) + " schedules, from 0 on");
    std::vector<std::string>& names = left.names[index];
    const auto found = std::find(names.begin(), names.end(), node.at("name").text());
    if (found == names.end())
        node.at("name").fail(ErrorCode::bad_value, "expected a name of its schedule that does not run elsewhere");
    names.erase(found);
    NetworkStep step;
    step.layer = layers[index].layer.problem.layer;
    step.groups = node.at("groups").positive();
    step.images = node.at("images").positive();
    step.repeats = node.at("repeats").positive();
    left.repeats[index] -= checked_mul(checked_mul(step.groups, step.images), step.repeats);
    return step;
}

std::size_t index_in(const std::string& part) {
    std::size_t index = 0;
    const std::size_t bracket = part.find('[');
    if (bracket != std::string::npos) std::from_chars(part.data() + bracket + 1, part.data() + part.size(), index);
    return index;
}

LayerScheduleFile layer_of(const yaml::Node& node, const MultiNpu& machine) {
    node.expect_keys(
        {"names", "repeats", "layer", "tiling", "rule", "latency_cycles", "traffic_bytes", "transfers", "executions"});
    LayerScheduleFile file;
    file.place = node.where();
    LayerSchedule& layer = file.layer;
    Reader::read(node.at("names"), layer.names);
    if (layer.names.empty()) node.at("names").fail(ErrorCode::bad_value, "expected at least one name");
    layer.repeats = node.at("repeats").positive();
    layer.problem.machine = machine;
    Reader::read(node.at("layer"), layer.problem.layer);
    Reader::read(node.at("tiling"), layer.problem.tiling);
    Schedule& schedule = layer.schedule;
    auto rule = choice(schedule.rule, kLatencyRuleNames);
    Reader::read(node.at("rule"), rule);
    schedule.latency_cycles = number(node.at("latency_cycles"));
    schedule.traffic_bytes = number(node.at("traffic_bytes"));
    for (const yaml::Node& item : list_of(node.at("transfers"))) {
        schedule.transfers.push_back(transfer_of(item));
        file.transfers.push_back(item.where());
    }
    for (const yaml::Node& item : list_of(node.at("executions"))) {
        schedule.executions.push_back(execution_of(item));
        file.executions.push_back(item.where());
    }
    return file;
}

}  // namespace

std::string write_schedules(const std::vector<LayerSchedule>& layers, const NetworkOrder& order) {
    const MultiNpu machine = layers.empty() ? MultiNpu{} : layers.front().problem.machine;
    Json written = Writer::write(machine);
    if (machine.mapped.given()) written["mapped"] = Writer::write(MappedCore{machine.mapped.core(), tiles_of(layers)});
    std::string text = std::string("{\"schema\": \"") + kScheduleSchema + "\",\n \"machine\": " + text_of(written);
    text += ",\n \"layers\": [";
    for (std::size_t i = 0; i < layers.size(); ++i) text += (i == 0 ? "\n" : ",\n") + schedule_text(layers[i]);
    text += "]";
    if (!order.staying.empty())
        text += ",\n \"order\": " + lines_of(order.steps) + ",\n \"staying\": " + lines_of(order.staying);
    return text + "}\n";
}

Location LayerScheduleFile::at(const std::string& part) const {
    if (part.find('[') == std::string::npos) return place;
    const std::size_t index = index_in(part);
    const std::vector<Location>& list = part.starts_with("transfers") ? transfers : executions;
    return index < list.size() ? list[index] : place;
}

std::vector<LayerScheduleFile> read_schedules(const yaml::Node& root) {
    root.expect_keys({"schema", "machine", "layers", "order", "staying"});
    if (root.at("schema").text() != kScheduleSchema)
        root.at("schema").fail(ErrorCode::unsupported, std::string("expected ") + kScheduleSchema);
    MultiNpu machine;
    Reader::read(root.at("machine"), machine);
    std::vector<LayerScheduleFile> layers;
    for (const yaml::Node& node : list_of(root.at("layers"))) layers.push_back(layer_of(node, machine));
    if (layers.empty()) root.at("layers").fail(ErrorCode::bad_value, "expected at least one layer");
    return layers;
}

Location NetworkOrderFile::at(const std::string& part) const {
    const std::vector<Location>& list = part.starts_with("order") ? step_places : staying_places;
    const std::size_t index = index_in(part);
    return index < list.size() ? list[index] : Location{};
}

NetworkOrderFile read_order(const yaml::Node& root, const std::vector<LayerScheduleFile>& layers) {
    NetworkOrderFile file;
    const yaml::Node* order = root.find("order");
    if (order == nullptr) {
        for (std::size_t i = 0; i < layers.size(); ++i)
            if (!(layers[i].layer.problem.layer.kept == Kept{}))
                root.at("layers").items()[i].fail(
                    ErrorCode::missing_key, "the layer keeps tensors: expected 'order' and 'staying' in the file");
        if (root.has("staying")) root.at("staying").fail(ErrorCode::missing_key, "expected 'order', too");
        return file;
    }
    Outstanding left;
    for (const LayerScheduleFile& one : layers) {
        left.names.push_back(one.layer.names);
        left.repeats.push_back(one.layer.repeats);
    }
    for (const yaml::Node& node : list_of(*order)) {
        file.steps.push_back(step_of(node, layers, left));
        file.step_places.push_back(node.where());
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!left.names[i].empty())
            order->fail(ErrorCode::missing_key, "layer '" + left.names[i].front() + "' does not run");
        if (left.repeats[i] != 0)
            root.at("layers").items()[i].at("repeats").fail(ErrorCode::bad_value,
                                                            "expected as many as the order has runs of it");
    }
    for (const yaml::Node& node : list_of(root.at("staying"))) {
        file.staying.push_back(staying_of(node));
        file.staying_places.push_back(node.where());
    }
    return file;
}

}  // namespace tilewright::native
