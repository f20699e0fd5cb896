// DeepBench's convolutions as listed in CoSA's workload files (facts only). Some of those files confuse padding with
// dilation and input with output extents; the dilations are set to 1 here, the extents are kept, so that results
// compare.
#include <array>

#include "workload/zoo/image_builder.hpp"

namespace tilewright::zoo {
namespace {

struct Shape {
    const char* name;
    std::int64_t r, s, p, q, c, k, n, width_stride, height_stride;
};

constexpr std::array kShapes{
    Shape{"01_DeepSpeech", 5, 20, 700, 161, 1, 32, 1, 2, 2},
    Shape{"02_DeepSpeech", 5, 20, 700, 161, 1, 32, 2, 2, 2},
    Shape{"03_DeepSpeech", 5, 20, 700, 161, 1, 32, 4, 2, 2},
    Shape{"04_DeepSpeech", 5, 10, 341, 79, 32, 32, 1, 2, 2},
    Shape{"05_DeepSpeech", 5, 10, 341, 79, 32, 32, 2, 2, 2},
    Shape{"06_DeepSpeech", 5, 10, 341, 79, 32, 32, 4, 2, 2},
    Shape{"07_OCR", 3, 3, 480, 48, 1, 16, 1, 1, 1},
    Shape{"08_OCR", 3, 3, 240, 24, 16, 32, 1, 1, 1},
    Shape{"09_OCR", 3, 3, 120, 12, 32, 64, 1, 1, 1},
    Shape{"10_OCR", 3, 3, 60, 6, 64, 128, 1, 1, 1},
    Shape{"11_Face_Recognition", 3, 3, 108, 108, 3, 64, 1, 2, 2},
    Shape{"12_Face_Recognition", 3, 3, 54, 54, 64, 64, 1, 1, 1},
    Shape{"13_Face_Recognition", 3, 3, 27, 27, 128, 128, 1, 1, 1},
    Shape{"14_Face_Recognition", 3, 3, 14, 14, 128, 256, 1, 1, 1},
    Shape{"15_Face_Recognition", 3, 3, 7, 7, 256, 512, 1, 1, 1},
    Shape{"16_Vision", 3, 3, 224, 224, 3, 64, 1, 1, 1},
    Shape{"17_Vision", 3, 3, 112, 112, 64, 128, 1, 1, 1},
    Shape{"18_Vision", 3, 3, 56, 56, 128, 256, 1, 1, 1},
    Shape{"19_Vision", 3, 3, 28, 28, 256, 512, 1, 1, 1},
    Shape{"20_Vision", 3, 3, 14, 14, 512, 512, 1, 1, 1},
    Shape{"21_Vision", 3, 3, 7, 7, 512, 512, 1, 1, 1},
    Shape{"22_Vision", 3, 3, 224, 224, 3, 64, 2, 1, 1},
    Shape{"23_Vision", 3, 3, 112, 112, 64, 128, 2, 1, 1},
    Shape{"24_Vision", 3, 3, 56, 56, 128, 256, 2, 1, 1},
    Shape{"25_Vision", 3, 3, 28, 28, 256, 512, 2, 1, 1},
    Shape{"26_Vision", 3, 3, 14, 14, 512, 512, 2, 1, 1},
    Shape{"27_Vision", 3, 3, 7, 7, 512, 512, 2, 1, 1},
    Shape{"28_Vision", 7, 7, 224, 224, 3, 64, 1, 2, 2},
    Shape{"29_Vision", 5, 5, 28, 28, 192, 32, 1, 1, 1},
    Shape{"30_Vision", 1, 1, 28, 28, 192, 64, 1, 1, 1},
    Shape{"31_Vision", 5, 5, 14, 14, 512, 48, 1, 1, 1},
    Shape{"32_Vision", 1, 1, 14, 14, 512, 192, 1, 1, 1},
    Shape{"33_Vision", 1, 1, 7, 7, 832, 256, 1, 1, 1},
    Shape{"34_Vision", 5, 5, 7, 7, 832, 128, 1, 1, 1},
    Shape{"35_Vision", 7, 7, 224, 224, 3, 64, 2, 2, 2},
    Shape{"36_Vision", 5, 5, 28, 28, 192, 32, 2, 1, 1},
    Shape{"37_Vision", 1, 1, 28, 28, 192, 64, 2, 1, 1},
    Shape{"38_Vision", 5, 5, 14, 14, 512, 48, 2, 1, 1},
    Shape{"39_Vision", 1, 1, 14, 14, 512, 192, 2, 1, 1},
    Shape{"40_Vision", 1, 1, 7, 7, 832, 256, 2, 1, 1},
    Shape{"41_Vision", 5, 5, 7, 7, 832, 128, 2, 1, 1},
    Shape{"42_KWS", 5, 20, 151, 40, 1, 32, 1, 2, 8},
    Shape{"43_FaceRecognition", 3, 3, 56, 56, 64, 64, 1, 1, 1},
    Shape{"44_FaceRecognition", 1, 1, 56, 56, 64, 256, 1, 2, 2},
    Shape{"45_FaceRecognition", 3, 3, 28, 28, 128, 128, 1, 1, 1},
    Shape{"46_FaceRecognition", 1, 1, 28, 28, 128, 512, 1, 2, 2},
    Shape{"47_FaceRecognition", 1, 1, 14, 14, 256, 256, 1, 1, 1},
    Shape{"48_FaceRecognition", 3, 3, 14, 14, 256, 256, 1, 1, 1},
    Shape{"49_FaceRecognition", 1, 1, 14, 14, 256, 1024, 1, 2, 2},
    Shape{"50_FaceRecognition", 1, 1, 7, 7, 512, 512, 1, 1, 1},
    Shape{"51_FaceRecognition", 1, 1, 7, 7, 2048, 512, 1, 2, 2},
    Shape{"52_FaceRecognition", 3, 3, 56, 56, 64, 64, 2, 1, 1},
    Shape{"53_FaceRecognition", 1, 1, 56, 56, 64, 256, 2, 2, 2},
    Shape{"54_FaceRecognition", 3, 3, 28, 28, 128, 128, 2, 1, 1},
    Shape{"55_FaceRecognition", 1, 1, 28, 28, 128, 512, 2, 2, 2},
    Shape{"56_FaceRecognition", 1, 1, 14, 14, 256, 256, 2, 1, 1},
    Shape{"57_FaceRecognition", 3, 3, 14, 14, 256, 256, 2, 1, 1},
    Shape{"58_FaceRecognition", 1, 1, 14, 14, 256, 1024, 2, 2, 2},
    Shape{"59_FaceRecognition", 1, 1, 7, 7, 512, 512, 2, 1, 1},
    Shape{"60_FaceRecognition", 1, 1, 7, 7, 2048, 512, 2, 2, 2},
    Shape{"61_SpeakerID", 5, 5, 700, 161, 1, 64, 1, 2, 2},
    Shape{"62_SpeakerID", 3, 3, 350, 80, 64, 64, 1, 1, 1},
    Shape{"63_SpeakerID", 5, 5, 350, 80, 64, 128, 1, 2, 2},
    Shape{"64_SpeakerID", 3, 3, 175, 40, 128, 128, 1, 1, 1},
    Shape{"65_SpeakerID", 5, 5, 175, 40, 128, 256, 1, 2, 2},
    Shape{"66_SpeakerID", 3, 3, 84, 20, 256, 256, 1, 1, 1},
    Shape{"67_SpeakerID", 5, 5, 84, 20, 256, 512, 1, 2, 2},
    Shape{"68_SpeakerID", 3, 3, 42, 10, 512, 512, 1, 1, 1},
    Shape{"69_SpeakerID", 5, 5, 700, 161, 1, 64, 2, 2, 2},
    Shape{"70_SpeakerID", 3, 3, 350, 80, 64, 64, 2, 1, 1},
    Shape{"71_SpeakerID", 5, 5, 350, 80, 64, 128, 2, 2, 2},
    Shape{"72_SpeakerID", 3, 3, 175, 40, 128, 128, 2, 1, 1},
    Shape{"73_SpeakerID", 5, 5, 175, 40, 128, 256, 2, 2, 2},
    Shape{"74_SpeakerID", 3, 3, 84, 20, 256, 256, 2, 1, 1},
    Shape{"75_SpeakerID", 5, 5, 84, 20, 256, 512, 2, 2, 2},
    Shape{"76_SpeakerID", 3, 3, 42, 10, 512, 512, 2, 1, 1},
};

}  // namespace

void deepbench(ImageBuilder& net) {
    for (const Shape& shape : kShapes) {
        const WindowAxis width{.positions = shape.p, .kernel = shape.r, .stride = shape.width_stride};
        const WindowAxis height{.positions = shape.q, .kernel = shape.s, .stride = shape.height_stride};
        net.alone(
            shape.name,
            convolution(
                {.batch = shape.n, .in_channels = shape.c, .out_channels = shape.k, .width = width, .height = height}));
    }
}

}  // namespace tilewright::zoo
