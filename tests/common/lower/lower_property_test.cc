// Any legal layout and trace computes what the naive evaluation computes; and what is refused is
// refused as soon as there are loops.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/mutator.h"
#include "common/ir/printer.h"
#include "common/ir/verify.h"
#include "common/ir/visitor.h"
#include "common/layout/apply_layouts.h"
#include "gtest/gtest.h"
#include "tests/common/lower/run_kernel.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/random_candidate.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::lower {
namespace {

// Four lanes in most cases: small shapes then have whole vectors and rests.
target::Target TargetOf(uint64_t seed) {
  target::Target target;
  target.vec_bits = seed % 4 == 3 ? 512 : 128;
  return target;
}

struct Case {
  workload::Workload workload;
  workload::Candidate candidate;
};

Case RandomCase(uint64_t seed, const workload::Algorithm& algorithm) {
  base::Random random(seed);
  Case c;
  do {
    c.workload = testing::RandomWorkload(random);
  } while (!workload::MakeGraph(c.workload, algorithm).ok());
  c.candidate.algorithm = algorithm;
  const te::Graph graph = *workload::MakeGraph(c.workload, algorithm);
  c.candidate.layouts = testing::RandomLayouts(graph, random);
  const te::Graph physical = *layout::ApplyLayouts(graph, c.candidate.layouts);
  c.candidate.trace = testing::RandomTrace(physical, 20, random);
  return c;
}

// What can be said of a candidate before it is lowered further: the server knows no more.
absl::Status Verdict(const Case& c, const target::Target& target) {
  const auto loops = LowerToLoops(c.workload, c.candidate);
  return loops.ok() ? CheckSize(*loops, target) : loops.status();
}

// "" when kernel and reference agree, or when the candidate is refused before more than loops was
// made of it; that counts in *refused. Else what went wrong.
std::string Check(const Case& c, uint64_t seed, double tolerance, int* refused) {
  base::Random random(seed);
  const target::Target target = TargetOf(seed);
  if (const absl::Status verdict = Verdict(c, target); !verdict.ok()) {
    if (verdict.code() != absl::StatusCode::kFailedPrecondition) return verdict.ToString();
    if (refused != nullptr) ++*refused;
    const absl::Status lowered = Lower(c.workload, c.candidate, target).status();
    return lowered == verdict ? ""
                              : absl::StrCat(verdict.ToString(), ", then ", lowered.ToString());
  }
  const auto outputs = testing::RunBoth(c.workload, c.candidate, target, random);
  if (!outputs.ok()) return outputs.status().ToString();
  for (size_t i = 0; i < outputs->kernel.size(); ++i) {
    const double error = std::fabs(outputs->kernel[i] - outputs->reference[i]);
    if (!(error <= tolerance * (1 + std::fabs(outputs->reference[i])))) {
      return absl::StrCat("element ", i, " is ", outputs->kernel[i], ", not ",
                          outputs->reference[i]);
    }
  }
  return "";
}

// Drops instructions and layouts as long as the case still fails.
Case Shrink(Case c, uint64_t seed, double tolerance) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t i = c.candidate.trace.instructions.size(); i-- > 0;) {
      Case next = c;
      next.candidate.trace.instructions.erase(next.candidate.trace.instructions.begin() + i);
      if (Check(next, seed, tolerance, nullptr).empty()) continue;
      if (absl::StrContains(Check(next, seed, tolerance, nullptr), "INVALID_ARGUMENT")) continue;
      c = next;
      smaller = true;
    }
    for (const auto& [tensor, layout] : workload::Candidate(c.candidate).layouts) {
      Case next = c;
      next.candidate.layouts.erase(tensor);
      const std::string error = Check(next, seed, tolerance, nullptr);
      if (error.empty() || absl::StrContains(error, "INVALID_ARGUMENT")) continue;
      c = next;
      smaller = true;
    }
  }
  return c;
}

