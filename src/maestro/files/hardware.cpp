#include "maestro/files/hardware.hpp"

#include <algorithm>
#include <utility>

namespace tilewright::maestro {
namespace {

using dataflow::Hardware;
using Names = std::vector<std::pair<std::string, std::string>>;  // as written, and its field

// The public tool's hardware files and, capitalized, those of its older versions and of GAMMA. vector_width is the
// tool's option --num_simd_lanes. Later ones are ours.
const Names& pair_names() {
    static const Names kNames{{"num_pes", "units"},
                              {"l1_size_cstr", "l1"},
                              {"l2_size_cstr", "l2"},
                              {"noc_bw_cstr", "noc"},
                              {"offchip_bw_cstr", "offchip"},
                              {"NoC_NumHops", "latency"},
                              {"NumPEs", "units"},
                              {"L1Size", "l1"},
                              {"L2Size", "l2"},
                              {"NoC_BW", "noc"},
                              {"Multicast", "multicast"},
                              {"vector_width", "vector"},
                              {"operand_bytes", "operand"},
                              {"sum_bytes", "sum"},
                              {"multicast", "multicast"},
                              {"technology_nm", "technology"}};
    return kNames;
}

constexpr std::size_t kToolKeys = 12;

// XRBench's, of an Accelerator without parts.
const Names& flat_names() {
    static const Names kNames{
        {"num_pes", "units"},           {"offchip_bw", "offchip"},          {"top_noc_bw", "noc"},
        {"top_noc_latency", "latency"}, {"top_noc_multicast", "multicast"}, {"global_shared_memory", "l2"},
        {"PE_local_memory", "l1"}};
    return kNames;
}

// Of the network inside clusters, the same one here.
const std::vector<std::string>& inner_names() {
    static const std::vector<std::string> kNames{"col_noc_bw", "col_noc_latency", "col_noc_multicast"};
    return kNames;
}

const Names& part_names(std::string_view part) {
    static const Names kUnits{
        {"NumPEs", "units"}, {"VectorWidth", "vector"}, {"MultiPrecision", "operand"}, {"AddPrecision", "sum"}};
    static const Names kBuffers{{"GlobalL2", "l2"}, {"LocalL1", "l1"}};
    static const Names kNetwork{
        {"Bandwidth", "noc"}, {"AvgLatency", "latency"}, {"Multicast", "multicast"}, {"OffChipBandwidth", "offchip"}};
    return part == "PE" ? kUnits : part == "Buffer" ? kBuffers : kNetwork;
}

std::vector<std::string> written(const Names& names) {
    std::vector<std::string> texts;
    for (const auto& [text, field] : names) texts.push_back(text);
    return texts;
}

const std::string* field_of(std::string_view text, const Names& names) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == text; });
    return found == names.end() ? nullptr : &found->second;
}

// Bytes of INT8, FP16, BF16, ... or a number of bytes.
std::int64_t precision_bytes(Cursor& cursor) {
    static const std::vector<std::pair<std::string_view, std::int64_t>> kKinds{{"INT8", 1},  {"INT16", 2}, {"INT32", 4},
                                                                               {"INT64", 8}, {"FP8", 1},   {"FP16", 2},
                                                                               {"BF16", 2},  {"FP32", 4},  {"FP64", 8}};
    const Token word = cursor.token();
    for (const auto& [name, bytes] : kKinds)
        if (word.is_word(name)) return cursor.take(), bytes;
    return cursor.number(1, "a precision (INT8, INT16, INT32, INT64, FP8, FP16, BF16, FP32, FP64 or bytes)");
}

bool switch_value(Cursor& cursor) {
    const Token& word = cursor.word("true or false");
    if (word.text == "true" || word.text == "True") return true;
    if (word.text == "false" || word.text == "False") return false;
    cursor.fail(word, ErrorCode::wrong_type, "expected true or false, found " + text_of(word));
}

}  // namespace

bool HardwareReader::is_key(const Token& token) {
    return token.kind == Token::Kind::word && field_of(token.text, pair_names()) != nullptr;
}

void HardwareReader::pair() {
    const Token key = cursor_.take();
    const std::string& field = *field_of(key.text, pair_names());
    for (std::size_t i = kToolKeys; i < pair_names().size(); ++i)
        if (pair_names()[i].first == key.text) cursor_.note(key, "the key '" + std::string(key.text) + "'");
    set(key, field);
}

void HardwareReader::accelerator() {
    const Token start = cursor_.token();
    const std::string name = cursor_.name_before_brace();
    if (found_ && (!name.empty() || !name_.empty()))
        cursor_.fail(start, ErrorCode::unsupported,
                     "a second Accelerator" + (name.empty() ? "" : ", '" + name + "'") +
                         ": dataflows are for one machine; leave one of them in the file");
    name_ = name;
    cursor_.expect("{", "after Accelerator");
    found_ = true;
    cursor_.skip_separators();
    while (!cursor_.accept("}")) {
        part(cursor_.word("PE, Buffer, NoC, num_pes or '}'"));
        cursor_.skip_separators();
    }
}

