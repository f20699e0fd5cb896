// A worker of trivial points that dies when it is told to: for the tests of the stores, and for their speed.
//
//     store_worker run STORE POINTS CHUNK [name=value...]     works until all is done, prints what it did
//     store_worker quiet POINTS CHUNK [poison=POINT]          prints the hash of the rows that have to come out
//     store_worker show STORE                                 prints the hash of the rows that did
//
//     lease=MS patience=MS                        of PostgreSQL
//     die=claimed:3 | before_commit:2 | committed:1   SIGKILL at the third claim, ...
//     freeze=claimed:2                            likewise SIGSTOP: who sends SIGCONT finds its lease gone
//     poison=POINT                                whoever measures it dies
//     option=TEXT                                 another specification
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <map>

#include "base/error.hpp"
#include "base/numbers/random.hpp"
#include "explore/cluster/stores.hpp"
#include "explore/engine.hpp"

namespace tilewright {
namespace {

using explore::Batch;
using explore::Chunk;
using explore::Moment;
using explore::Point;
using explore::Row;
using explore::Specification;
using explore::Status;

using Settings = std::map<std::string, std::string>;

std::int64_t number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw InputError(ErrorCode::usage, {"store_worker"}, "expected a number, found '" + text + "'");
    return value;
}

std::int64_t number(const Settings& settings, const std::string& name, std::int64_t otherwise) {
    const auto found = settings.find(name);
    return found == settings.end() ? otherwise : number(found->second);
}

// Thousands by thousands.
Specification specification_of(std::int64_t points, const Settings& settings) {
    const std::int64_t side = std::min<std::int64_t>(points, 1000);
    Specification specification;
    specification.space = explore::Space({explore::parse_knob(fmt::format("a=1..{}", points / side), {"a"}),
                                          explore::parse_knob(fmt::format("b=1..{}", side), {"b"})});
    specification.metrics = {{"cost", "energy", false}, {"speed", "latency", true}};
    specification.limits = {explore::parse_condition("cost<900", specification.metrics, nullptr, {"limit"})};
    const auto option = settings.find("option");
    specification.given = {{"option", option == settings.end() ? "one" : option->second}};
    return specification;
}

/// Numbers that follow from the point; every 97th cannot be measured.
class Trivial : public explore::Evaluator {
   public:
    Trivial(const Specification& specification, Point poison, bool deadly)
        : specification_(specification), poison_(poison), deadly_(deadly) {}

    std::optional<Batch> evaluate(const Chunk& chunk, const StopSource&) override {
        Batch batch;
        batch.rows.reserve(static_cast<std::size_t>(chunk.hi - chunk.lo));
        for (Point point = chunk.lo; point < chunk.hi; ++point) {
            if (point == poison_ && deadly_) ::kill(::getpid(), SIGKILL);
            batch.rows.push_back(row_of(point));
            const Status status = batch.rows.back().status;
            batch.counts.valid += status == Status::valid ? 1 : 0;
            batch.counts.over_limit += status == Status::over_limit ? 1 : 0;
            batch.counts.failed += status == Status::failed ? 1 : 0;
        }
        batch.counts.explored = batch.counts.evaluated = chunk.hi - chunk.lo;
        points_ += chunk.hi - chunk.lo;
        return batch;
    }

    std::int64_t points() const { return points_; }

   private:
    Row row_of(Point point) const {
        if (point == poison_) return explore::poisoned(point);
        if (point % 97 == 5) return {point, Status::failed, {}, fmt::format("no mapping of point {}", point)};
        Random random(Random::split(3, static_cast<std::uint64_t>(point)));
        const double cost = random.unit() * 1000.0;
        return explore::measured(point, {cost, random.unit()}, specification_);
    }

    const Specification& specification_;
    Point poison_;
    bool deadly_;
    std::int64_t points_ = 0;
};

/// "claimed:3" as a signal to oneself at the third claim.
explore::Observer trap(const Settings& settings, const std::string& name, int signal) {
    const auto found = settings.find(name);
    if (found == settings.end()) return [](Moment) {};
    const std::size_t colon = found->second.find(':');
    const std::string moment = found->second.substr(0, colon);
    const Moment when = moment == "claimed"         ? Moment::claimed
                        : moment == "before_commit" ? Moment::before_commit
                                                    : Moment::committed;
    return [when, signal, left = number(found->second.substr(colon + 1))](Moment now) mutable {
        if (now == when && --left == 0) ::kill(::getpid(), signal);
    };
}

void print_rows(explore::Store& store) {
    const explore::Counts counts = store.counts();
    fmt::print("{} {} {}\n", explore::hash_of_rows(store), counts.explored, counts.failed);
}

void work(const std::vector<std::string>& words, const Settings& settings) {
    const Specification specification = specification_of(number(words.at(2)), settings);
    std::int64_t claims = 0;
    std::int64_t commits = 0;
    cluster::Connecting connecting;
    connecting.lease = std::chrono::milliseconds(number(settings, "lease", 60'000));
    connecting.patience = std::chrono::milliseconds(number(settings, "patience", 600'000));
    StopSource stop;
    connecting.stop = &stop;
    connecting.observer = [&, die = trap(settings, "die", SIGKILL),
                           freeze = trap(settings, "freeze", SIGSTOP)](Moment moment) mutable {
        claims += moment == Moment::claimed ? 1 : 0;
        commits += moment == Moment::committed ? 1 : 0;
        die(moment);
        freeze(moment);
    };
    const std::unique_ptr<explore::Store> store =
        cluster::open_store(words.at(1), {specification, number(words.at(3)), {0, 1}, {}, false}, connecting);
    Trivial evaluator(specification, number(settings, "poison", -1), true);
    const bool complete = explore::run(evaluator, *store, stop);
    fmt::print("{} {} claims {} commits {} lost {} points\n", complete ? "complete:" : "stopped:", claims, commits,
               claims - commits, evaluator.points());
}

void run(const std::vector<std::string>& words, const Settings& settings) {
    const std::string& verb = words.at(0);
    if (verb == "run") return work(words, settings);
    if (verb == "show") return print_rows(*cluster::read_store(words.at(1)).store);
    const Specification specification = specification_of(number(words.at(1)), settings);
    const std::unique_ptr<explore::Store> store =
        cluster::open_store("", {specification, number(words.at(2)), {0, 1}, {}, false}, {});
    Trivial evaluator(specification, number(settings, "poison", -1), false);
    explore::run(evaluator, *store, StopSource());
    print_rows(*store);
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
    std::vector<std::string> words;
    tilewright::Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::size_t equals = word.find('=');
        const bool setting = equals != std::string::npos && word.find("://") == std::string::npos;
        if (setting)
            settings[word.substr(0, equals)] = word.substr(equals + 1);
        else
            words.push_back(word);
    }
    try {
        tilewright::run(words, settings);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
