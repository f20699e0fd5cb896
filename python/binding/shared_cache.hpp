// AnswerCache of Python: answers for as many calls and threads as there are, and whole reports of calls that come
// again, which a compiler asks for thousands of times.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/report.hpp"
#include "run/answer_cache.hpp"
#include "values.hpp"

namespace tilewright::python {

class SharedCache {
   public:
    explicit SharedCache(std::optional<std::filesystem::path> directory);

    AnswerCache& answers() { return answers_; }
    /// Layer shapes whose answer was known.
    std::int64_t found() const;

    /// Of the same call before; null: there was none. `key`: all but the machine, which counts as the object it is.
    std::shared_ptr<report::Report> report(const NamedMachine& machine, const std::string& key);
    void keep(const NamedMachine& machine, const std::string& key, std::shared_ptr<report::Report> report);

    /// What went wrong with the disk since this was asked.
    std::vector<std::string> take_warnings();

   private:
    struct Known {
        Machine machine;  ///< lives as long, so that its address is no other's
        std::shared_ptr<report::Report> report;
    };

    mutable std::mutex mutex_;  ///< of what follows but the answers
    std::vector<std::string> warnings_;
    std::unordered_map<std::string, Known> reports_;
    std::int64_t found_in_reports_ = 0;
    AnswerCache answers_;
};

}  // namespace tilewright::python
