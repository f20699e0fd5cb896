#include "scalesim/config.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/notes.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::scalesim {
namespace {

// Treatment of a key. `off`: must be false, since its feature is not modelled; `read_over`: without effect here.
enum class Use : std::uint8_t { used, off, read_over };

struct Known {
    const char* section;
    const char* key;
    Use use;
};

const std::vector<Known>& known_keys() {
    static const std::vector<Known> kKnown{{"general", "run_name", Use::used},
                                           {"architecture_presets", "ArrayHeight", Use::used},
                                           {"architecture_presets", "ArrayWidth", Use::used},
                                           {"architecture_presets", "IfmapSramSzkB", Use::used},
                                           {"architecture_presets", "FilterSramSzkB", Use::used},
                                           {"architecture_presets", "OfmapSramSzkB", Use::used},
                                           {"architecture_presets", "IfmapSramSz", Use::used},
                                           {"architecture_presets", "FilterSramSz", Use::used},
                                           {"architecture_presets", "OfmapSramSz", Use::used},
                                           {"architecture_presets", "Dataflow", Use::used},
                                           {"architecture_presets", "Bandwidth", Use::used},
                                           {"architecture_presets", "IfmapOffset", Use::read_over},
                                           {"architecture_presets", "FilterOffset", Use::read_over},
                                           {"architecture_presets", "OfmapOffset", Use::read_over},
                                           {"architecture_presets", "MemoryBanks", Use::read_over},
                                           {"architecture_presets", "OnChipMemoryBanks", Use::read_over},
                                           {"architecture_presets", "OnChipMemoryBankPorts", Use::read_over},
                                           {"architecture_presets", "ReadRequestBuffer", Use::read_over},
                                           {"architecture_presets", "WriteRequestBuffer", Use::read_over},
                                           {"layout", "IfmapCustomLayout", Use::off},
                                           {"layout", "FilterCustomLayout", Use::off},
                                           {"layout", "IfmapSRAMBankBandwidth", Use::read_over},
                                           {"layout", "IfmapSRAMBankNum", Use::read_over},
                                           {"layout", "IfmapSRAMBankPort", Use::read_over},
                                           {"layout", "FilterSRAMBankBandwidth", Use::read_over},
                                           {"layout", "FilterSRAMBankNum", Use::read_over},
                                           {"layout", "FilterSRAMBankPort", Use::read_over},
                                           {"sparsity", "SparsitySupport", Use::off},
                                           {"sparsity", "SparseRep", Use::read_over},
                                           {"sparsity", "OptimizedMapping", Use::off},
                                           {"sparsity", "BlockSize", Use::read_over},
                                           {"sparsity", "RandomNumberGeneratorSeed", Use::read_over},
                                           {"network_presets", "TopologyCsvLoc", Use::read_over},
                                           {"run_presets", "InterfaceBandwidth", Use::used},
                                           {"run_presets", "UseRamulatorTrace", Use::off}};
    return kKnown;
}

std::string lower(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

class ConfigReader {
   public:
    ConfigReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    Config run() {
        for (IniEntry& entry : read_ini(text_, file_)) take(std::move(entry));
        config_.array = {whole("ArrayHeight"), whole("ArrayWidth")};
        config_.ifmap_kib = size("Ifmap");
        config_.filter_kib = size("Filter");
        config_.ofmap_kib = size("Ofmap");
        config_.stationary = stationary();
        config_.words_per_cycle = bandwidth();
        if (const IniEntry* name = find("run_name")) config_.run_name = unquoted(name->value);
        return std::move(config_);
    }

   private:
    // Keys are case-insensitive, as in Python's configparser.
    void take(IniEntry entry) {
        const Known* known = nullptr;
        std::vector<std::string> names;
        for (const Known& one : known_keys()) {
            if (one.section != entry.section) continue;
            names.emplace_back(one.key);
            if (lower(one.key) == lower(entry.key)) known = &one;
        }
        if (names.empty())
            fail(entry.key_where, ErrorCode::unknown_key,
                 "a configuration of SCALE-Sim has the sections general, architecture_presets, layout, sparsity, "
                 "network_presets and run_presets, found [" +
                     entry.section + "]");
        if (known == nullptr)
            fail(entry.key_where, ErrorCode::unknown_key,
                 "unknown key '" + entry.key + "' in [" + entry.section + "]" + did_you_mean(entry.key, names));
        if (known->use == Use::off && lower(entry.value) != "false")
            fail(entry.value_where, ErrorCode::unsupported,
                 "'" + entry.key + "' is read as false only, found '" + entry.value + "': it is not modelled");
        if (known->use == Use::read_over) config_.unused.push_back({entry.key, entry.key_where});
        const Location where = entry.key_where;
        if (!given_.emplace(known->key, std::move(entry)).second)
            fail(where, ErrorCode::duplicate_key, std::string("'") + known->key + "' is given twice");
    }

    const IniEntry* find(const std::string& key) const {
        const auto found = given_.find(key);
        return found == given_.end() ? nullptr : &found->second;
    }

    const IniEntry& entry(const std::string& key) const {
        const IniEntry* found = find(key);
        if (found == nullptr)
            throw InputError(ErrorCode::missing_key, {file_, 1, 1},
                             "[architecture_presets] has no '" + key + "', which a machine needs");
        return *found;
    }

    std::int64_t whole(const std::string& key) const { return number(entry(key)); }

    std::int64_t number(const IniEntry& entry) const {
        return whole_number(entry.value, 1, "'" + entry.key + "'", [&](ErrorCode code, const std::string& message) {
            fail(entry.value_where, code, message);
        });
    }

    // IfmapSramSzkB, or IfmapSramSz in SCALE-Sim's first version.
    std::int64_t size(const std::string& operand) const {
        const IniEntry* older = find(operand + "SramSz");
        if (older == nullptr) return whole(operand + "SramSzkB");
        if (find(operand + "SramSzkB") != nullptr)
            fail(older->key_where, ErrorCode::duplicate_key,
                 "'" + older->key + "' and '" + operand + "SramSzkB' are two names of one size");
        return number(*older);
    }

    Stationary stationary() const {
        const IniEntry& dataflow = entry("Dataflow");
        if (const auto named = stationary_named(dataflow.value)) return *named;
        fail(dataflow.value_where, ErrorCode::bad_value, "Dataflow is os, ws or is, found '" + dataflow.value + "'");
    }

    // The first of a list counts, as in SCALE-Sim. With InterfaceBandwidth CALC the memories meet the array's demand.
    std::optional<std::int64_t> bandwidth() {
        const IniEntry* mode = find("InterfaceBandwidth");
        const IniEntry* words = find("Bandwidth");
        if (mode != nullptr && mode->value != "CALC" && mode->value != "USER")
            fail(mode->value_where, ErrorCode::bad_value,
                 "InterfaceBandwidth is CALC or USER, found '" + mode->value + "'");
        std::optional<std::int64_t> first;
        if (words != nullptr)
            for (const std::string& one : split_list(words->value)) {
                IniEntry part = *words;
                part.value = one;
                const std::int64_t value = number(part);
                first = first.value_or(value);
            }
        if (mode != nullptr && mode->value == "USER") {
            if (!first)
                fail(mode->value_where, ErrorCode::missing_key,
                     "InterfaceBandwidth is USER, and there is no Bandwidth");
            return first;
        }
        if (words != nullptr) config_.unused.push_back({words->key, words->key_where});
        return std::nullopt;
    }

    static std::string unquoted(const std::string& text) {
        const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
        return quoted ? text.substr(1, text.size() - 2) : text;
    }

    [[noreturn]] void fail(const Location& where, ErrorCode code, const std::string& message) const {
        throw InputError(code, where, message, line_of(text_, where.line));
    }

    std::string_view text_;
    std::string file_;
    std::map<std::string, IniEntry> given_;
    Config config_;
};

}  // namespace

bool is_config(std::string_view text) {
    constexpr std::string_view kSection = "[architecture_presets]";
    const std::size_t at = text.find(kSection);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
}

Config read_config(std::string_view text, const std::string& file) { return ConfigReader(text, file).run(); }

std::vector<std::string> notes_about(const Config& config, bool strict) {
    Notes notes;
    for (const UnusedKey& key : config.unused) {
        if (strict)
            throw InputError(ErrorCode::unsupported, key.where, "'" + key.name + "' of SCALE-Sim changes nothing here");
        notes.add("keys of SCALE-Sim that change nothing here", key.name,
                  fmt::format("{}:{}", key.where.file, key.where.line));
    }
    return notes.texts();
}

std::optional<Memories> memories_of(const Config& config) {
    if (!config.words_per_cycle) return std::nullopt;
    const auto words = [](std::int64_t kib) { return checked_mul(kib, 1024); };
    return Memories{words(config.ifmap_kib), words(config.filter_kib), words(config.ofmap_kib),
                    *config.words_per_cycle};
}

std::string machine_text(const Config& config) {
    const std::string name = config.run_name.empty() ? "systolic" : config.run_name;
    std::string text = "architecture:\n  version: 0.4\n  nodes:\n";
    text += fmt::format(
        "  - !Container\n    name: {}\n    attributes: {{technology: \"45nm\", global_cycle_seconds: 1e-9}}\n",
        yaml_name(name));
    text +=
        "  - !Component\n    name: DRAM\n    class: DRAM\n    attributes: {type: \"LPDDR4\", width: 64, datawidth: 8";
    if (config.words_per_cycle) text += fmt::format(", shared_bandwidth: {}", *config.words_per_cycle);
    text += "}\n  - !Parallel\n    nodes:\n";
    const auto memory = [&](const char* called, const char* keeps, std::int64_t kib, const char* indent) {
        text += fmt::format(
            "{0}- !Component\n{0}  name: {1}\n{0}  class: smartbuffer_SRAM\n{0}  attributes: {{depth: {2}, "
            "width: 8, datawidth: 8}}\n{0}  constraints: {{dataspace: {{keep: [{3}]}}}}\n",
            indent, called, kib * 1024, keeps);
    };
    memory("ifmap_sram", "Inputs", config.ifmap_kib, "    ");
    memory("filter_sram", "Weights", config.filter_kib, "    ");
    memory("ofmap_sram", "Outputs", config.ofmap_kib, "    ");
    text += fmt::format("  - !Container\n    name: column\n    spatial: {{meshX: {}}}\n", config.array.columns);
    text += fmt::format("  - !Container\n    name: row\n    spatial: {{meshY: {}}}\n", config.array.rows);
    text += "  - !Parallel\n    nodes:\n";
    for (const auto& [called, keeps] : {std::pair{"ifmap_register", "Inputs"}, std::pair{"filter_register", "Weights"},
                                        std::pair{"ofmap_register", "Outputs"}})
        text += fmt::format(
            "    - !Component\n      name: {}\n      class: reg_storage\n      attributes: {{depth: 1, width: 8, "
            "datawidth: 8}}\n      constraints: {{dataspace: {{keep: [{}]}}}}\n",
            called, keeps);
    return text +
           "  - !Component\n    name: MAC\n    class: intmac\n    attributes: {multiplier_width: 8, adder_width: 8}\n";
}

namespace {

constexpr std::int64_t kMostNumber = 2147483647;

class IniReader {
   public:
    IniReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<IniEntry> run() {
        for (std::size_t begin = 0; begin < text_.size(); ++line_) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            take(text_.substr(begin, end - begin));
            begin = end + 1;
        }
        return std::move(entries_);
    }

