// SPDX-License-Identifier: Apache-2.0
// TILEWRIGHT_VERSION: of the headers that a program is compiled with; documents carry the library's.
//
//     std::cout << "made with tilewright " << TILEWRIGHT_VERSION << '\n';
//
// Thread-safe: a constant.
#pragma once

/// As CMakeLists.txt has it: the library's own sources are compiled with the same definition.
#define TILEWRIGHT_VERSION "0.2.0"
