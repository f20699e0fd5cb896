// tilewright explore: a space of designs, each measured by the best mappings on it; a store that remembers them.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "base/version.hpp"
#include "explore/cluster/stores.hpp"
#include "explore/engine.hpp"
#include "explore/sqlite_store.hpp"
#include "inputs/asked.hpp"
#include "native/cost_table.hpp"
#include "native/exploration.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "run/codesign/best_machine.hpp"
#include "run/codesign/machine_subject.hpp"
#include "run/explore/mapping_evaluator.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/explore/designs.hpp"
#include "verbs/explore/explore_proof.hpp"
#include "verbs/explore/explored.hpp"
#include "verbs/explore/work_order.hpp"
#include "verbs/map/fused_search.hpp"
#include "verbs/package/package_plans.hpp"
#include "verbs/package/set_account.hpp"

namespace tilewright::cli {
namespace {

using explore::Specification;

constexpr const char* kExploreVerb = "explore";
constexpr const char* kStoreFile = "explore.sqlite";

// "--OPTION a.depth=1,2,3" arrives cut at its commas: what has no '=' goes on with the knob before it.
std::vector<explore::Knob> knobs_of(const std::string& option, const std::vector<std::string>& words) {
    std::vector<std::string> texts;
    for (const std::string& word : words) {
        if (word.find('=') != std::string::npos || texts.empty())
            texts.push_back(word);
        else
            texts.back() += "," + word;
    }
    std::vector<explore::Knob> knobs;
    knobs.reserve(texts.size());
    for (const std::string& text : texts) knobs.push_back(explore::parse_knob(text, {option + " " + text}));
    return knobs;
}

/// Options that decide where rows are kept or shown, and how fast they come, but not what they are.
const std::set<std::string>& options_beside_the_rows() {
    static const std::set<std::string> kNames = {
        "allow", "store", "output", "prepare", "lease", "top",      "where",      "csv",     "jsonl", "html",
        "svg",   "color", "quiet",  "threads", "cache", "no-cache", "no-pruning", "workers", "json",  "points"};
    return kNames;
}

class Explore : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_machine(options);
        inputs_.declare_net(options);
        options.group("Design space");
        options.value("set", 0, "NAME=VALUES",
                      "a knob and its values: buffer.depth=4k,8k,16k, PE.meshX=4..16*2, technology=45nm,65nm, net=..., "
                      "dim.batch=1,4, mapper=..., objective=..., factors=...",
                      &set_);
        options
            .value("space", 0, "FILE", "a YAML file that says the space (docs/explore.md); options add to it", &space_)
            .completes = "file";
        options.value("let", 0, "NAME=VALUES",
                      "a variable and its values, for expressions: --let size=64..512*2 --set buffer.depth=size*16",
                      &let_);
        options.value("limit", 0, "LIST", "designs beyond are not valid: 'area<16,power<450'", &limits_);
        options.flag("reestimate", 0,
                     "estimate the energies and areas of what the knobs resize, even where they are given",
                     &reestimate_);
        options
            .value("store", 0, "FILE",
                   "an SQLite file, or postgresql://..., that remembers every point; the same command goes on", &store_)
            .completes = "file";
        options.value("points", 0, "FIRST..LAST",
                      "measure these points of the space only, counted from 0, into a file of their own; explore merge "
                      "puts such files together (docs/cluster.md)",
                      &points_);
        options.flag("prepare", 0, "make the store and end: workers measure (docs/cluster.md)", &prepare_);
        options.value("lease", 0, "SECONDS",
                      "a worker that PostgreSQL has not heard of for so long is taken for dead (default 60)", &lease_);
        options
            .value("allow", 0, "LIST",
                   "explore worker: files and folders of this machine that the work may read, beside what came with it",
                   &allow_)
            .completes = "file";
        options
            .value("workers", 0, "N", "explore slurm: how many workers, each a task of the array (default 4)",
                   &workers_)
            .between(1, 100'000);
        package_.declare_package(options);
        dataflow_.declare(options);
        options
            .value(
                "cost", 0, "FILE",
                "of a dataflow's designs: areas, powers and energies of their blocks (examples/explore/cost_28nm.yaml)",
                &cost_)
            .completes = "file";
        options.flag("discard", 0,
                     "with --best or --pareto: only the front counts, and designs are not mapped whose bounds say that "
                     "they are worse",
                     &discard_);
        options.flag(
            "prove", 0,
            "only the best machine or package by --best counts, or machines of the front of --pareto: they are "
            "found by bounds of many at once, and no other is better (docs/codesign.md)",
            &prove_);
        options.flag("fuse", 0, "machines are measured by the best fused mapping of a cascade (docs/fusion.md)",
                     &fuse_);
        options.flag("worth", 0,
                     "with --prove --best: worth of each value of each knob, the best machine with it beside the "
                     "best of all",
                     &worth_);
        options.flag("keep-all", 0, "of a dataflow's designs, keep those beyond a limit, too", &keep_all_);
        options.flag("no-pruning", 0, "measure every design of a dataflow, also where a range is beyond a limit",
                     &no_pruning_);
        plan_.declare(options);
        cache_.declare(options);
        options.group("Output");
        show_.declare_directory(options);
        show_.declare(options);
        declare_rules(options);
    }

