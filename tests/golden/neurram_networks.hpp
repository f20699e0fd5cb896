// The first ten layers of two networks on NeuRRAM with n x n cells: shapes, and mappings of one round of the array.
//
// AccelForge's recorded run did not keep its mappings. Its machine asks for the fullest rows, then the fullest columns
// (min_usage: 1), with tiles of as many equal rounds as need be; spare columns hold output pixels, and a latch of one
// input a row drives what their windows share once. These are the mappings of least energy under these rules.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tilewright::golden::neurram {

/// O[p,q,m] += I[c, stride p + r, stride q + s] * W[r,s,c,m]: extents, and of the loops over the array.
struct Shape {
    int c, m, p, q, r, s;
    int stride = 1;
    auto operator<=>(const Shape&) const = default;
};

struct Mapped {
    Shape layer;
    Shape tile;
};

/// Shapes of the first ten layers of the networks, in the order of kTiles, and which one each layer has.
inline const std::array<Shape, 5> kResnet{{{3, 64, 112, 112, 7, 7, 2},
                                           {64, 64, 56, 56, 3, 3},
                                           {64, 128, 28, 28, 3, 3, 2},
                                           {128, 128, 28, 28, 3, 3},
                                           {64, 128, 28, 28, 1, 1, 2}}};
inline const std::array<int, 10> kResnetLayers{0, 1, 1, 1, 1, 2, 3, 4, 3, 3};
inline const std::array<Shape, 6> kTransformer{{{768, 768, 196, 1, 1, 1},
                                                {768, 768, 197, 1, 1, 1},
                                                {197, 64, 12, 1, 1, 1},
                                                {197, 197, 12, 1, 1, 1},
                                                {768, 3072, 197, 1, 1, 1},
                                                {3072, 768, 197, 1, 1, 1}}};
inline const std::array<int, 10> kTransformerLayers{0, 1, 1, 1, 2, 3, 1, 4, 5, 1};

inline const std::map<int, std::array<Shape, 5>> kResnetTiles{
    {64,
     {{{1, 32, 1, 1, 7, 7}, {64, 32, 1, 1, 1, 1}, {64, 32, 1, 1, 1, 1}, {64, 32, 1, 1, 1, 1}, {64, 32, 1, 1, 1, 1}}}},
    {128,
     {{{2, 64, 1, 1, 7, 7}, {13, 64, 1, 1, 3, 3}, {13, 64, 1, 1, 3, 3}, {128, 64, 1, 1, 1, 1}, {64, 64, 1, 1, 1, 1}}}},
    {256,
     {{{3, 64, 1, 2, 7, 7},
       {22, 64, 1, 1, 3, 3},
       {22, 128, 1, 1, 3, 3},
       {26, 128, 1, 1, 3, 3},
       {64, 128, 1, 1, 1, 1}}}},
    {512,
     {{{3, 64, 1, 4, 7, 7},
       {32, 64, 1, 2, 3, 3},
       {32, 128, 1, 2, 3, 3},
       {43, 128, 1, 1, 3, 3},
       {64, 128, 1, 2, 1, 1}}}},
    {1024,
     {{{3, 64, 1, 8, 7, 7},
       {64, 64, 1, 2, 3, 3},
       {64, 128, 1, 2, 3, 3},
       {64, 128, 1, 2, 3, 3},
       {64, 128, 1, 4, 1, 1}}}},
    {2048,
     {{{3, 64, 1, 16, 7, 7},
       {64, 64, 1, 8, 3, 3},
       {64, 128, 1, 4, 3, 3},
       {128, 128, 1, 2, 3, 3},
       {64, 128, 2, 4, 1, 1}}}}};

/// Of products rows, columns and vectors side by side: c, m, p.
inline const std::map<int, std::array<std::array<int, 3>, 6>> kTransformerTiles{
    {64, {{{64, 32, 1}, {64, 32, 1}, {50, 32, 1}, {50, 29, 1}, {64, 32, 1}, {64, 32, 1}}}},
    {128, {{{128, 64, 1}, {128, 64, 1}, {99, 64, 1}, {99, 50, 1}, {128, 64, 1}, {128, 64, 1}}}},
    {256, {{{256, 128, 1}, {256, 128, 1}, {197, 64, 1}, {197, 99, 1}, {256, 128, 1}, {256, 128, 1}}}},
    {512, {{{384, 256, 1}, {384, 256, 1}, {197, 64, 2}, {197, 99, 2}, {384, 256, 1}, {512, 256, 1}}}},
    {1024, {{{768, 384, 1}, {768, 384, 1}, {197, 64, 4}, {197, 99, 4}, {768, 512, 1}, {1024, 384, 1}}}},
    {2048, {{{768, 768, 1}, {768, 768, 1}, {197, 64, 6}, {197, 197, 4}, {768, 1024, 1}, {1536, 768, 1}}}}};

inline double macs_of(const Shape& layer) { return 1.0 * layer.c * layer.m * layer.p * layer.q * layer.r * layer.s; }

inline std::vector<Mapped> resnet_on(int n) {
    std::vector<Mapped> shapes;
    for (std::size_t i = 0; i < kResnet.size(); ++i) shapes.push_back({kResnet[i], kResnetTiles.at(n)[i]});
    return shapes;
}

inline std::vector<Mapped> transformer_on(int n) {
    std::vector<Mapped> shapes;
    for (std::size_t i = 0; i < kTransformer.size(); ++i) {
        const auto& [c, m, p] = kTransformerTiles.at(n)[i];
        shapes.push_back({kTransformer[i], {c, m, p, 1, 1, 1}});
    }
    return shapes;
}

}  // namespace tilewright::golden::neurram
