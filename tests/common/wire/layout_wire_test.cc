#include "common/wire/layout_wire.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

using testing::StatusIs;

TEST(LayoutWireTest, EveryPrimitiveComesBack) {
  base::Random random(1);
  for (size_t kind = 0; kind < std::variant_size_v<layout::Primitive>; ++kind) {
    for (int i = 0; i < 50; ++i) {
      const layout::Primitive primitive = RandomPrimitive(random, kind);
      ASSERT_EQ(primitive.index(), kind);
      const v1::LayoutPrimitive proto = ToProto(primitive);
      ALT_ASSERT_OK_AND_ASSIGN(const layout::Primitive back, FromProto(proto));
      EXPECT_EQ(back, primitive);
    }
  }
}

// The oneof lists the alternatives of the variant, in its order.
TEST(LayoutWireTest, OneofMirrorsTheVariant) {
  base::Random random(2);
  const auto* oneof = v1::LayoutPrimitive::descriptor()->FindOneofByName("kind");
  ASSERT_EQ(static_cast<size_t>(oneof->field_count()), std::variant_size_v<layout::Primitive>);
  for (size_t kind = 0; kind < std::variant_size_v<layout::Primitive>; ++kind) {
    const v1::LayoutPrimitive proto = ToProto(RandomPrimitive(random, kind));
    EXPECT_EQ(proto.kind_case(), oneof->field(static_cast<int>(kind))->number());
  }
}

TEST(LayoutWireTest, LayoutsComeBack) {
  base::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const layout::Layout layout = RandomLayout(random);
    ALT_ASSERT_OK_AND_ASSIGN(const layout::Layout back, FromProto(ToProto(layout)));
    EXPECT_EQ(back, layout);
    ALT_ASSERT_OK_AND_ASSIGN(const layout::Layout read, layout::Parse(layout::Print(layout)));
    EXPECT_EQ(read, layout) << "what a message may hold has a text";
  }
}

TEST(LayoutWireTest, RefusesAKindThatIsMissing) {
  v1::Layout layout;
  layout.add_primitives();
  EXPECT_TRUE(StatusIs(FromProto(layout), absl::StatusCode::kInvalidArgument,
                       "layout primitive 0: a layout primitive of a kind"));
}

TEST(LayoutWireTest, RefusesNumbersOutOfBounds) {
  const std::vector<std::function<void(v1::LayoutPrimitive&)>> cases = {
      [](auto& p) { p.mutable_split(); },                                 // no factors
      [](auto& p) { p.mutable_split()->add_factors(0); },                 //
      [](auto& p) { p.mutable_split()->add_factors(int64_t{1} << 50); },  //
      [](auto& p) {                                                       // product overflows
        for (int i = 0; i < 4; ++i) p.mutable_split()->add_factors(1 << 30);
      },
      [](auto& p) {
        p.mutable_split()->add_factors(2);
        p.mutable_split()->set_dim(-1);
      },
      [](auto& p) {
        for (int i = 0; i < 20; ++i) p.mutable_split()->add_factors(1);
      },
      [](auto& p) {  // not a permutation
        p.mutable_reorder()->add_permutation(0);
        p.mutable_reorder()->add_permutation(0);
      },
      [](auto& p) { p.mutable_reorder(); },  // no dimensions
      [](auto& p) { p.mutable_reorder()->add_permutation(1); },
      [](auto& p) { p.mutable_reorder()->add_permutation(-1); },
      [](auto& p) { p.mutable_fuse()->set_first(1); },  // last < first
      [](auto& p) { p.mutable_fuse()->set_last(1000); },
      [](auto& p) { p.mutable_unfold()->set_size(1); },  // stride 0
      [](auto& p) { p.mutable_pad()->set_before(-1); },
      [](auto& p) { p.mutable_pad()->set_before(layout::kMaxNumber + 1); },
      [](auto& p) { p.mutable_fold()->set_size(1); },
      [](auto& p) { p.mutable_unpad()->set_after(-1); },
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    v1::LayoutPrimitive primitive;
    cases[i](primitive);
    EXPECT_TRUE(StatusIs(FromProto(primitive), absl::StatusCode::kInvalidArgument))
        << "case " << i << ": " << primitive.ShortDebugString();
  }
}

TEST(LayoutWireTest, RefusesTooManyPrimitives) {
  v1::Layout layout;
  for (int i = 0; i < 1000; ++i) layout.add_primitives()->mutable_pad();
  EXPECT_TRUE(StatusIs(FromProto(layout), absl::StatusCode::kInvalidArgument, "limit of 64"));
}

}  // namespace
}  // namespace alt::wire
