// What caches of answers on disk have in common: keys, answers as text, and when one is believed. Internal to run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "run/map_layer.hpp"

namespace tilewright {

/// All of the options that decides the answer of a mapper, and nothing else: no limits of time, no threads.
std::string answer_key(const MapOptions& options, MapperKind mapper);

/// Requires an answer with a mapping, its evaluation and a search.
std::string answer_text(const LayerAnswer& answer, const LayerProblem& problem);

/// What a mapping costs now; nothing where it is not legal or not counted.
using CostsNow = std::function<std::optional<Evaluation>(const Mapping&)>;

/// The answer with all its costs; nothing for a text that is none to this problem, and where a mapping does not cost
/// now what it did then.
std::optional<LayerAnswer> believed_answer(const std::string& text, const LayerProblem& problem, const CostsNow& costs);

}  // namespace tilewright