   private:
    void take(std::string_view line) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content[0] == '#' || content[0] == ';') return;
        for (std::size_t i = 0; i < line.size(); ++i)
            if (static_cast<unsigned char>(line[i]) < 0x20 && line[i] != '\t' && line[i] != '\r')
                fail(line, i, "a control character; expected text");
        if (content[0] == '[') return section(line, content);
        if (line[0] == ' ' || line[0] == '\t')
            fail(line, line.find_first_not_of(" \t"),
                 "an indented line, which continues the value before it in SCALE-Sim; begin it in the first column");
        if (section_.empty()) fail(line, 0, "expected a section such as [general] first");
        const std::size_t separator = line.find_first_of(":=");
        const std::string_view key = trimmed(line.substr(0, separator));
        if (separator == std::string_view::npos || key.empty()) fail(line, 0, "expected 'key : value' or '[section]'");
        const std::string_view value = trimmed(line.substr(separator + 1));
        if (value.empty()) fail(line, separator, "'" + std::string(key) + "' has no value");
        const auto at = static_cast<int>(value.data() - line.data()) + 1;
        entries_.push_back({section_, std::string(key), std::string(value), {file_, line_, 1}, {file_, line_, at}});
    }

    void section(std::string_view line, std::string_view content) {
        if (content.back() != ']' || content.size() < 3) fail(line, 0, "expected '[section]'");
        section_ = content.substr(1, content.size() - 2);
    }

    [[noreturn]] void fail(std::string_view line, std::size_t at, const std::string& message) const {
        throw InputError(ErrorCode::syntax, {file_, line_, static_cast<int>(at) + 1}, message, line);
    }

    std::string_view text_;
    std::string file_;
    std::string section_;
    std::vector<IniEntry> entries_;
    int line_ = 1;
};

}  // namespace

std::vector<IniEntry> read_ini(std::string_view text, const std::string& file) { return IniReader(text, file).run(); }

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r";
    const std::size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string_view line_of(std::string_view text, int number) {
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

std::string yaml_name(const std::string& name) {
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

std::int64_t whole_number(std::string_view text, std::int64_t least, const std::string& what, const Fail& fail) {
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range || value > kMostNumber)
        fail(ErrorCode::overflow, what + " is at most 2147483647, found '" + std::string(text) + "'");
    if (error != std::errc{} || stopped != text.data() + text.size())
        fail(ErrorCode::wrong_type, what + " is a whole number, found '" + std::string(text) + "'");
    if (value < least)
        fail(ErrorCode::bad_value, what + " is at least " + std::to_string(least) + ", found " + std::string(text));
    return value;
}

}  // namespace tilewright::scalesim
