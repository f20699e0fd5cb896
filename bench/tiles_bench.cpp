// How long a compiler waits for tiles: rules opened, a new question, a repeated one, a number looked up in a table.

#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tilewright/tiles.h"

namespace {

std::string text_of(const std::string& name) {
    std::stringstream text;
    text << std::ifstream("data/tiles/rules/" + name + ".yaml").rdbuf();
    return text.str();
}

const std::string kMachine = "version: 1\nmachine: mine\nlike: h100\n";

tw_tiles* opened(const std::string& rules) {
    tw_tiles* tiles = nullptr;
    tw_tiles_open(rules.data(), rules.size(), kMachine.data(), kMachine.size(), nullptr, 0, &tiles, nullptr);
    return tiles;
}

void open_rules(benchmark::State& state) {
    const std::string rules = text_of("triton-nvidia");
    for (auto _ : state) tw_tiles_close(opened(rules));
}

void ask_new(benchmark::State& state) {
    tw_tiles* tiles = opened(text_of("triton-nvidia"));
    std::int64_t given[] = {0, 4096, 7168};
    std::int64_t point[TW_MOST_CHOSEN];
    for (auto _ : state) {
        ++given[0];
        benchmark::DoNotOptimize(tw_tiles_ask(tiles, given, 3, point, TW_MOST_CHOSEN, nullptr, nullptr));
    }
    tw_tiles_close(tiles);
}

void ask_again(benchmark::State& state) {
    tw_tiles* tiles = opened(text_of("triton-nvidia"));
    const std::int64_t given[] = {512, 4096, 7168};
    std::int64_t point[TW_MOST_CHOSEN];
    for (auto _ : state)
        benchmark::DoNotOptimize(tw_tiles_ask(tiles, given, 3, point, TW_MOST_CHOSEN, nullptr, nullptr));
    tw_tiles_close(tiles);
}

void look_up(benchmark::State& state) {
    tw_tiles* tiles = opened(text_of("triton-nvidia"));
    const std::int64_t given[] = {1, 4096, 4096};
    std::vector<tw_row> rows(256);
    rows[0].size = sizeof(tw_row);
    std::size_t count = rows.size();
    tw_tiles_table(tiles, given, 3, 0, 1, 4096, 0.0, rows.data(), &count, nullptr);
    std::int64_t m = 1;
    for (auto _ : state) benchmark::DoNotOptimize(tw_lookup(rows.data(), count, m = m * 5 % 4093 + 1));
    tw_tiles_close(tiles);
}

BENCHMARK(open_rules)->Unit(benchmark::kMillisecond);
BENCHMARK(ask_new)->Unit(benchmark::kMicrosecond);
BENCHMARK(ask_again)->Unit(benchmark::kNanosecond);
BENCHMARK(look_up)->Unit(benchmark::kNanosecond);

}  // namespace
