#include "maestro/files/document.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/notes.hpp"
#include "maestro/files/cursor.hpp"
#include "maestro/files/hardware.hpp"

namespace tilewright::maestro {
namespace {

using dataflow::Axis;
using dataflow::Layer;

class DocumentReader {
   public:
    DocumentReader(Cursor& cursor, Document& document) : cursor_(cursor), hardware_(cursor), document_(document) {}

    void run() {
        cursor_.skip_separators();
        while (cursor_.token().kind != Token::Kind::end) {
            item();
            cursor_.skip_separators();
        }
        if (hardware_.found()) document_.hardware = hardware_.hardware();
        document_.accelerator = hardware_.name();
    }

   private:
    void item() {
        if (HardwareReader::is_key(cursor_.token())) return hardware_.pair();
        static const std::vector<std::string> kKnown{"Network", "Constant", "Accelerator", "Dataflow"};
        const Token name = cursor_.word("Network, Constant, Accelerator, Dataflow or a hardware key such as num_pes");
        if (name.text == "Network") return network();
        if (name.text == "Constant") return constant();
        if (name.text == "Accelerator") return hardware_.accelerator();
        if (name.text != "Dataflow")
            cursor_.fail(name, ErrorCode::unknown_key,
                         "expected Network, Constant, Accelerator, Dataflow or a hardware key such as num_pes, found " +
                             text_of(name) + did_you_mean(name.text, kKnown));
        cursor_.note(name, "a Dataflow outside of a Layer");
        document_.dataflows.push_back(read_dataflow(cursor_));
    }

    void constant() {
        const Token name = cursor_.word("the Constant's name");
        cursor_.skip_separators();
        cursor_.define_constant(name, cursor_.number(1, "a Constant"));
    }

    void network() {
        document_.network = cursor_.name_before_brace();
        cursor_.expect("{", "after the network's name");
        cursor_.skip_separators();
        while (!cursor_.accept("}")) {
            const Token word = cursor_.word("Layer, Accelerator or '}'");
            if (word.text == "Layer")
                document_.layers.push_back(read_layer(cursor_));
            else if (word.text == "Accelerator")
                hardware_.accelerator();
            else if (word.text == "FPS" || word.text == "Probability" || word.text == "Dependency")
                scenario(word);
            else
                cursor_.fail(word, ErrorCode::unknown_key,
                             "a Network holds Layer, and for XRBench FPS, Probability and Dependency, found " +
                                 text_of(word) +
                                 did_you_mean(word.text, {"Layer", "FPS", "Probability", "Dependency"}));
            cursor_.skip_separators();
        }
    }

    // XRBench's: run rate, probability and predecessors of a network.
    void scenario(const Token& key) {
        const std::string name(key.text);
        cursor_.note(key, "the key '" + name + "'");
        document_.unused.push_back({cursor_.place(key), name});
        cursor_.skip_separators();
        const Token value = cursor_.token();
        if (name == "FPS" && !(cursor_.real("FPS, frames a second") > 0.0))
            cursor_.fail(value, ErrorCode::bad_value, "FPS is above 0, found " + text_of(value));
        if (name == "Probability") {
            const double probability = cursor_.real("Probability");
            if (!(probability >= 0.0 && probability <= 1.0))
                cursor_.fail(value, ErrorCode::bad_value, "Probability is from 0 to 1, found " + text_of(value));
        }
        if (name != "Dependency") return;
        cursor_.expect("{", "after Dependency");
        while (!cursor_.accept("}")) {
            cursor_.word("a network's name or '}'");
            cursor_.skip_separators();
        }
    }