    ExitStatus run() override {
        const std::string first = inputs_.files.empty() ? "" : inputs_.files.front();
        for (const HelpAbout& about : subcommands())
            if (const std::size_t words = inputs_.files.size() - 1;
                about.name == first && (words < about.least_words || words > about.most_words))
                fail_usage(kExploreVerb, fmt::format("explore {} takes {}", first, about.synopsis));
        if (first == "show") return show();
        if (first == "stop") return stop_workers();
        if (first == "merge") return merge_parts();
        if (first == "worker") return work_for_another();
        if (first == "slurm") return print_slurm_job();
        for (const std::string& text : limits_) limit_texts_.push_back({text, {"--limit " + text}});
        let_knobs_ = knobs_of("--let", let_);
        set_knobs_ = knobs_of("--set", set_);
        if (!space_.empty()) read_space();
        show_.check();
        if (set_knobs_.empty())
            fail_usage(kExploreVerb, "nothing varies: give --set NAME=VALUES, e.g. --set buffer.depth=4k,8k");
        if (!package_.package.empty()) return explore_packages();
        if (plan_.time_limit_seconds)
            fail_usage(kExploreVerb, "--time-limit: the rows would depend on the machine's speed");
        if (has_dataflows(inputs_, dataflow_)) return explore_dataflows();
        if (!cost_.empty())
            fail_usage(kExploreVerb, "--cost is for dataflows; a machine's file has its own areas and energies");
        return explore_mappings();
    }

    std::optional<HelpAbout> help_about(const std::vector<std::string>& arguments) const override {
        const std::string first = arguments.empty() ? "" : arguments.front();
        for (const HelpAbout& about : subcommands())
            if (about.name == first) return about;
        return std::nullopt;
    }

   private:
    // What the first word may ask for, with the options that it takes.
    static std::vector<HelpAbout> subcommands() {
        return {{"show",
                 "what a store holds: a table, files, pictures",
                 "FILE | postgresql://... [options]",
                 {"pareto", "best", "top", "where", "output", "json", "csv", "jsonl", "html", "svg", "color", "quiet"},
                 1,
                 1},
                {"stop",
                 "tells all workers of a store to end; the command that began it, given again, goes on",
                 "FILE | postgresql://... [options]",
                 {"quiet"},
                 1,
                 1},
                {"merge",
                 "puts stores of one exploration together, each with other points (--points)",
                 "FILE... --store FILE [options]",
                 {"store", "quiet"},
                 1,
                 std::numeric_limits<std::size_t>::max()},
                {"worker",
                 "measures points of an exploration that was begun elsewhere (docs/cluster.md)",
                 "--store FILE | postgresql://... [options]",
                 {"store", "threads", "lease", "allow", "cache", "no-cache", "no-pruning", "quiet"}},
                {"slurm",
                 "prints a job script for sbatch: an array whose tasks are workers (docs/cluster.md)",
                 "--store postgresql://... [options] | sbatch",
                 {"store", "workers", "threads", "lease"}}};
    }

