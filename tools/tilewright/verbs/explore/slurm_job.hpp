// The job script of `tilewright explore slurm`: an array of Slurm jobs, each a worker of one exploration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::cli {

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