    Cursor& cursor_;
    HardwareReader hardware_;
    Document& document_;
};

std::string table_text(const char* name, const std::vector<std::pair<Axis, std::int64_t>>& entries) {
    std::string text;
    for (const auto& [axis, value] : entries)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", dataflow::name_of(axis), value);
    return text.empty() ? "" : fmt::format("    {} {{ {} }}\n", name, text);
}

// The shortest text reading back as the same share.
std::string percent_text(const sparse::FixedStructured& density) {
    constexpr int kDigits = 15;
    const std::string few = fmt::format("{:.{}g}", density.density * 100.0, kDigits);
    return std::stod(few) / 100.0 == density.density ? few : fmt::format("{}", density.density * 100.0);
}

std::string density_text(const dataflow::Densities& density) {
    if (density == dataflow::Densities{}) return "";
    return fmt::format("    Density {{ Input: {}, Filter: {}, Output: {} }}\n", percent_text(density.input),
                       percent_text(density.filter), percent_text(density.output));
}

std::string dataflow_text(const dataflow::Dataflow& flow, const std::string& indent) {
    std::string text = indent + "Dataflow " + (flow.name.empty() ? "" : flow.name + " ") + "{\n";
    for (const dataflow::Directive& directive : flow.directives)
        text += indent + "  " + dataflow::to_text(directive) + ";\n";
    return text + indent + "}\n";
}

std::string layer_text(const Layer& layer) {
    std::vector<std::pair<Axis, std::int64_t>> strides;
    std::vector<std::pair<Axis, std::int64_t>> dilations;
    std::vector<std::pair<Axis, std::int64_t>> extents;
    for (const Axis axis : dataflow::all_axes()) {
        if (layer.stride[axis] != 1) strides.emplace_back(axis, layer.stride[axis]);
        if (layer.dilation[axis] != 1) dilations.emplace_back(axis, layer.dilation[axis]);
        if (layer.extents[axis] > 0) extents.emplace_back(axis, layer.extents[axis]);
    }
    std::string text = fmt::format("  Layer {}{}{{\n    Type: {}\n", layer.name, layer.name.empty() ? "" : " ",
                                   dataflow::name_of(layer.type));
    text += table_text("Stride", strides) + table_text("Dilation", dilations) + table_text("Dimensions", extents);
    text += density_text(layer.density);
    if (layer.dataflow) text += dataflow_text(*layer.dataflow, "    ");
    return text + "  }\n";
}

}  // namespace

Document read(std::string_view bytes, const std::string& file) {
    const Text text{bytes, file};
    Document document;
    const std::vector<Token> tokens = tokens_of(text, document.tool_refusals);
    Cursor cursor(text, tokens, document.tool_refusals);
    DocumentReader(cursor, document).run();
    return document;
}

Document merge(std::vector<Document> documents) {
    Document all;
    for (Document& one : documents) {
        if (!one.network.empty()) all.network = one.network;
        for (Layer& layer : one.layers) all.layers.push_back(std::move(layer));
        for (dataflow::Dataflow& flow : one.dataflows) all.dataflows.push_back(std::move(flow));
        for (ToolRefusal& refusal : one.tool_refusals) all.tool_refusals.push_back(std::move(refusal));
        for (ToolRefusal& key : one.unused) all.unused.push_back(std::move(key));
        if (!one.hardware) continue;
        if (all.hardware) throw InputError(ErrorCode::duplicate_key, {}, "two of the files describe hardware");
        all.hardware = one.hardware;
        all.accelerator = one.accelerator;
    }
    return all;
}

std::vector<std::string> notes_about(const Document& document, bool strict) {
    if (strict && !document.unused.empty())
        throw InputError(ErrorCode::unsupported, document.unused.front().where,
                         "'" + document.unused.front().reason + "' changes nothing here: every layer counts once");
    Notes notes;
    for (const ToolRefusal& key : document.unused)
        notes.add("no run looks at when networks run, every layer counts once", key.reason,
                  fmt::format("{}:{}", key.where.file, key.where.line));
    return notes.texts();
}

std::string to_text(const Document& document) {
    std::string text;
    if (!document.accelerator.empty()) text += "// Accelerator " + document.accelerator + "\n";
    if (document.hardware) text += to_text(*document.hardware);
    for (const dataflow::Dataflow& flow : document.dataflows) text += dataflow_text(flow, "");
    if (!document.layers.empty() || !document.network.empty()) {
        text += "Network " + document.network + (document.network.empty() ? "" : " ") + "{\n";
        for (const Layer& layer : document.layers) text += layer_text(layer);
        text += "}\n";
    }
    return text;
}

const std::vector<NamedDataflow>& named_dataflows() {
    static const std::vector<NamedDataflow> kAll{
        {"nlr", "no local reuse (Table 2, with R and S whole): input channels in parallel",
         "TemporalMap(1,1) K; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(1,1) C"},
        {"ws", "weight stationary (Table 2, its three rows as rows of the output): output columns in parallel",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(3,3) Y'; SpatialMap(1,1) X'"},
        {"shidiannao", "output stationary (Table 2): output columns in parallel, one row at a time",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(Sz(R),1) Y; SpatialMap(Sz(S),1) X"},
        {"rs", "row stationary (Table 2, with Fig. 7's cluster): rows of image and filter meet in a cluster",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; SpatialMap(1,1) Y'; TemporalMap(1,1) X'; Cluster(Sz(R),P); "
         "SpatialMap(1,1) Y; SpatialMap(1,1) R"},
        {"nvdla", "weight stationary (Table 2, one output at a time): output channels outside, input channels inside",
         "SpatialMap(1,1) K; TemporalMap(P_cluster_size,P_cluster_size) C; TemporalMap(1,1) Y'; TemporalMap(1,1) X'; "
         "Cluster(P_cluster_size,P); SpatialMap(1,1) C"},
        {"kcp_ws", "as in the public files *_kcp_ws.m: output channels outside, 64 input channels inside",
         "SpatialMap(1,1) K; TemporalMap(64,64) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; Cluster(64,P); "
         "SpatialMap(1,1) C"},
        {"xp_ws", "as in the public files *_xp_ws.m: output columns in parallel",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(Sz(R),1) Y; SpatialMap(Sz(S),1) X"},
        {"yxp_os", "as in the public files *_yxp_os.m: output rows outside, columns inside",
         "TemporalMap(1,1) K; SpatialMap(Sz(R),1) Y; TemporalMap(8+Sz(S)-1,8) X; TemporalMap(1,1) C; Cluster(8,P); "
         "SpatialMap(Sz(S),1) X"},
        {"ykp_os", "as in the public files *_ykp_os.m: output rows outside, 16 output channels inside",
         "TemporalMap(16,16) K; SpatialMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; TemporalMap(1,1) C; Cluster(16,P); "
         "SpatialMap(1,1) K"},
        {"nlr-literal", "NLR as Table 2 prints it: the filter moves apart from the image",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(1,1) Y; TemporalMap(1,1) R; TemporalMap(1,1) S; "
         "SpatialMap(1,1) X"},
        {"ws-literal", "WS as Table 2 prints it: skips output rows",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(3,3) Y; SpatialMap(3,1) X"},
        {"rs-literal", "RS as Table 2 prints it: the units of a cluster do the same",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; SpatialMap(Sz(R),1) Y; Cluster(Sz(R)); TemporalMap(Sz(S),1) X"},
        {"nvdla-literal", "NVDLA as Table 2 prints it: tiles of one row and column make no output",
         "TemporalMap(64,64) C; TemporalMap(1,1) Y; TemporalMap(1,1) X; Cluster(P_cluster_size,L); SpatialMap(1,1) K"},
    };
    return kAll;
}

dataflow::Dataflow named_dataflow(const std::string& name) {
    std::vector<std::string> names;
    for (const NamedDataflow& one : named_dataflows()) {
        if (one.name == name) return read("Dataflow " + one.name + " { " + one.text + " }", one.name).dataflows.at(0);
        names.push_back(one.name);
    }
    throw InputError(ErrorCode::unknown_name, {},
                     "unknown dataflow '" + name + "'; the names are " + list_words(names) + did_you_mean(name, names));
}

}  // namespace tilewright::maestro