    static void declare_rules(Options& options) {
        for (const HelpAbout& about : subcommands())
            options.takes_only({"WORD=" + about.name}, {about.options.begin(), about.options.end()},
                               "explore " + about.name + " takes no {}");
        options.only_with({"WORD=merge", "WORD=worker", "WORD=slurm"}, {"store"}, "explore {} takes --store FILE, too");
        options.only_with({"workers"}, {"WORD=slurm"},
                          "--workers is for explore slurm; a worker's threads are --threads");
        options.only_with({"allow"}, {"WORD=worker"},
                          "--allow is for explore worker: this command reads the files it names");
        options.only_with({"worth"}, {"prove"});
        options.not_with({"discard", "prepare", "points"}, {"prove"},
                         "--prove needs neither --discard nor --prepare nor --points");
        options.not_with({"discard"}, {"package"},
                         "--package: without --discard; --prove --best plans few packages, by bounds of many at once");
        options.not_with({"rename", "layers", "density"}, {"fuse"}, "--fuse maps a cascade as a whole: without {}");
    }

    // What the file says, unless the command line has said it.
    void read_space() {
        check_input_size(inputs_.largest_input_mib, space_);
        const native::Exploration file = native::read_exploration(
            yaml::parse_file(space_, yaml::Duplicates::refuse, most_input_bytes(inputs_.largest_input_mib, space_)));
        const auto fill = [](auto& target, const auto& value) {
            if (target.empty()) target = value;
        };
        fill(inputs_.arch, file.arch);
        if (inputs_.einsum.empty()) fill(inputs_.nets, file.nets);
        fill(inputs_.layers, file.layers);
        fill(plan_.mapper, file.mapper);
        fill(plan_.objective, file.objective);
        fill(plan_.factors, file.factors);
        fill(dataflow_.dataflow, file.dataflow);
        fill(cost_, file.cost);
        if (show_.best.empty() && show_.pareto.empty()) show_.pareto = file.pareto;
        if (show_.best.empty() && show_.pareto.empty()) show_.best = file.best;
        if (show_.directory.empty()) fill(store_, file.store);
        add_knobs(file.let, let_knobs_);
        add_knobs(file.set, set_knobs_);
        for (const native::PlacedText& limit : file.limits) limit_texts_.push_back(limit);
    }

    static void add_knobs(const std::vector<native::PlacedKnob>& file, std::vector<explore::Knob>& knobs) {
        for (const native::PlacedKnob& knob : file) {
            const bool given = std::any_of(knobs.begin(), knobs.end(),
                                           [&](const explore::Knob& other) { return other.name == knob.name; });
            if (!given) knobs.push_back({knob.name, explore::parse_values(knob.values, knob.where), knob.where});
        }
    }

    ExitStatus show() const {
        show_.check();
        const explore::Recorded recorded = cluster::read_store(inputs_.files[1]);
        present(*recorded.store, recorded.specification, recorded.name, show_, {});
        return ExitStatus::done;
    }

    ExitStatus stop_workers() const {
        const explore::Recorded recorded = cluster::read_store(inputs_.files[1], true);
        recorded.store->set_stopped(true);
        if (!show_.quiet) print(recorded.name + ": workers end; the command that began it, given again, goes on\n");
        return ExitStatus::done;
    }

    ExitStatus merge_parts() const {
        const std::vector<std::string> parts(inputs_.files.begin() + 1, inputs_.files.end());
        for (const std::string& name : inputs_.files)
            if (cluster::is_postgresql(name) || cluster::is_postgresql(store_))
                fail_usage(kExploreVerb, "explore merge is for files; workers of a server share its one store");
        const std::int64_t taken = explore::merge_sqlite(store_, parts);
        if (!show_.quiet)
            print(
                fmt::format("{} points put into {}: tilewright explore show {}\n", count_text(taken), store_, store_));
        return ExitStatus::done;
    }

