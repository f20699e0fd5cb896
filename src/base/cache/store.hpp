// Store: texts on disk by key, for any number of concurrent processes.
//
// An entry is a file named by a hash of its key, holding key and checksum: a damaged entry, or a hash collision, never
// counts as an answer. Atomic writes. Thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewright::cache {

struct Found {
    std::optional<std::string> value;
    bool damaged = false;  ///< the entry differs from the written one
    std::filesystem::path file;
};

class Store {
   public:
    /// The directory is made at the first write.
    explicit Store(std::filesystem::path directory) : directory_(std::move(directory)) {}

    Found read(const std::string& key) const;
    /// Throws InputError(io) on failure.
    void write(const std::string& key, const std::string& value) const;

   private:
    std::filesystem::path file_of(const std::string& key) const;

    std::filesystem::path directory_;
};

}  // namespace tilewright::cache
