// Trees of random groups: every value is added once, every link carries it once.
#include "sim/noc/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/numbers/random.hpp"

namespace tilewright::sim::reduction_test {
namespace {

/// Links from a vertex to its parent.
std::vector<std::pair<int, int>> links_of(const Mesh& mesh, const ReductionTree& tree,
                                          const ReductionTree::Vertex& vertex, int destination) {
    const int end = vertex.parent < 0 ? destination : tree.vertices[vertex.parent].node;
    std::vector<std::pair<int, int>> links;
    for (int node = vertex.node; node != end;) {
        const int port = index_of(port_towards(mesh, node, destination));
        links.emplace_back(node, port);
        node = mesh.neighbour(node, port);
        if (node < 0 || links.size() > 1000) throw std::logic_error("the way leads elsewhere");
    }
    return links;
}

TEST(ReductionTree, EveryValueIsAddedOnceAndEveryLinkCarriesItOnce) {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
        const Mesh mesh{static_cast<int>(random.between(1, 6)), static_cast<int>(random.between(2, 6))};
        const int destination = static_cast<int>(random.between(0, mesh.nodes() - 1));
        std::vector<int> sources;
        for (int node = 0; node < mesh.nodes(); ++node)
            if (node != destination && random.chance(0.4)) sources.push_back(node);
        const ReductionTree tree = reduction_tree(mesh, sources, destination);
        std::set<int> own;
        std::set<std::pair<int, int>> used;
        for (std::size_t v = 0; v < tree.vertices.size(); ++v) {
            const ReductionTree::Vertex& vertex = tree.vertices[v];
            EXPECT_LT(vertex.parent, static_cast<int>(v));
            EXPECT_TRUE(vertex.source || vertex.children > 1);
            const bool first = !vertex.source || own.insert(vertex.node).second;
            EXPECT_TRUE(first);
            EXPECT_EQ(vertex.children,
                      std::count_if(tree.vertices.begin(), tree.vertices.end(),
                                    [&](const auto& other) { return other.parent == static_cast<int>(v); }));
            for (const auto& link : links_of(mesh, tree, vertex, destination)) EXPECT_TRUE(used.insert(link).second);
        }
        EXPECT_EQ(own, std::set<int>(sources.begin(), sources.end()));
    }
}

TEST(ReductionTree, TwoWaysThatMeet) {
    // A 3 x 3 mesh: the corners of the first row merge at its middle on their way to the middle of the last one.
    const Mesh mesh{3, 3};
    const std::vector<int> sources{0, 2};
    const ReductionTree tree = reduction_tree(mesh, sources, 7);
    ASSERT_EQ(tree.vertices.size(), 3U);
    EXPECT_EQ(tree.vertices[0].node, 1);
    EXPECT_EQ(tree.vertices[0].children, 2);
    EXPECT_FALSE(tree.vertices[0].source);
    EXPECT_EQ(tree.vertices[1].parent, 0);
    EXPECT_EQ(tree.vertices[2].parent, 0);
}

}  // namespace
}  // namespace tilewright::sim::reduction_test