    // The command that began the exploration, done over with its own files: rows go to the same store.
    ExitStatus work_for_another() const {
        const explore::WorkOrder order = cluster::order_in_store(store_);
        const std::string store = cluster::is_postgresql(store_) ? store_ : std::filesystem::absolute(store_).string();
        const std::string cache = cache_.directory.empty() ? "" : std::filesystem::absolute(cache_.directory).string();
        const WorkFolder folder(order, allowed(cache));
        Explore command;
        Options options;
        command.declare(options);
        options.parse(kExploreVerb, folder.arguments());
        command.folder_ = &folder;
        command.store_ = store;
        command.lease_ = lease_;
        command.plan_.threads = plan_.threads;
        command.cache_ = {cache, cache_.off};
        command.show_.quiet = show_.quiet;
        command.no_pruning_ = no_pruning_;
        return command.run();
    }

    // Reads nothing of the store: whether it is there is for the workers to find out.
    ExitStatus print_slurm_job() const {
        const std::int64_t workers = workers_.value_or(4);
        const std::int64_t threads = plan_.threads.value_or(1);
        if (threads < 1) fail_usage(kExploreVerb, "explore slurm: --threads takes the cores of one worker, at least 1");
        if (!cluster::is_postgresql(store_))
            fail_usage(
                kExploreVerb,
                "explore slurm takes postgresql://...: the locks of an SQLite file hold between processes of one "
                "machine, not over a network drive; without a server, give each task --points FIRST..LAST and a "
                "--store of its own, and then explore merge (docs/cluster.md)");
        const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
        print(slurm_script({program, store_, workers, threads, lease_}));
        return ExitStatus::done;
    }

    /// Files of this machine that a worker may read: what its own command says, and its cache.
    std::vector<std::filesystem::path> allowed(const std::string& cache) const {
        std::vector<std::filesystem::path> all;
        for (const std::string& place : allow_) {
            std::error_code unknown;
            if (!std::filesystem::exists(place, unknown))
                throw InputError(ErrorCode::missing_file, {"--allow " + place}, "there is no such file or folder");
            all.push_back(std::filesystem::absolute(place));
        }
        if (const std::optional<std::string> answers = cache_directory({cache, cache_.off}))
            all.push_back(std::filesystem::absolute(*answers));
        return all;
    }

    std::optional<std::pair<explore::Point, explore::Point>> part_of(const explore::Space& space,
                                                                     const std::string& store) const {
        if (points_.empty()) return std::nullopt;
        if (store.empty() || cluster::is_postgresql(store))
            fail_usage(kExploreVerb, "--points keeps a part of the space in a file of its own: give --store FILE");
        const std::size_t dots = points_.find("..");
        const auto first = whole_number(points_.substr(0, dots));
        const auto last = dots == std::string::npos ? first : whole_number(points_.substr(dots + 2));
        if (!first || !last || *first > *last || *last >= space.size())
            fail_usage(kExploreVerb,
                       fmt::format("--points takes FIRST..LAST, from 0 to {}, found '{}'", space.size() - 1, points_));
        return std::pair(*first, *last + 1);
    }

    static std::optional<std::int64_t> whole_number(const std::string& text) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc{} && end == text.data() + text.size() && number >= 0 ? std::optional(number)
                                                                                       : std::nullopt;
    }

    std::string store_file() const {
        if (!show_.directory.empty()) make_directory(show_.directory);
        if (!store_.empty() || show_.directory.empty()) return store_;
        return (std::filesystem::path(show_.directory) / kStoreFile).string();
    }

    void read_limits(Specification& specification) const {
        for (const native::PlacedText& limit : limit_texts_)
            specification.limits.push_back(explore::parse_limit(limit.text, specification.metrics, limit.where));
        static_cast<void>(show_.objectives(specification.metrics));
    }

    // What is asked beside fusion or a package must not be ignored.
    void check_beside(Capability whole, const InputOptions& inputs) const {
        std::vector<Capability> together = capabilities_asked(kExploreVerb, inputs, plan_);
        for (const explore::Knob& knob : set_knobs_)
            if (knob.name == "mapper" || knob.name == "factors") together.push_back(Capability::chosen_search);
        if (fuse_) together.push_back(Capability::fusion);
        if (fuse_ && plan_.objective == "pareto") fail_usage(kExploreVerb, kOneMapping);
        if (has_dataflows(inputs, dataflow_)) together.push_back(Capability::dataflows);
        if (whole != Capability::fusion) together.push_back(whole);
        refuse_for(kExploreVerb, refusal(together));
    }

