// A set of names in one text, for readable operator tables.
#pragma once

#include <set>
#include <sstream>
#include <string>

namespace tilewright::onnx {

class WordSet {
   public:
    /// `words` separated by spaces.
    explicit WordSet(const std::string& words) {
        std::istringstream in(words);
        for (std::string word; in >> word;) words_.insert(word);
    }
    bool contains(const std::string& word) const { return words_.contains(word); }

   private:
    std::set<std::string> words_;
};

}  // namespace tilewright::onnx
