#include "zigzag/files/load.hpp"

#include <gtest/gtest.h>

namespace tilewright::zigzag::files_accelerator_test {
namespace {

constexpr const char* kMachine = R"(name: small
operational_array:
  dimensions: [D1, D2]
  sizes: [4, 2]
  unit_energy: 0.5
memories:
  registers:
    size: 64
    r_cost: 0.1
    w_cost: 0.2
    operands: [I1, I2, O]
    ports:
    - {name: rw, type: read_write, bandwidth_min: 8, bandwidth_max: 16, allocation: ['I1, tl', 'I1, fh', 'I2, tl', 'O, fl']}
    served_dimensions: [D2]
)";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kMachine;
    return text.replace(text.find(from), from.size(), to);
}

std::string mistake(const std::string& text) {
    try {
        (void)read_accelerator(yaml::parse_text(text, "hw.yaml"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ZigzagAcceleratorReader, ReadsMemoriesAndPorts) {
    const Accelerator accelerator = read_accelerator(yaml::parse_text(kMachine));
    EXPECT_EQ(accelerator.units, 8);
    ASSERT_EQ(accelerator.memories.size(), 1U);
    const SharedMemory& memory = accelerator.memories[0];
    EXPECT_EQ(memory.served, (std::vector<int>{1}));
    ASSERT_NE(memory.port_for(MemoryOperand::i1, Direction::read_down), nullptr);
    EXPECT_EQ(memory.port_for(MemoryOperand::i1, Direction::read_down)->bandwidth_min_bits, 8);
    EXPECT_EQ(memory.port_for(MemoryOperand::o, Direction::read_up), nullptr);
}

TEST(ZigzagAcceleratorReader, MistakesSayWhereAndWhatWasMeant) {
    const auto says = [](const std::string& text, const std::string& words) {
        const std::string message = mistake(text);
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    says(changed("r_cost", "r_cots"), "hw.yaml:9:5: error: unknown key 'r_cots'; did you mean 'r_cost'?");
    says(changed("[D2]", "[D3]"), "hw.yaml:14:25: error: the array has no dimension 'D3'; there are D1 and D2");
    says(changed("I2, tl", "I2, tk"), "'tk' is no direction; they are 'tl', 'fl', 'th' and 'fh'");
    says(changed("I2, tl", "I2 tl"), "expected an operand and a direction, such as 'I1, tl'");
    says(changed("[I1, I2, O]", "[I1, I2, O2]"), "'O2' is no memory operand; they are I1, I2 and O");
    says(changed("[I1, I2, O]", "[I1, O]"), "memory 'registers' does not hold operand I2");
    says(changed("[4, 2]", "[4]"), "expected a size for each of the 2 dimensions, found 1");
    says(changed("[4, 2]", "[4, 4611686018427387904]"), "units are not supported");
    says(changed("bandwidth_min: 8", "bandwidth_min: 32"), "bandwidth_min exceeds bandwidth_max");
    says(changed("size: 64", "size: 0"), "hw.yaml:8:11");
}

}  // namespace
}  // namespace tilewright::zigzag::files_accelerator_test