    ExitStatus explore_mappings() {
        const DesignKnobs knobs = design_knobs(let_knobs_, set_knobs_);
        Specification specification;
        specification.space = knobs.space;
        specification.metrics = mapping_metrics();
        read_limits(specification);
        InputOptions inputs = inputs_;
        inputs.sparse = !inputs.dense && !fuse_;
        if (fuse_) check_beside(Capability::fusion, inputs);
        Designs designs(inputs, plan_, knobs, reestimate_, fuse_);
        specification.given = designs.given();
        if (discard_) keep_front_only(specification, designs);
        AnswerCache cache(answer_cache(cache_, designs.options(), show_.quiet));
        if (prove_) {
            if (designs.has_given_mappings())
                fail_usage(kExploreVerb, "--prove: given mappings need no search to be spared");
            const ProofRequest request = proof_request(specification);
            if (show_.best.empty()) return prove_front(designs, knobs, request, cache);
            return prove_best(
                {designs.title(),
                 [&](const BestMachineQuestion& question, const StopSource& stop, const BestMachineControl& control) {
                     return best_machine(designs, knobs, question, cache, stop, control);
                 },
                 [&] { return designs.notes(); }},
                request);
        }
        // Enough layers side by side for every thread, and little to lose when it is killed.
        const auto layers = static_cast<std::int64_t>(designs.layers_of_first());
        const std::int64_t most = discard_ ? 2 : 16;  // what is found is known to the next chunk only
        const std::int64_t chunk = std::clamp<std::int64_t>(32 / std::max<std::int64_t>(layers, 1), 1, most);
        MappingEvaluator evaluator(designs, specification, cache, discard_ ? chunk : std::min(chunk, threads()));
        return work(evaluator, specification, std::max(chunk, specification.space.size() / kMostChunks),
                    designs.title(), designs.read(), [&] { return notes_of(designs); });
    }

    ProofRequest proof_request(const Specification& specification) const {
        if (show_.best.empty() && show_.pareto.empty())
            fail_usage(kExploreVerb, "--prove needs --best energy, latency or edp, or --pareto");
        if (worth_ && show_.best.empty()) fail_usage(kExploreVerb, "--worth is about one best machine, not a front");
        if (show_.writes_rows()) fail_usage(kExploreVerb, "--prove maps few machines: there are no rows to be written");
        const std::string journal = store_file();
        if (cluster::is_postgresql(journal))
            fail_usage(kExploreVerb, "--prove keeps its answers in a file: --store FILE");
        return {specification, show_.objectives(specification.metrics),           worth_, !plan_.objective.empty(),
                journal,       {show_.directory, show_.json, show_.quiet, "", ""}};
    }

    /// Points that are measured side by side: more would only be kept later.
    std::int64_t threads() const {
        const std::int64_t all = std::max(1U, std::thread::hardware_concurrency());
        return plan_.threads && *plan_.threads > 0 ? *plan_.threads : all;
    }

    void keep_front_only(Specification& specification, const Designs& designs) const {
        specification.front_only = show_.objectives(specification.metrics);
        if (specification.front_only.empty()) fail_usage(kExploreVerb, "--discard needs --best or --pareto");
        if (designs.has_given_mappings())
            fail_usage(kExploreVerb, "--discard: given mappings need no search to be spared");
        for (const std::size_t metric : specification.front_only)
            if (!has_floor(specification.metrics[metric]))
                fail_usage(kExploreVerb, "--discard: nothing bounds '" + specification.metrics[metric].name + "'");
    }

    std::vector<std::string> notes_of(const Designs& designs) const {
        std::vector<std::string> notes = designs.notes();
        if (discard_)
            notes.emplace_back(
                "skipped designs are beyond a limit or worse than a found one, by bounds on all their mappings "
                "(docs/explore.md)");
        return notes;
    }

