// What the program calls itself.
#pragma once

namespace tilewright {

/// "0.2.0": what keys of caches and stores name.
const char* version();

/// What documents and `--version` name: in a build of a commit that is no release with the commit, "0.2.0+g4f883b02ab".
/// Of the shared library alone (cmake/version.cmake), so that a new commit links nothing else anew.
const char* build_version();

}  // namespace tilewright
