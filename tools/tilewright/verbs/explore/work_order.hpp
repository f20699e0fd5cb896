// What `tilewright explore worker` gets from a store: the command that began the exploration, with the files it read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "explore/engine.hpp"

namespace tilewright::cli {

/// The command and its files. `read`: names of what was read; those that are no files are left out, and files that the
/// arguments name are added. Throws InputError for more than a database should carry.
explore::WorkOrder work_order(std::vector<std::string> arguments, const std::vector<std::string>& read);

/// The files of an order, laid out in a temporary folder as they lay where the command was given. While this lives, the
/// program works there and reads nothing else: whoever filled the store names the paths. One at a time.
class WorkFolder {
   public:
    /// `allowed`: what else of this machine may be read, absolute.
    WorkFolder(const explore::WorkOrder& order, std::vector<std::filesystem::path> allowed);
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    /// The arguments, with absolute names of files where those lie now.
    std::vector<std::string> arguments() const;
    /// `text` with the names that files had where the command was given.
    std::string as_given(std::string text) const;

   private:
    const explore::WorkOrder& order_;
    std::filesystem::path before_;
    std::filesystem::path root_;
    std::optional<ReadingOnly> fence_;
};

/// An evaluator whose rows do not tell where it ran.
class RelocatedEvaluator : public explore::Evaluator {
   public:
    /// Both outlive it.
    RelocatedEvaluator(explore::Evaluator& inner, const WorkFolder& folder) : inner_(inner), folder_(folder) {}
    std::optional<explore::Batch> evaluate(const explore::Chunk& chunk, const StopSource& stop) override;
    bool learns() const override { return inner_.learns(); }
    void learn(const std::vector<explore::Row>& incumbents) override { inner_.learn(incumbents); }

   private:
    explore::Evaluator& inner_;
    const WorkFolder& folder_;
};

// The job script of `tilewright explore slurm`: an array of Slurm jobs, each a worker of one exploration.

struct SlurmJob {
    std::string program;  ///< the program that tasks run: a path that every node knows
    std::string store;    ///< FILE or postgresql://...
    std::int64_t workers = 1;
    std::int64_t threads = 1;             ///< of each
    std::optional<double> lease_seconds;  ///< of --lease
};

/// A script of bash for sbatch. Told to end (SIGTERM, which it asks for a minute before the time limit) it lets the
/// worker give its chunk back; a worker that dies is started again, a hundred times at most.
std::string slurm_script(const SlurmJob& job);

}  // namespace tilewright::cli
