#include "tests/testing/workloads.h"

namespace alt::testing {
namespace {

using workload::Conv2d;
using workload::Matmul;
using workload::Workload;

// An extent from 1 to `most` or, now and then, 1: the degenerate case.
int64_t Extent(base::Random& random, int64_t most) {
  return random.Bernoulli(0.15) ? 1 : random.UniformInt(1, most);
}

}  // namespace

Conv2d RandomConv2d(base::Random& random) {
  while (true) {
    Conv2d op;
    op.n = Extent(random, 2);
    op.groups = random.Bernoulli(0.5) ? 1 : random.UniformInt(2, 4);
    op.ic = op.groups * Extent(random, 4);
    op.oc = op.groups * Extent(random, 6);
    op.ih = Extent(random, 9);
    op.iw = Extent(random, 9);
    op.kh = Extent(random, 3);
    op.kw = Extent(random, 4);
    for (int i = 0; i < 2; ++i) {
      op.stride[i] = random.Bernoulli(0.5) ? 1 : random.UniformInt(2, 3);
      op.dilation[i] = random.Bernoulli(0.6) ? 1 : random.UniformInt(2, 3);
      op.pad_begin[i] = random.UniformInt(0, 2);
      op.pad_end[i] = random.Bernoulli(0.5) ? op.pad_begin[i] : random.UniformInt(0, 3);
    }
    if (workload::Validate(Workload{op}).ok()) return op;
  }
}

Matmul RandomMatmul(base::Random& random) {
  return Matmul{.m = Extent(random, 17),
                .n = Extent(random, 37),
                .k = Extent(random, 12),
                .batch = random.Bernoulli(0.6) ? 1 : random.UniformInt(2, 4),
                .trans_a = random.Bernoulli(0.5),
                .trans_b = random.Bernoulli(0.5),
                .const_b = random.Bernoulli(0.5)};
}

Workload RandomWorkload(base::Random& random) {
  if (random.Bernoulli(0.7)) return Workload{RandomConv2d(random)};
  return Workload{RandomMatmul(random)};
}

}  // namespace alt::testing
