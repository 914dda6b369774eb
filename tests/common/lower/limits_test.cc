// Texts of others may double an expression with every word. Whatever they say, lowering does a
// bounded amount of work. Counted are allocations: nodes are most of them, and unlike time they do
// not depend on what else the machine does.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/lower/lower.h"
#include "common/schedule/apply.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/random_candidate.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

// Inlined at -O1, GCC sees malloc here and takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }

namespace alt::lower {
namespace {

using testing::StatusIs;

// A hundred times what an ordinary candidate takes, and a fraction of a second.
constexpr int64_t kMost = 400000;

int64_t AllocationsOf(absl::FunctionRef<void()> work) {
  const int64_t before = allocations.load();
  work();
  return allocations.load() - before;
}

workload::Workload ParseWorkload(absl::string_view text) { return *workload::Parse(text); }

std::string Repeat(absl::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) absl::StrAppend(&text, part);
  return text;
}

// As many primitives as a layout may have, most of which take apart and join what is there.
layout::Layout DeepLayout(layout::Shape shape, base::Random& random) {
  constexpr int64_t kMaxCells = 100000;
  layout::Layout result;
  for (int tries = 0; tries < 2 * layout::kMaxPrimitives; ++tries) {
    const int rank = static_cast<int>(shape.size());
    const int dim = static_cast<int>(random.Uniform(rank));
    layout::Primitive p;
    if (random.Bernoulli(0.2)) {
      layout::Reorder reorder;
      reorder.perm.resize(rank);
      std::iota(reorder.perm.begin(), reorder.perm.end(), 0);
      random.Shuffle(reorder.perm);
      p = reorder;
    } else if (rank > 6 || (rank > 1 && random.Bernoulli(0.4))) {
      p = layout::Fuse{std::max(0, dim - 1), std::max(1, dim)};
    } else {
      p = layout::Split{dim, {random.UniformInt(2, 3)}};
    }
    const absl::StatusOr<layout::Shape> after = layout::ApplyToShape(p, shape);
    if (!after.ok()) continue;
    const int64_t cells =
        std::accumulate(after->begin(), after->end(), int64_t{1}, std::multiplies<int64_t>());
    if (cells > kMaxCells || result.primitives.size() == layout::kMaxPrimitives) continue;
    shape = *after;
    result.primitives.push_back(std::move(p));
  }
  return result;
}

TEST(LimitsTest, ALayoutThatDoublesItsIndexIsNothingSpecialWhereItCancels) {
  // Each pair gives the index back that it took apart.
  const std::string pairs = Repeat("split(0,3) fuse(0,1) split(0,2) fuse(0,1) ", 16);
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Candidate candidate,
                           workload::ParseCandidate(absl::StrCat("layout b: ", pairs)));
  const workload::Workload gemm = ParseWorkload("matmul:m=17,n=16,k=6");
  EXPECT_LT(AllocationsOf([&] { ALT_EXPECT_OK(LowerToLoops(gemm, candidate)); }), kMost / 10);
}

TEST(LimitsTest, ALayoutWhoseIndexBecomesTooLongIsRefusedByName) {
  const std::string knots = Repeat("split(0,3) reorder(1,0,2) fuse(0,1) split(0,2) fuse(0,1) ", 12);
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Candidate candidate,
                           workload::ParseCandidate(absl::StrCat("layout a: ", knots)));
  const workload::Workload gemm = ParseWorkload("matmul:m=625,n=16,k=4");
  EXPECT_LT(
      AllocationsOf([&] {
        EXPECT_TRUE(StatusIs(LowerToLoops(gemm, candidate), absl::StatusCode::kFailedPrecondition,
                             "stage matmul: reading a: "));
      }),
      kMost);
}

TEST(LimitsTest, ANameThatDoublesIsRefused) {
  ALT_ASSERT_OK_AND_ASSIGN(
      const workload::Candidate candidate,
      workload::ParseCandidate(absl::StrCat("layout c: ", Repeat("split(0,2) fuse(0,1) ", 32))));
  EXPECT_TRUE(StatusIs(LowerToLoops(ParseWorkload("matmul:m=16,n=16,k=4"), candidate),
                       absl::StatusCode::kFailedPrecondition, "writing c: fuse(0,1): the name"));
}

TEST(LimitsTest, AnyLayoutsLowerOrAreRefusedInBoundedWork) {
  int lowered = 0, refused = 0;
  int64_t most = 0;
  const int count = testing::FuzzCases(300);
  for (int seed = 0; seed < count; ++seed) {
    base::Random random(seed);
    const workload::Workload workload = testing::RandomWorkload(random);
    workload::Candidate candidate;
    const te::Graph graph = *workload::MakeGraph(workload);
    for (const te::Tensor& tensor : graph.tensors) {
      if (random.Bernoulli(0.5)) continue;
      candidate.layouts[tensor.buffer->name] = DeepLayout(tensor.buffer->shape, random);
    }
    absl::Status status;
    const int64_t work =
        AllocationsOf([&] { status = LowerToLoops(workload, candidate).status(); });
    most = std::max(most, work);
    ASSERT_LT(work, kMost) << "seed " << seed << ": " << status << "\n"
                           << workload::Print(workload::CandidateFile{workload, candidate});
    ASSERT_TRUE(status.ok() || absl::IsFailedPrecondition(status))
        << "seed " << seed << ": " << status;
    ++(status.ok() ? lowered : refused);
  }
  RecordProperty("most_allocations", absl::StrCat(most));
  EXPECT_GT(lowered, count / 10);
  EXPECT_GT(refused, count / 10);
}

TEST(LimitsTest, AnyTraceAppliesOrIsRefusedInBoundedWork) {
  int64_t most = 0;
  const int count = testing::FuzzCases(60);
  for (int seed = 0; seed < count; ++seed) {
    base::Random random(seed);
    const workload::Workload workload = testing::RandomWorkload(random);
    workload::Candidate candidate;
    candidate.trace = testing::RandomTrace(*workload::MakeGraph(workload), 400, random);
    absl::Status status;
    const int64_t work =
        AllocationsOf([&] { status = LowerToLoops(workload, candidate).status(); });
    most = std::max(most, work);
    ASSERT_LT(work, kMost) << "seed " << seed << ": " << status << "\n"
                           << workload::Print(workload::CandidateFile{workload, candidate});
    ASSERT_TRUE(status.ok() || absl::IsFailedPrecondition(status))
        << "seed " << seed << ": " << status;
  }
  RecordProperty("most_allocations", absl::StrCat(most));
}

TEST(LimitsTest, SplittingAndFusingALoopForEverIsBounded) {
  std::string trace;
  std::string loop = "m";
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&trace, "split(matmul.", loop, ", 3) fuse(matmul.", loop, ".0, matmul.", loop,
                    ".1)\n");
    loop = absl::StrCat(loop, ".0_", loop, ".1");
    if (loop.size() > 2000) break;
  }
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Candidate candidate, workload::ParseCandidate(trace));
  EXPECT_LT(AllocationsOf([&] {
              ALT_EXPECT_OK(LowerToLoops(ParseWorkload("matmul:m=729,n=16,k=4"), candidate));
            }),
            kMost / 10);
}

}  // namespace
}  // namespace alt::lower
