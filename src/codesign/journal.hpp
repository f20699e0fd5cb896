// Answers about boxes and machines, written to a file at once. A killed search is repeated: it asks the same questions
// in the same order, and the file answers the old ones, so it ends as if never killed.
//
//     Journal journal("proof.sqlite", {{"space", "..."}, {"version", "..."}});
//     Remembered remembered(subject, journal);
//     search(remembered, space, settings, stop);
//
// An SQLite file in WAL mode: every answer is one transaction.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "codesign/search.hpp"

namespace tilewright::explore::sqlite {
class Connection;
}

namespace tilewright::codesign {

class Journal {
   public:
    /// Opens or makes the file. `identity`: all inputs to the answers, by name. Throws InputError(bad_value) with the
    /// first difference for another search's file, (io) if it cannot be read or written.
    Journal(const std::string& file, const std::vector<std::pair<std::string, std::string>>& identity);
    ~Journal();

    /// The answer to a question; unknown ones call `find_out`. Stored if `worth_keeping`: not after a stop.
    /// Thread-safe; `find_out` runs outside of the lock.
    std::optional<double> answer(const std::string& question, const std::function<std::optional<double>()>& find_out,
                                 const std::function<bool()>& worth_keeping);

    /// Answers found in the file.
    std::int64_t found() const { return found_; }

   private:
    void check_identity(const std::vector<std::pair<std::string, std::string>>& identity);
    bool look_up(const std::string& question, std::optional<double>& answer);
    void keep(const std::string& question, const std::optional<double>& answer);

    std::mutex mutex_;
    std::unique_ptr<explore::sqlite::Connection> connection_;
    std::int64_t found_ = 0;
};

/// A subject with its dear answers stored.
class Remembered : public Subject {
   public:
    /// All outlive it. `prefix` separates the questions of several subjects in one journal.
    Remembered(Subject& subject, Journal& journal, const StopSource& stop, std::string prefix = "")
        : subject_(subject), journal_(journal), stop_(stop), prefix_(std::move(prefix)) {}

    std::optional<double> quick_floor(const Box& box) override { return subject_.quick_floor(box); }
    std::optional<double> floor(const Box& box, double enough) override;
    std::size_t knob_to_cut(const Box& box) override;
    Mapped map(explore::Point point) override;
    bool floors_machines() const override { return subject_.floors_machines(); }
    double promise(const Box& box) override { return subject_.promise(box); }

   private:
    Subject& subject_;
    Journal& journal_;
    const StopSource& stop_;
    const std::string prefix_;
};

}  // namespace tilewright::codesign
