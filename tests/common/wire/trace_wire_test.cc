#include "common/wire/trace_wire.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

using testing::StatusIs;

TEST(TraceWireTest, EveryInstructionComesBack) {
  base::Random random(1);
  for (size_t kind = 0; kind < std::variant_size_v<schedule::Instruction>; ++kind) {
    for (int i = 0; i < 50; ++i) {
      const schedule::Instruction instruction = RandomInstruction(random, kind);
      ASSERT_EQ(instruction.index(), kind);
      ALT_ASSERT_OK_AND_ASSIGN(const schedule::Instruction back, FromProto(ToProto(instruction)));
      EXPECT_EQ(back, instruction);
    }
  }
}

TEST(TraceWireTest, OneofMirrorsTheVariant) {
  base::Random random(2);
  const auto* oneof = v1::Instruction::descriptor()->FindOneofByName("kind");
  ASSERT_EQ(static_cast<size_t>(oneof->field_count()), std::variant_size_v<schedule::Instruction>);
  for (size_t kind = 0; kind < std::variant_size_v<schedule::Instruction>; ++kind) {
    const v1::Instruction proto = ToProto(RandomInstruction(random, kind));
    EXPECT_EQ(proto.kind_case(), oneof->field(static_cast<int>(kind))->number());
  }
}

TEST(TraceWireTest, CandidatesComeBack) {
  base::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const workload::Candidate candidate = RandomCandidate(random);
    ALT_ASSERT_OK_AND_ASSIGN(const workload::Candidate back, FromProto(ToProto(candidate)));
    EXPECT_EQ(back, candidate);
  }
}

TEST(TraceWireTest, RefusesBadInstructions) {
  const std::vector<std::function<void(v1::Instruction&)>> cases = {
      [](auto&) {},                                            // no kind
      [](auto& i) { i.mutable_inline_(); },                    // no stage
      [](auto& i) { i.mutable_inline_()->set_stage("a b"); },  //
      [](auto& i) { i.mutable_inline_()->set_stage("a\n"); },  //
      [](auto& i) { i.mutable_inline_()->set_stage(std::string(1000, 'a')); },
      [](auto& i) { i.mutable_parallel()->set_stage("s"); },  // no axis
      [](auto& i) { i.mutable_unroll()->set_stage("s"); },
      [](auto& i) { i.mutable_fuse()->set_stage("s"); },  // no axes
      [](auto& i) {
        i.mutable_fuse()->set_stage("s");
        i.mutable_fuse()->add_axes("a");  // alone
      },
      [](auto& i) { i.mutable_reorder()->set_stage("s"); },
      [](auto& i) { i.mutable_compute_at()->set_stage("s"); },
      [](auto& i) {
        i.mutable_split()->set_stage("s");
        i.mutable_split()->set_axis("a");
      },
      [](auto& i) {
        i.mutable_split()->set_stage("s");
        i.mutable_split()->set_axis("a");
        i.mutable_split()->add_factors(-4);
      },
      [](auto& i) {
        i.mutable_vectorize()->set_stage("s");
        i.mutable_vectorize()->set_axis("a");
        i.mutable_vectorize()->set_lanes(1 << 20);
      },
      [](auto& i) {
        i.mutable_prefetch()->set_stage("s");
        i.mutable_prefetch()->set_axis("a");
      },
      [](auto& i) {
        i.mutable_prefetch()->set_stage("s");
        i.mutable_prefetch()->set_axis("a");
        i.mutable_prefetch()->set_tensor("t");  // distance 0
      },
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    v1::Instruction instruction;
    cases[i](instruction);
    EXPECT_TRUE(StatusIs(FromProto(instruction), absl::StatusCode::kInvalidArgument))
        << "case " << i << ": " << instruction.ShortDebugString();
  }
}

TEST(TraceWireTest, SaysWhichInstructionIsBad) {
  v1::Trace trace;
  trace.add_instructions()->mutable_inline_()->set_stage("pad");
  trace.add_instructions();
  EXPECT_TRUE(StatusIs(FromProto(trace), absl::StatusCode::kInvalidArgument, "instruction 1: "));
}

TEST(TraceWireTest, RefusesTooMuch) {
  v1::Trace trace;
  for (int i = 0; i < 5000; ++i) trace.add_instructions()->mutable_inline_()->set_stage("pad");
  EXPECT_TRUE(StatusIs(FromProto(trace), absl::StatusCode::kInvalidArgument, "limit"));

  v1::Candidate candidate;
  EXPECT_TRUE(StatusIs(FromProto(candidate), absl::StatusCode::kInvalidArgument, "algorithm"));
  candidate.set_algorithm("direct");
  for (int i = 0; i < 100; ++i) (*candidate.mutable_layouts())["t" + std::to_string(i)];
  EXPECT_TRUE(StatusIs(FromProto(candidate), absl::StatusCode::kInvalidArgument, "limit"));
}

}  // namespace
}  // namespace alt::wire
