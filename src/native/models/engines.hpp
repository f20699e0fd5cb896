// Engines that serve language models (data/serving/engines.yaml): constants of their software.
#pragma once

#include <string>
#include <vector>

#include "llm/server/engine.hpp"

namespace tilewright::native {

/// Throws InputError(unknown_name), with the choices.
llm::Engine engine_named(const std::string& name);

/// In the file's order.
std::vector<std::string> engine_names();

}  // namespace tilewright::native
