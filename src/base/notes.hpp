// Remarks for the user on correct input, collected while files are read.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

/// Sentences and lists of names, each once, in order of appearance. A list is one note: a statement and its names. Not
/// thread-safe.
class Notes {
   public:
    void add(const std::string& sentence);
    /// Adds name and place to the note "`about`: first, second (b.yaml:3)", the first of each name only.
    void add(const std::string& about, const std::string& name, const std::string& place);

    std::vector<std::string> texts() const;
    bool empty() const { return notes_.empty(); }

   private:
    struct Note {
        std::string about;
        std::vector<std::string> names;
        std::vector<std::string> places;
    };
    Note& about(const std::string& text);

    std::vector<Note> notes_;
};

}  // namespace tilewright
