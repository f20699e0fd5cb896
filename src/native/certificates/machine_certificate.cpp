#include "native/certificates/machine_certificate.hpp"

#include <algorithm>
#include <array>

#include "native/certificates/frame.hpp"

namespace tilewright::certificate {

// Found by the archives through the values' namespace.
void fields(yaml::Archive& archive, MachineKnob& knob) {
    archive("name", knob.name);
    archive("values", knob.values);
}

void fields(yaml::Archive& archive, MachineLimit& limit) {
    archive("metric", limit.metric);
    archive("inclusive", limit.inclusive);
    archive("most", limit.bound);
}

void fields(yaml::Archive& archive, ProvenFloor& floor) {
    archive.items(floor.energy_pj, floor.cycles, floor.objective);
}

}  // namespace tilewright::certificate

namespace tilewright::native {
namespace {

using certificate::BoxEnd;
using certificate::BoxNode;
using certificate::KnobRange;
using certificate::MachineBox;
using certificate::MachineCertificate;
using certificate::MachineForm;
using certificate::MachineSpace;
using certificate::NetworkLayer;
using certificate::PartTable;

constexpr const char* kMachineSchema = "tilewright-machine-certificate/1";

constexpr std::array<std::pair<BoxEnd, const char*>, 5> kEnds{{{BoxEnd::cut, "cut"},
                                                               {BoxEnd::worse, "worse"},
                                                               {BoxEnd::beyond, "beyond"},
                                                               {BoxEnd::unmappable, "unmappable"},
                                                               {BoxEnd::mapped, "mapped"}}};

// --- writing ---

Json json_of_box(const MachineBox& box) {
    Json json = Json::array();
    for (const KnobRange& range : box) json.push_back(Json::array({range.low, range.high - 1}));
    return json;
}

template <class Value>
Json json_of_table(const PartTable<Value>& table) {
    Json values = Json::array();
    for (const Value& value : table.values) values.push_back(native::json_of(value));
    return {{"knobs", Writer::write(table.knobs)}, {"values", values}};
}

Json json_of_layer(const NetworkLayer& layer) {
    return {{"names", Writer::write(layer.names)},
            {"repeats", layer.repeats},
            {"einsum", native::json_of(layer.einsum)},
            {"constraints", native::json_of(layer.constraints, layer.einsum)}};
}

Json json_of_form(const MachineForm& form) {
    Json json;
    json["decided"] = Writer::write(form.decided);
    json["machine"] = native::json_of(form.base);
    json["memories"] = Json::array();
    for (const PartTable<Memory>& memory : form.memories) json["memories"].push_back(json_of_table(memory));
    json["compute"] = json_of_table(form.compute);
    json["meshes"] = json_of_table(form.meshes);
    json["layers"] = Json::array();
    for (const NetworkLayer& layer : form.layers) json["layers"].push_back(json_of_layer(layer));
    return json;
}

Json json_of_answers(const BoxNode& node, const MachineForm& form) {
    Json json = Json::array();
    for (std::size_t i = 0; i < node.answers.size(); ++i)
        json.push_back({{"energy_pj", node.answers[i].cost.energy_pj},
                        {"cycles", node.answers[i].cost.cycles},
                        {"mapping", native::json_of(node.answers[i].mapping, form.layers[i].einsum, form.base)}});
    return json;
}

Json json_of_node(const BoxNode& node, const MachineSpace& space) {
    Json json;
    json["box"] = json_of_box(node.box);
    for (const auto& [end, name] : kEnds)
        if (end == node.end) json["end"] = name;
    if (node.end == BoxEnd::cut) json["knob"] = node.knob;
    if (node.end == BoxEnd::worse || node.end == BoxEnd::mapped) json["value"] = node.value;
    if (!node.limit.empty()) json["limit"] = node.limit;
    if (node.end == BoxEnd::unmappable) json["layer"] = node.layer;
    if (!node.layers.empty()) json["layers"] = Writer::write(node.layers);
    if (node.end == BoxEnd::mapped) json["answers"] = json_of_answers(node, *certificate::form_of(space, node.box));
    return json;
}

Json unsealed_machines(const MachineCertificate& certificate) {
    const MachineSpace& space = certificate.space;
    Json json = frame_of(kMachineSchema, certificate.tool_version, certificate.model_version);
    json["network"] = certificate.network;
    json["objective"] = space.objective;
    json["factors"] = space.factors;
    json["limits"] = Writer::write(space.limits);
    json["knobs"] = Writer::write(space.knobs);
    json["deciding"] = Writer::write(space.deciding);
    json["forms"] = Json::array();
    for (const MachineForm& form : space.forms) json["forms"].push_back(json_of_form(form));
    json["best"] = certificate.best ? json_of_node(*certificate.best, space) : Json(nullptr);
    json["tree"] = Json::array();
    for (const BoxNode& node : certificate.tree) json["tree"].push_back(json_of_node(node, space));
    return json;
}

// --- reading ---

std::vector<std::size_t> indices_of(const yaml::Node& node) {
    std::vector<std::int64_t> numbers;
    Reader::read(node, numbers);
    return {numbers.begin(), numbers.end()};
}

template <class Value, class Read>
PartTable<Value> table_of(const yaml::Node& node, const Read& read) {
    node.expect_keys({"knobs", "values"});
    PartTable<Value> table;
    table.knobs = indices_of(node.at("knobs"));
    for (const yaml::Node& item : list_of(node.at("values"))) table.values.push_back(read(item));
    return table;
}

NetworkLayer network_layer_of(const yaml::Node& node, int memories) {
    node.expect_keys({"names", "repeats", "einsum", "constraints"});
    NetworkLayer layer;
    Reader::read(node.at("names"), layer.names);
    if (layer.names.empty())
        node.at("names").fail(ErrorCode::bad_value, "expected the names of the layers, found none");
    layer.repeats = node.at("repeats").positive();
    layer.einsum = einsum_of(node.at("einsum"));
    layer.constraints = constraints_of(node.at("constraints"), layer.einsum, memories);
    return layer;
}

MachineForm form_of_node(const yaml::Node& node) {
    node.expect_keys({"decided", "machine", "memories", "compute", "meshes", "layers"});
    MachineForm form;
    Reader::read(node.at("decided"), form.decided);
    form.base = architecture_of(node.at("machine"));
    for (const yaml::Node& memory : list_of(node.at("memories")))
        form.memories.push_back(table_of<Memory>(memory, memory_of));
    form.compute = table_of<Compute>(node.at("compute"), compute_of);
    form.meshes = table_of<std::vector<Mesh>>(node.at("meshes"), meshes_of);
    for (const yaml::Node& layer : list_of(node.at("layers")))
        form.layers.push_back(network_layer_of(layer, form.base.memory_count()));
    return form;
}

MachineBox box_of(const yaml::Node& node, const MachineSpace& space) {
    MachineBox box;
    for (const yaml::Node& range : list_of(node)) {
        std::vector<std::int64_t> ends;
        Reader::read(range, ends);
        const std::size_t knob = box.size();
        if (ends.size() != 2 || ends[0] > ends[1] || knob >= space.knobs.size() ||
            ends[1] >= static_cast<std::int64_t>(space.knobs[knob].values.size()))
            range.fail(ErrorCode::bad_value, "expected the first and the last position of a knob's values");
        box.push_back({ends[0], ends[1] + 1});
    }
    if (box.size() != space.knobs.size())
        node.fail(ErrorCode::bad_value, "expected a range of every knob, " + std::to_string(space.knobs.size()));
    return box;
}

void read_answers(const yaml::Node& node, const MachineSpace& space, BoxNode& box) {
    const MachineForm* const form = certificate::form_of(space, box.box);
    if (form == nullptr) node.fail(ErrorCode::bad_value, "expected mappings of one machine only");
    for (const yaml::Node& item : list_of(node)) {
        item.expect_keys({"energy_pj", "cycles", "mapping"});
        const std::size_t layer = box.answers.size();
        if (layer >= form->layers.size()) item.fail(ErrorCode::bad_value, "there is no such layer");
        certificate::Answer answer;
        Reader::read(item.at("energy_pj"), answer.cost.energy_pj);
        Reader::read(item.at("cycles"), answer.cost.cycles);
        answer.mapping = native::mapping_of(item.at("mapping"), form->layers[layer].einsum, form->base);
        box.answers.push_back(std::move(answer));
    }
}

BoxNode node_of(const yaml::Node& node, const MachineSpace& space) {
    node.expect_keys({"box", "end", "knob", "value", "limit", "layer", "layers", "answers"});
    BoxNode box;
    box.box = box_of(node.at("box"), space);
    const auto end = std::ranges::find_if(kEnds, [&](const auto& one) { return node.at("end").text() == one.second; });
    if (end == kEnds.end())
        node.at("end").fail(ErrorCode::bad_value, "expected cut, worse, beyond, unmappable or mapped");
    box.end = end->first;
    if (box.end == BoxEnd::cut) box.knob = static_cast<std::size_t>(node.at("knob").integer());
    if (box.end == BoxEnd::worse || box.end == BoxEnd::mapped) Reader::read(node.at("value"), box.value);
    if (const yaml::Node* limit = node.find("limit")) box.limit = limit->text();
    if (box.end == BoxEnd::unmappable) box.layer = static_cast<std::size_t>(node.at("layer").integer());
    if (const yaml::Node* layers = node.find("layers")) Reader::read(*layers, box.layers);
    if (box.end == BoxEnd::mapped) read_answers(node.at("answers"), space, box);
    return box;
}

MachineSpace space_of(const yaml::Node& root) {
    MachineSpace space;
    space.objective = root.at("objective").text();
    if (space.objective != "energy" && space.objective != "latency" && space.objective != "edp")
        root.at("objective").fail(ErrorCode::bad_value, "expected energy, latency or edp");
    space.factors = root.at("factors").text();
    Reader::read(root.at("limits"), space.limits);
    Reader::read(root.at("knobs"), space.knobs);
    space.deciding = indices_of(root.at("deciding"));
    for (const yaml::Node& form : list_of(root.at("forms"))) space.forms.push_back(form_of_node(form));
    if (const std::string problem = problem_with(space); !problem.empty())
        root.at("forms").fail(ErrorCode::bad_value, problem);
    return space;
}

}  // namespace

std::string write_machine_certificate(const MachineCertificate& certificate) {
    return sealed_text(unsealed_machines(certificate));
}

MachineCertificateFile read_machine_certificate(const yaml::Node& root) {
    root.expect_keys({"schema", "tool", "model", "network", "objective", "factors", "limits", "knobs", "deciding",
                      "forms", "best", "tree", "seal"});
    MachineCertificateFile file;
    MachineCertificate& certificate = file.certificate;
    read_frame(root, kMachineSchema, certificate.tool_version, certificate.model_version);
    certificate.network = root.at("network").text();
    certificate.space = space_of(root);
    if (!yaml::is_absent(&root.at("best"))) certificate.best = node_of(root.at("best"), certificate.space);
    for (const yaml::Node& node : list_of(root.at("tree")))
        certificate.tree.push_back(node_of(node, certificate.space));
    file.seal_holds = seal_holds(root, unsealed_machines(certificate));
    constexpr int kDownToFindings = 3;
    for (const char* key : {"seal", "model", "best", "tree", "forms"})
        note_places(root.at(key), key, kDownToFindings, file.places);
    return file;
}

}  // namespace tilewright::native
