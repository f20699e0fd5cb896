// What convert writes of an exploration that a store remembers: its points, or the space that was explored.
#pragma once

#include <string>

#include "verbs/convert/convert_formats.hpp"

namespace tilewright::cli {

/// True for a store's name: a file *.sqlite, or postgresql://...
bool is_exploration(const std::string& name);

/// `format`: csv, jsonl (a JSON object a line) or space (a file for `explore --space`). What a space file cannot say of
/// the command becomes a note. Throws InputError.
Converted exploration_file(const std::string& store, const std::string& format);

}  // namespace tilewright::cli
