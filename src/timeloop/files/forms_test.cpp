// One machine in three spellings: forms and attribute names read to the same Architecture.
#include <gtest/gtest.h>

#include "base/numbers/random.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::forms_test {
namespace {

struct Attribute {
    std::vector<std::string> spellings;
    std::string value;
};

struct Level {
    std::string name;
    std::string component_class;
    std::vector<Attribute> attributes;
    Mesh mesh;
    Mesh fanout;  // placed above the level in the hierarchy
};

struct RandomMachine {
    std::vector<Level> levels;  // outermost first, without spread-only levels
    Level compute;
};

class Maker {
   public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    RandomMachine machine() {
        RandomMachine made;
        made.levels.push_back(memory("DRAM", "DRAM"));
        made.levels[0].fanout = made.levels[0].mesh = {1, 1};
        Mesh mesh;
        const std::int64_t count = random_.between(1, 4);
        for (std::int64_t i = 0; i < count; ++i)
            made.levels.push_back(
                spread(memory("m" + std::to_string(i), one_of({"SRAM", "regfile", "smartbuffer_RF"})), mesh));
        made.compute = spread({"mac", "intmac", {words()}, {}, {}}, mesh);
        return made;
    }

    std::string one_of(const std::vector<std::string>& choices) { return choices[random_.below(choices.size())]; }

   private:
    Attribute words() { return {{"word_bits", "datawidth", "word_width"}, one_of({"8", "16", "2 * 4"})}; }

    Level spread(Level level, Mesh& mesh) {
        if (random_.chance(0.5)) level.fanout = {random_.between(1, 4), random_.between(1, 3)};
        mesh = level.mesh = {mesh.x * level.fanout.x, mesh.y * level.fanout.y};
        return level;
    }

    Level memory(const std::string& name, const std::string& component_class) {
        Level level{name, component_class, {words()}, {}, {}};
        const auto maybe = [&](const std::vector<std::string>& spellings, const std::vector<std::string>& values) {
            if (random_.chance(0.4)) level.attributes.push_back({spellings, one_of(values)});
        };
        level.attributes.push_back({{"block_size", "n_words"}, one_of({"1", "2", "4"})});
        level.attributes.push_back({{"n_banks", "num_banks", "banks"}, one_of({"1", "2", "8"})});
        level.attributes.push_back({{"reduction_supported"}, one_of({"true", "false"})});
        if (component_class != "DRAM") level.attributes.push_back({{"entries"}, one_of({"16", "64", "1024"})});
        maybe({"read_bandwidth"}, {"1", "2.5"});
        maybe({"write_bandwidth"}, {"1", "2.5"});
        maybe({"vector_access_energy"}, {"0.5", "3"});
        maybe({"multiple_buffering"}, {"1.5", "2"});
        maybe({"network_type"}, {"'1:N'", "'M:N'"});
        maybe({"router_energy"}, {"0.25"});
        maybe({"technology"}, {"45nm", "65"});
        maybe({"n_ports", "num_ports", "nports", "ports"}, {"1", "2"});
        return level;
    }

    Random random_;
};

std::string text_of(const Level& level, Maker& maker) {
    std::string text;
    for (const Attribute& attribute : level.attributes)
        text += (text.empty() ? "" : ", ") + maker.one_of(attribute.spellings) + ": " + attribute.value;
    return text;
}

std::string mesh_text(const Mesh& mesh) {
    return "meshX: " + std::to_string(mesh.x) + ", meshY: " + std::to_string(mesh.y);
}

bool spreads(const Level& level) { return level.fanout.size() > 1; }

// The level above `level` with its fan-out, as written by Timeloop's front end.
Level spreader_of(const Level& level) {
    return {"inter_" + level.name + "_spatial",
            "dummy_storage",
            {{{"width"}, "1"}, {{"depth"}, "1"}, {{"datawidth"}, "1"}, {{"n_banks"}, "2"}, {{"technology"}, "-1"}},
            {level.mesh.x / level.fanout.x, level.mesh.y / level.fanout.y},
            {}};
}

std::vector<Level> with_spreaders(const RandomMachine& machine) {
    std::vector<Level> levels;
    for (const Level& level : machine.levels) {
        if (spreads(level)) levels.push_back(spreader_of(level));
        levels.push_back(level);
    }
    if (spreads(machine.compute)) levels.push_back(spreader_of(machine.compute));
    levels.push_back(machine.compute);
    return levels;
}

std::string as_flat(const RandomMachine& machine, Maker& maker) {
    std::vector<Level> levels = with_spreaders(machine);
    const auto item = [&](const Level& level) {
        return "{name: " + level.name + ", class: " + level.component_class +
               ", instances: " + std::to_string(level.mesh.size()) + ", " + mesh_text(level.mesh) + ", " +
               text_of(level, maker) + "}\n";
    };
    std::string text = "architecture:\n  arithmetic: " + item(levels.back()) + "  storage:\n";
    levels.pop_back();
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) text += "  - " + item(*level);
    return text;
}

std::string as_tree(const RandomMachine& machine, Maker& maker) {
    std::string text = "architecture:\n  version: 0.3\n";
    std::string indent = "  ";
    std::int64_t copies = 1;
    for (const Level& level : with_spreaders(machine)) {
        const std::int64_t more = level.mesh.size() / copies;
        const bool nested =
            maker.one_of({"", "nested"}) == "nested" || copies == 1;  // else the range belongs to the component
        if (nested) {
            text +=
                indent + "subtree:\n" + indent + "- name: s[1.." + std::to_string(more) + "]\n" + indent + "  local:\n";
            indent += "  ";
            copies *= more;
        }
        const std::string range = nested ? "" : "[0.." + std::to_string(more - 1) + "]";
        text += indent + "- {name: '" + level.name + range + "', class: " + level.component_class + ", attributes: {" +
                mesh_text(level.mesh) + ", " + text_of(level, maker) + "}}\n";
    }
    return text;
}

std::string as_hierarchy(const RandomMachine& machine, Maker& maker) {
    std::string text = "architecture:\n  version: 0.4\n  nodes:\n";
    const auto add = [&](const Level& level) {
        const std::string spatial = spreads(level) ? ", spatial: {" + mesh_text(level.fanout) + "}" : "";
        text += "  - !Component {name: " + level.name + ", class: " + level.component_class + spatial +
                ", attributes: {" + text_of(level, maker) + "}}\n";
    };
    for (const Level& level : machine.levels) add(level);
    add(machine.compute);
    return text;
}

// Without source locations and the machine's name, which the forms keep in different places.
Architecture plain(const std::string& text) {
    Architecture machine = read_architecture(load_text(text, "arch.yaml"));
    machine.name.clear();
    for (Memory& memory : machine.memories)
        for (Sourced* number : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj,
                                &memory.energy.leak_pj_per_cycle})
            if (!number->source.empty()) number->source = "given";
    return machine;
}

TEST(Forms, OfOneMachineAreEqual) {
    int spreading = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Maker maker(seed);
        const RandomMachine machine = maker.machine();
        const std::string flat = as_flat(machine, maker);
        const std::string tree = as_tree(machine, maker);
        const std::string hierarchy = as_hierarchy(machine, maker);
        const Architecture read = plain(flat);
        EXPECT_EQ(read, plain(tree)) << flat << tree;
        EXPECT_EQ(read, plain(hierarchy)) << flat << hierarchy;
        spreading += read.compute.instances > 1 ? 1 : 0;
    }
    EXPECT_GT(spreading, 200) << "the machines are too simple";
}

}  // namespace
}  // namespace tilewright::timeloop::forms_test
