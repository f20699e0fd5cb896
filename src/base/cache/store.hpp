// Store: texts on disk by their key, for any number of processes at once.
//
// An entry is a file of its own, named by a hash of its key, and holds the key and a checksum: a damaged entry, or one
// of another key with the same hash, is not taken for an answer. Writing is atomic. Thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewright::cache {

struct Found {
    std::optional<std::string> value;
    bool damaged = false;  ///< there is an entry, but it is not what was written
    std::filesystem::path file;
};

class Store {
   public:
    /// The directory is made when something is written.
    explicit Store(std::filesystem::path directory) : directory_(std::move(directory)) {}

    Found read(const std::string& key) const;
    /// Throws InputError(io) when it cannot.
    void write(const std::string& key, const std::string& value) const;

   private:
    std::filesystem::path file_of(const std::string& key) const;

    std::filesystem::path directory_;
};

}  // namespace tilewright::cache
