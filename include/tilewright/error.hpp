// SPDX-License-Identifier: Apache-2.0
// What goes wrong: InputError for input that is wrong, with its place; OverflowError for counts beyond 64 bits.
//
//     try {
//         const Machine machine = Machine::read({"arch.yaml"});
//     } catch (const InputError& error) {
//         std::cerr << error.what() << '\n';      // arch.yaml:12:7: error: unknown key 'dept'; did you mean 'depth'?
//     }
//
// Nothing in the library exits or prints. A std::logic_error is a mistake of Tilewright's own. Thread-safe: values.
#pragma once

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