    ExitStatus explore_packages() {
        check_beside(Capability::package, inputs_);
        if (!inputs_.arch.empty() || !inputs_.files.empty() || !let_knobs_.empty() || reestimate_ || !cost_.empty())
            fail_usage(kExploreVerb,
                       "--package names the machine: without --arch, files, --let, --reestimate and --cost");
        if (is_set_run(package_))
            fail_usage(kExploreVerb,
                       "--package: SET's run.json has no attributes that --set could vary; a package's "
                       "YAML file has (docs/packages-of-cores.md)");
        Specification specification;
        specification.space = explore::Space(set_knobs_);
        specification.metrics = package_metrics();
        read_limits(specification);
        SearchPlan plan = plan_;
        if (prove_ && plan.objective.empty()) plan.objective = provable_objective(specification);
        const PackagesToExplore given = packages_to_explore(inputs_, plan, package_);
        specification.given = given.given;
        if (prove_)
            return prove_best(
                {given.title,
                 [&](const BestMachineQuestion& question, const StopSource& stop, const BestMachineControl& control) {
                     return best_package(given.subject, question, static_cast<int>(plan.threads.value_or(0)), stop,
                                         control);
                 },
                 [&] { return given.notes; }},
                proof_request(specification));
        PackageEvaluator evaluator(given.subject, specification);
        return work(evaluator, specification, 1, given.title, given.read, [&] { return given.notes; });
    }

    // Plans are searched for what the packages are compared by, unless the command says otherwise.
    std::string provable_objective(const Specification& specification) const {
        if (!show_.pareto.empty())
            fail_usage(kExploreVerb, "--prove --package takes --best: a package is compared by its one best plan");
        if (show_.best.empty()) return "";
        const explore::Metric& metric = specification.metrics[show_.objectives(specification.metrics).front()];
        return objective_of(metric) ? metric.alias : "";
    }

    ExitStatus explore_dataflows() {
        ExploredDataflows given = explored_dataflows(inputs_, dataflow_);
        Specification specification;
        if (prove_) fail_usage(kExploreVerb, "--prove is for machines, not for dataflows");
        if (fuse_) fail_usage(kExploreVerb, refusal(Capability::fusion, Capability::dataflows));
        if (discard_) fail_usage(kExploreVerb, "--discard is for mappings; ranges of dataflows are skipped anyway");
        if (!let_knobs_.empty())
            fail_usage(kExploreVerb, "--let is for machines; the sizes of a dataflow may be expressions");
        specification.space = explore::Space(set_knobs_);
        specification.metrics = explore::dataflow_metrics();
        read_limits(specification);
        explore::check_dataflow_knobs(given.subject, specification.space);
        specification.given = {{"evaluator", "dataflow"},
                               {"version", fmt::format("tilewright {}", version())},
                               {"layers, dataflows and machine", content_hash(given.text)},
                               {"kept", keep_all_ ? "all" : "valid"}};
        if (!cost_.empty()) {
            specification.given.emplace_back("cost", content_hash(read_file(cost_)));
            given.subject.cost = native::read_cost_table(yaml::parse_file(cost_));
            if (given.subject.cost.about.empty()) given.subject.cost.about = cost_;
        }
        explore::DataflowEvaluator evaluator(given.subject, specification, {!no_pruning_, keep_all_});
        // Ranges that pruning can skip as a whole are many points: few chunks, but some to be resumed from.
        constexpr std::int64_t kChunks = 256;
        constexpr std::int64_t kLeast = 4096;
        const std::int64_t chunk = std::max(kLeast, specification.space.size() / kChunks);
        return work(evaluator, specification, chunk, given.title, {}, [&] {
            std::vector<std::string> notes = given.notes;
            notes.push_back("area and power: " + given.subject.cost.about +
                            "; energy: in multiply-accumulates (docs/explore.md)");
            return notes;
        });
    }

    cluster::Connecting connecting(StopSource& stop) const {
        cluster::Connecting connecting;
        connecting.stop = &stop;
        if (lease_) connecting.lease = std::chrono::milliseconds(static_cast<std::int64_t>(*lease_ * 1e3));
        if (connecting.lease < std::chrono::seconds(1) || connecting.lease > std::chrono::hours(24))
            fail_usage(kExploreVerb, "--lease takes 1 to 86400 seconds");
        return connecting;
    }

