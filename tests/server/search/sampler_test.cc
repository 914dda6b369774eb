#include "server/search/sampler.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"

namespace alt::search {
namespace {

class SamplerTest : public ::testing::Test {
 protected:
  SamplerTest() {
    knobs_.Add("a", {1, 2, 4, 8}, true);
    knobs_.Add("b", {0, 1}, true);
    knobs_.Add("c", {1, 2, 3, 4, 5, 6});
    knobs_.Add("single", {3});
  }
  Sampler Free(uint64_t seed = 1) const {
    return Sampler(knobs_, std::vector<bool>(knobs_.size()), knobs_.Origin(), seed);
  }
  // The layout knobs keep what the start has.
  Sampler LoopsOnly(Point start, uint64_t seed = 1) const {
    return Sampler(knobs_, {true, true, false, false}, std::move(start), seed);
  }
  bool IsLegal(const Point& point) const {
    if (point.size() != knobs_.size()) return false;
    for (size_t i = 0; i < point.size(); ++i) {
      const int choices = static_cast<int>(knobs_.all()[i].choices.size());
      if (point[i] < 0 || point[i] >= choices) return false;
    }
    return true;
  }
  static int Differences(const Point& a, const Point& b) {
    int count = 0;
    for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
    return count;
  }

  Knobs knobs_;
};

TEST_F(SamplerTest, TheSameSeedMakesTheSameMoves) {
  Sampler a = Free(7), b = Free(7);
  for (int i = 0; i < 50; ++i) {
    const Point p = a.Uniform(), q = b.Uniform();
    EXPECT_EQ(p, q);
    EXPECT_EQ(a.Mutate(p, 2), b.Mutate(q, 2));
    EXPECT_EQ(a.Cross(p, knobs_.Origin()), b.Cross(q, knobs_.Origin()));
  }
}

TEST_F(SamplerTest, AnotherSeedMakesOthers) {
  Sampler a = Free(1), b = Free(2);
  int same = 0;
  for (int i = 0; i < 100; ++i) same += a.Uniform() == b.Uniform();
  EXPECT_LT(same, 20) << "of 48 points, two in a hundred pairs are alike";
}

TEST_F(SamplerTest, ACopyGoesOnAlike) {
  Sampler a = Free();
  a.Uniform();
  Sampler b = a;
  EXPECT_EQ(a.Uniform(), b.Uniform());
}

TEST_F(SamplerTest, UniformReachesEveryPoint) {
  Sampler sampler = Free();
  std::set<Point> seen;
  for (int i = 0; i < 2000; ++i) {
    const Point point = sampler.Uniform();
    ASSERT_TRUE(IsLegal(point));
    seen.insert(point);
  }
  EXPECT_EQ(seen.size(), 4u * 2 * 6);
}

TEST_F(SamplerTest, UniformPrefersNoChoice) {
  Sampler sampler = Free();
  std::vector<int> counts(6);
  for (int i = 0; i < 6000; ++i) ++counts[sampler.Uniform()[2]];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST_F(SamplerTest, AMutationOfOneStepChangesAtMostOneKnob) {
  Sampler sampler = Free();
  const Point start{2, 1, 3, 0};
  for (int i = 0; i < 500; ++i) {
    const Point next = sampler.Mutate(start, 1);
    ASSERT_TRUE(IsLegal(next));
    EXPECT_LE(Differences(start, next), 1);
  }
}

TEST_F(SamplerTest, AMutationOfNoStepsChangesNothing) {
  Sampler sampler = Free();
  const Point start{2, 1, 3, 0};
  EXPECT_EQ(sampler.Mutate(start, 0), start);
}

TEST_F(SamplerTest, MutationsMostlyGoToNeighboursAndSometimesFar) {
  Sampler sampler = Free();
  const Point start{0, 0, 0, 0};
  int near = 0, far = 0;
  for (int i = 0; i < 2000; ++i) {
    const int moved = sampler.Mutate(start, 1)[2];
    near += moved == 1;
    far += moved > 1;
  }
  EXPECT_GT(near, 2 * far);
  EXPECT_GT(far, 20);
}

TEST_F(SamplerTest, AtTheEndOfItsChoicesAKnobMovesBack) {
  Sampler sampler = Free();
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(IsLegal(sampler.Mutate({3, 1, 5, 0}, 3)));
    ASSERT_TRUE(IsLegal(sampler.Mutate({0, 0, 0, 0}, 3)));
  }
}

TEST_F(SamplerTest, ACrossTakesEachKnobFromOneOfTheTwo) {
  Sampler sampler = Free();
  const Point a{0, 0, 0, 0}, b{3, 1, 5, 0};
  std::set<Point> children;
  for (int i = 0; i < 200; ++i) {
    const Point child = sampler.Cross(a, b);
    for (size_t k = 0; k < child.size(); ++k) EXPECT_TRUE(child[k] == a[k] || child[k] == b[k]);
    children.insert(child);
  }
  EXPECT_EQ(children.size(), 8u) << "every mix occurs";
}

TEST_F(SamplerTest, FrozenKnobsKeepTheStartInEveryMove) {
  const Point start{2, 1, 0, 0};
  Sampler sampler = LoopsOnly(start);
  Point point = start;
  for (int i = 0; i < 500; ++i) {
    const Point uniform = sampler.Uniform();
    point = sampler.Cross(sampler.Mutate(point, 3), uniform);
    for (const Point& p : {uniform, point}) {
      EXPECT_EQ(p[0], 2);
      EXPECT_EQ(p[1], 1);
    }
  }
}

TEST_F(SamplerTest, FreezeTakesTheFrozenKnobsOfTheStartOnly) {
  const Sampler sampler = LoopsOnly({2, 1, 0, 0});
  EXPECT_EQ(sampler.Freeze({0, 0, 4, 0}), (Point{2, 1, 4, 0}));
  EXPECT_EQ(Free().Freeze({1, 1, 4, 0}), (Point{1, 1, 4, 0}));
}

TEST_F(SamplerTest, WithEverythingFrozenThereIsOnePoint) {
  const Point start{1, 0, 2, 0};
  Sampler sampler(knobs_, std::vector<bool>(knobs_.size(), true), start, 1);
  EXPECT_EQ(sampler.Uniform(), start);
  EXPECT_EQ(sampler.Mutate(start, 5), start);
  EXPECT_EQ(sampler.Cross(start, start), start);
}

}  // namespace
}  // namespace alt::search
