// SCALE-Sim's configuration files (*.cfg): a systolic array, its three memories and the stationary operand.
//
// Every key is used, noted as without effect, or refused at its place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "scalesim/stalls.hpp"

namespace tilewright::scalesim {

/// A key without effect.
struct UnusedKey {
    std::string name;
    Location where;
};

struct Config {
    std::string run_name;
    SystolicArray array;
    Stationary stationary = Stationary::output;
    std::int64_t ifmap_kib = 0;
    std::int64_t filter_kib = 0;
    std::int64_t ofmap_kib = 0;
    std::optional<std::int64_t> words_per_cycle;  ///< of the DRAM with InterfaceBandwidth USER: the first of a list
    std::vector<UnusedKey> unused;
};

/// True for a text with a section [architecture_presets].
bool is_config(std::string_view text);

/// Throws InputError at the first mistake: a line without section or key, an unknown or repeated key, a missing size,
/// an unmodelled feature (sparsity, layouts, Ramulator).
Config read_config(std::string_view text, const std::string& file);

/// Names the keys without effect. If `strict`, throws InputError for the first.
std::vector<std::string> notes_about(const Config& config, bool strict);

/// Its memories with InterfaceBandwidth USER: words of a byte. Throws OverflowError.
std::optional<Memories> memories_of(const Config& config);

/// The machine in Timeloop's format: words of 8 bits, the three memories with an operand each, a register for each
/// operand in every unit.
std::string machine_text(const Config& config);

// Files of sections, keys and values with places, as in Python's configparser; shared parts of SCALE-Sim's readers.
// Private to this room.

/// `key: value` or `key = value` below `[section]`.
struct IniEntry {
    std::string section;
    std::string key;
    std::string value;
    Location key_where;
    Location value_where;
};

/// Lines beginning with '#' or ';' are comments. Throws InputError for a key outside of sections or without a value,
/// and for indented lines, configparser's continuation.
std::vector<IniEntry> read_ini(std::string_view text, const std::string& file);

/// "10, 20" -> "10", "20"
std::vector<std::string> split_list(std::string_view text);
std::string_view trimmed(std::string_view text);
std::string_view line_of(std::string_view text, int number);
/// In quotes if YAML needs them.
std::string yaml_name(const std::string& name);

using Fail = std::function<void(ErrorCode, const std::string&)>;
/// An integer from `least` to 2^31 - 1; `fail` throws.
std::int64_t whole_number(std::string_view text, std::int64_t least, const std::string& what, const Fail& fail);

}  // namespace tilewright::scalesim