void CheckSeeds(uint64_t begin, int count, const workload::Algorithm& algorithm, double tolerance) {
  const uint64_t end = begin + testing::FuzzCases(count);
  int refused = 0;
  for (uint64_t seed = begin; seed < end; ++seed) {
    const Case c = RandomCase(seed, algorithm);
    const std::string error = Check(c, seed, tolerance, &refused);
    if (error.empty()) continue;
    const Case small = Shrink(c, seed, tolerance);
    FAIL() << "seed " << seed << ": " << error
           << "\nshrunk: " << Check(small, seed, tolerance, nullptr) << "\n"
           << workload::Print(workload::CandidateFile{small.workload, small.candidate});
  }
  EXPECT_LT(refused, static_cast<int>(end - begin) / 4) << "most cases must be legal to mean much";
}

TEST(LowerPropertyTest, DirectKernelsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(0, 1500, {}, 0);
}

TEST(LowerPropertyTest, WinogradKernelsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(0, 150, {{workload::Winograd{2, 2}}}, 1e-3);
  CheckSeeds(1000000, 100, {{workload::Winograd{4, 2}}}, 1e-3);
}

// Another buffer in place of one.
class BufferReplacer : public ir::Mutator {
 public:
  BufferReplacer(ir::Buffer from, ir::Buffer to) : from_(std::move(from)), to_(std::move(to)) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr mutated = ir::Mutator::MutateExpr(e);
    if (mutated->kind != ir::ExprKind::kLoad || mutated->buffer != from_) return mutated;
    return ir::Load(to_, {mutated->args.begin(), mutated->args.end()});
  }
  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    const ir::Stmt mutated = ir::Mutator::MutateStmt(s);
    if (mutated->buffer != from_) return mutated;
    switch (mutated->kind) {
      case ir::StmtKind::kStore:
        return ir::Store(to_, ir::IndicesOf(*mutated), mutated->value());
      case ir::StmtKind::kAllocate:
        return ir::Allocate(to_, mutated->body());
      default:
        return ir::Prefetch(to_, ir::IndicesOf(*mutated));
    }
  }

 private:
  const ir::Buffer from_, to_;
};

// A kernel's function with one buffer an element too short; as it was where all have one.
ir::Function Shorten(ir::Function f, base::Random& random) {
  std::vector<ir::Buffer> buffers;
  const auto add = [&](const ir::Buffer& buffer) {
    if (buffer->shape[0] > 1) buffers.push_back(buffer);
  };
  for (const ir::Buffer& param : f.params) add(param);
  ir::VisitStmt(f.body, [&](const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kAllocate) add(s->buffer);
    return true;
  });
  if (buffers.empty()) return f;
  const ir::Buffer from = random.Choice(buffers);
  const ir::Buffer to = ir::MakeBuffer(from->name, {from->shape[0] - 1}, from->dtype, from->scope);
  std::replace(f.params.begin(), f.params.end(), from, to);
  f.body = BufferReplacer(from, to).MutateStmt(f.body);
  return f;
}

TEST(LowerPropertyTest, WhatLeavesItsBufferIsRefusedAndNothingElseIs) {
  int outside = 0, found = 0;
  const uint64_t end = 2000000 + testing::FuzzCases(300);
  for (uint64_t seed = 2000000; seed < end; ++seed) {
    const Case c = RandomCase(seed, {});
    const auto kernel = Lower(c.workload, c.candidate, TargetOf(seed));
    if (!kernel.ok()) continue;
    base::Random random(seed);
    const ir::Function f = Shorten(kernel->module.functions[0], random);
    ir::Memory memory;
    for (const ir::Buffer& param : f.params) memory[param.get()].resize(param->shape[0]);
    const bool runs = ir::Interpret(f, memory).ok();
    const absl::Status verdict = ir::Verify(ir::Module{{f}});
    ASSERT_TRUE(!runs || verdict.ok()) << "seed " << seed << ": " << verdict;
    outside += runs ? 0 : 1;
    found += verdict.ok() ? 0 : 1;
  }
  // What only a few iterations of many do may pass.
  EXPECT_GT(found, outside * 19 / 20) << "of " << outside;
  EXPECT_GT(outside, 200);
}

}  // namespace
}  // namespace alt::lower