// Latency, bandwidth or multicast of the network inside clusters: must equal the earlier outer one.
void HardwareReader::inner_network(const Token& key) {
    const std::string outer = "top" + std::string(key.text.substr(3));
    const std::string& field = *field_of(outer, flat_names());
    if (!seen_.contains(field))
        cursor_.fail(key, ErrorCode::missing_key,
                     "'" + outer + "' has to stand before '" + std::string(key.text) + "'");
    HardwareReader inner(cursor_);
    inner.set(key, field);
    if (inner.hardware_.noc_bytes_per_cycle.value_or(0) != (field == "noc" ? *hardware_.noc_bytes_per_cycle : 0) ||
        (field == "latency" && inner.hardware_.noc_latency_cycles != hardware_.noc_latency_cycles) ||
        (field == "multicast" && inner.hardware_.multicast != hardware_.multicast))
        cursor_.fail(key, ErrorCode::unsupported,
                     "'" + std::string(key.text) + "' differs from '" + outer +
                         "': one network serves all levels here, so that both have to be the same");
}

void HardwareReader::part(const Token& name) {
    if (const std::string* field = field_of(name.text, flat_names())) return set(name, *field);
    if (std::ranges::find(inner_names(), name.text) != inner_names().end()) return inner_network(name);
    if (name.text != "PE" && name.text != "Buffer" && name.text != "NoC") {
        std::vector<std::string> known{"PE", "Buffer", "NoC"};
        for (const std::string& key : written(flat_names())) known.push_back(key);
        known.insert(known.end(), inner_names().begin(), inner_names().end());
        cursor_.fail(name, ErrorCode::unknown_key,
                     "an Accelerator holds PE, Buffer and NoC, or keys such as num_pes and top_noc_bw, found " +
                         text_of(name) + did_you_mean(name.text, known));
    }
    const Names& names = part_names(name.text);
    cursor_.expect("{", "after " + std::string(name.text));
    cursor_.skip_separators();
    while (!cursor_.accept("}")) {
        const Token key = cursor_.word(list_words(written(names)) + " or '}'");
        const std::string* field = field_of(key.text, names);
        if (field == nullptr)
            cursor_.fail(key, ErrorCode::unknown_key,
                         std::string(name.text) + " holds " + list_words(written(names)) + ", found " + text_of(key) +
                             did_you_mean(key.text, written(names)));
        set(key, *field);
        cursor_.skip_separators();
    }
}

void HardwareReader::set(const Token& key, const std::string& field) {
    found_ = true;
    const std::string what = std::string(key.text);
    if (!seen_.insert(field).second) cursor_.fail(key, ErrorCode::duplicate_key, "'" + what + "' is given twice");
    cursor_.skip_separators();
    if (field == "operand") hardware_.operand_bytes = precision_bytes(cursor_);
    if (field == "sum") hardware_.sum_bytes = precision_bytes(cursor_);
    if (field == "multicast") hardware_.multicast = switch_value(cursor_);
    if (field == "technology") hardware_.technology_nm = cursor_.number(1, what);
    if (field == "units") hardware_.units = cursor_.number(1, what);
    if (field == "vector") hardware_.vector_width = cursor_.number(1, what);
    if (field == "latency") hardware_.noc_latency_cycles = cursor_.number(0, what);
    if (field == "l1") hardware_.l1_bytes = cursor_.number(1, what);
    if (field == "l2") hardware_.l2_bytes = cursor_.number(1, what);
    if (field == "noc") hardware_.noc_bytes_per_cycle = cursor_.number(1, what);
    if (field == "offchip") hardware_.offchip_bytes_per_cycle = cursor_.number(1, what);
}

std::string to_text(const Hardware& hardware) {
    std::string text = "num_pes: " + std::to_string(hardware.units) + "\n";
    const auto add = [&](const char* key, const std::optional<std::int64_t>& value) {
        if (value) text += std::string(key) + ": " + std::to_string(*value) + "\n";
    };
    add("l1_size_cstr", hardware.l1_bytes);
    add("l2_size_cstr", hardware.l2_bytes);
    add("noc_bw_cstr", hardware.noc_bytes_per_cycle);
    add("offchip_bw_cstr", hardware.offchip_bytes_per_cycle);
    add("NoC_NumHops", hardware.noc_latency_cycles);
    const Hardware usual;
    if (hardware.vector_width != usual.vector_width) add("vector_width", hardware.vector_width);
    if (hardware.operand_bytes != usual.operand_bytes) add("operand_bytes", hardware.operand_bytes);
    if (hardware.sum_bytes != usual.sum_bytes) add("sum_bytes", hardware.sum_bytes);
    add("technology_nm", hardware.technology_nm);
    if (!hardware.multicast) text += "multicast: false\n";
    return text;
}

}  // namespace tilewright::maestro