    // Works through a store until all is done or it is stopped, and presents what there is.
    ExitStatus work(explore::Evaluator& evaluator, const Specification& specification, std::int64_t chunk_points,
                    const std::string& title, const std::vector<std::string>& read,
                    const std::function<std::vector<std::string>()>& notes) const {
        explore::Plan plan{specification, chunk_points, view_front(specification.metrics), {}, discard_};
        StopSource stop;
        if (folder_ != nullptr) return work_along(evaluator, plan, stop);
        const std::string name = store_file();
        plan.part = part_of(specification.space, name);
        if (!name.empty()) plan.order = work_order(order_arguments(), read);
        const std::unique_ptr<explore::Store> store = cluster::open_store(name, plan, connecting(stop));
        if (store->is_stopped()) store->set_stopped(false);
        if (prepare_) return prepared(name, specification);
        const Interrupt interrupt(stop);
        const explore::Point points = plan.part ? plan.part->second - plan.part->first : specification.space.size();
        ExploreProgress progress(*store, points, show_.quiet);
        const bool complete = explore::run(evaluator, *store, stop, [&] { progress.tell(); });
        progress.clear();
        present(*store, specification, title, show_, notes());
        if (!complete) return ExitStatus::interrupted;
        return store->counts().valid + store->counts().over_limit + store->counts().skipped > 0 ? ExitStatus::done
                                                                                                : ExitStatus::no_answer;
    }

    std::vector<std::string> order_arguments() const {
        Explore same = *this;
        Options options;
        same.declare(options);
        return options.arguments(options_beside_the_rows());
    }

    ExitStatus prepared(const std::string& name, const Specification& specification) const {
        if (name.empty()) fail_usage(kExploreVerb, "--prepare makes a store: give --store");
        if (!show_.quiet)
            print(fmt::format("{} points to explore: tilewright explore worker --store ...\n",
                              count_text(specification.space.size())));
        return ExitStatus::done;
    }

    // A worker tells no results: who began the exploration does, and `explore show`.
    ExitStatus work_along(explore::Evaluator& evaluator, const explore::Plan& plan, StopSource& stop) const {
        const std::unique_ptr<explore::Store> store = cluster::join_store(store_, plan, connecting(stop));
        const Interrupt interrupt(stop);
        ExploreProgress progress(*store, plan.specification.space.size(), show_.quiet);
        RelocatedEvaluator relocated(evaluator, *folder_);
        const bool complete = explore::run(relocated, *store, stop, [&] { progress.tell(); });
        progress.clear();
        const bool told = !complete && store->is_stopped();
        if (!show_.quiet)
            print(complete ? "all points are explored\n" : told ? "told to stop\n" : "stopped; others may go on\n");
        return complete || told ? ExitStatus::done : ExitStatus::interrupted;
    }

    // Of the store's view `pareto`.
    std::vector<std::size_t> view_front(const std::vector<explore::Metric>& metrics) const {
        if (!show_.pareto.empty()) return show_.objectives(metrics);
        return {explore::metric_named(metrics, "energy", {}), explore::metric_named(metrics, "latency", {})};
    }

    // Larger grids have larger chunks, of which points are kept as they are known.
    static constexpr std::int64_t kMostChunks = 100'000;

    InputOptions inputs_;
    SearchPlan plan_;
    CacheOptions cache_;
    ShowOptions show_;
    std::vector<std::string> set_;
    std::vector<std::string> let_;
    std::string space_;
    std::vector<native::PlacedText> limit_texts_;
    std::vector<explore::Knob> let_knobs_;
    std::vector<explore::Knob> set_knobs_;
    std::vector<std::string> limits_;
    bool reestimate_ = false;
    bool discard_ = false;
    bool prove_ = false;
    bool worth_ = false;
    bool fuse_ = false;
    bool keep_all_ = false;
    bool no_pruning_ = false;
    DataflowOptions dataflow_;
    PackageOptions package_;
    std::string cost_;
    std::string store_;
    std::string points_;
    bool prepare_ = false;
    std::vector<std::string> allow_;
    std::optional<double> lease_;
    std::optional<std::int64_t> workers_;
    const WorkFolder* folder_ = nullptr;  ///< of a worker
};

}  // namespace

std::unique_ptr<Command> make_explore() { return std::make_unique<Explore>(); }

}  // namespace tilewright::cli
