// How long Simplify takes for what lowering a convolution makes. Targets
// (docs/architecture.md#lowering): the whole lowering up to the unroll step takes at most 0.2 ms in
// a release build; a kernel of a thousand stores after unrolling simplifies within a few ms.
//
//   build/release/bin/tests/simplify_perf
#include <benchmark/benchmark.h>

#include <vector>

#include "common/ir/simplify.h"
#include "common/ir/stmt.h"
#include "common/ir/substitute.h"

namespace alt::ir {
namespace {

// conv2d ic=64 56x56 oc=64 3x3 pad 1, output N H/4 W/14 O/32 4h 14w 32o, input unfolded to match,
// weights O/16 I/16 3 3 16i 16o; every spatial axis of the output is split once more by the trace.
// Index expressions are as layouts and splits leave them: nothing is simplified yet.
class Convolution {
 public:
  Convolution() {
    h_ = Split("h", {14, 2, 2}), w_ = Split("w", {4, 7, 2}), o_ = Split("o", {2, 2, 16});
    spatial_end_ = loops_.size();
    i_ = Split("i", {4, 16}), kh_ = Split("kh", {3}), kw_ = Split("kw", {3});
    reduction_end_ = loops_.size();
  }

  Stmt PadNest() {
    const Expr h = Split("ph", {14, 6}), w = Split("pw", {4, 16}), i = Split("pi", {4, 16});
    const Expr row = FloorDiv(h, 6) * 4 + FloorMod(h, 6) - 1;
    const Expr column = FloorDiv(w, 16) * 14 + FloorMod(w, 16) - 1;
    const Expr inside = And(And(Expr(0) <= row, row < 56), And(Expr(0) <= column, column < 56));
    return Nest(reduction_end_, loops_.size(),
                Store(padded_,
                      {0, FloorDiv(h, 6), FloorDiv(w, 16), FloorDiv(i, 16), FloorMod(h, 6),
                       FloorMod(w, 16), FloorMod(i, 16)},
                      Select(inside, Load(x_, {0, i, row, column}), FloatImm(0))));
  }

  Stmt Update() {
    const Expr h = Logical(h_, 4), w = Logical(w_, 14), o = Logical(o_, 32);
    const Expr x = Load(
        padded_, {0, FloorDiv(h, 4), FloorDiv(w, 14), FloorDiv(i_, 16),
                  h + kh_ - FloorDiv(h, 4) * 4, w + kw_ - FloorDiv(w, 14) * 14, FloorMod(i_, 16)});
    const Expr k = Load(
        weights_, {FloorDiv(o, 16), FloorDiv(i_, 16), kh_, kw_, FloorMod(i_, 16), FloorMod(o, 16)});
    return Store(y_, OutputIndices(), Load(y_, OutputIndices()) + x * k);
  }

  Stmt ConvNest() {
    return Nest(0, spatial_end_,
                Block({Init(), Nest(spatial_end_, reduction_end_, Update()), Tail()}));
  }
  Stmt Init() { return Store(y_, OutputIndices(), FloatImm(0)); }
  Stmt Tail() {
    return Store(y_, OutputIndices(),
                 Max(Load(y_, OutputIndices()) + Load(bias_, {Logical(o_, 32)}), FloatImm(0)));
  }

  Stmt Whole() { return Block({PadNest(), ConvNest()}); }

  // The update for all values of the innermost axes, as UnrollLoops writes it.
  Stmt Unrolled() {
    const Stmt update = Simplify(Update(), Ranges());  // as it stands before unrolling
    std::vector<Stmt> stores;
    for (int h = 0; h < 2; ++h) {
      for (int w = 0; w < 7; ++w) {
        for (int o = 0; o < 2; ++o) {
          for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 9; ++k) {
              stores.push_back(Substitute(update, {{Inner("h.2"), h},
                                                   {Inner("w.1"), w},
                                                   {Inner("o.1"), o},
                                                   {Inner("i.1"), i},
                                                   {Inner("kh.0"), k / 3},
                                                   {Inner("kw.0"), k % 3},
                                                   {Inner("o.2"), Ramp(0, 1, 16)}}));
            }
          }
        }
      }
    }
    return Block(std::move(stores));
  }

  RangeMap Ranges() const {
    RangeMap ranges;
    for (const Loop& loop : loops_) ranges[loop.var.get()] = {0, loop.extent - 1};
    return ranges;
  }

 private:
  struct Loop {
    Var var;
    int64_t extent;
  };

  // One axis of loops: ((a.0 * f1 + a.1) * f2 + a.2).
  Expr Split(const std::string& name, std::vector<int64_t> extents) {
    Expr e;
    for (size_t i = 0; i < extents.size(); ++i) {
      const Var var = MakeVar(name + "." + std::to_string(i));
      loops_.push_back({var, extents[i]});
      e = e.defined() ? e * Expr(extents[i]) + var : Expr(var);
    }
    return e;
  }
  // Logical index of a physical pair of axes that the loops run over as one number.
  static Expr Logical(const Expr& fused, int64_t block) {
    return FloorDiv(fused, block) * Expr(block) + FloorMod(fused, block);
  }
  std::vector<Expr> OutputIndices() const {
    return {0,
            FloorDiv(h_, 4),
            FloorDiv(w_, 14),
            FloorDiv(o_, 32),
            FloorMod(h_, 4),
            FloorMod(w_, 14),
            FloorMod(o_, 32)};
  }
  const VarNode* Inner(const std::string& name) const {
    for (const Loop& loop : loops_) {
      if (loop.var->name == name) return loop.var.get();
    }
    return nullptr;
  }
  // Loops [begin, end) around body.
  Stmt Nest(size_t begin, size_t end, Stmt body) const {
    for (size_t i = end; i-- > begin;) {
      body = For(loops_[i].var, 0, loops_[i].extent, ForKind::kSerial, std::move(body));
    }
    return body;
  }

  std::vector<Loop> loops_;
  size_t spatial_end_, reduction_end_;
  Expr h_, w_, o_, i_, kh_, kw_;
  Buffer x_ = MakeBuffer("x", {1, 64, 56, 56});
  Buffer padded_ = MakeBuffer("pad", {1, 14, 4, 4, 6, 16, 16});
  Buffer weights_ = MakeBuffer("w", {4, 4, 3, 3, 16, 16});
  Buffer y_ = MakeBuffer("y", {1, 14, 4, 2, 4, 14, 32});
  Buffer bias_ = MakeBuffer("bias", {64});
};

void BM_SimplifyConvolution(benchmark::State& state) {
  const Stmt nest = Convolution().Whole();
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(nest));
}
BENCHMARK(BM_SimplifyConvolution)->Unit(benchmark::kMicrosecond);

void BM_SimplifyAgain(benchmark::State& state) {
  const Stmt nest = Simplify(Convolution().Whole());
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(nest));
}
BENCHMARK(BM_SimplifyAgain)->Unit(benchmark::kMicrosecond);

void BM_SimplifyUnrolled(benchmark::State& state) {
  Convolution convolution;
  const Stmt block = convolution.Unrolled();
  const RangeMap ranges = convolution.Ranges();
  for (auto _ : state) benchmark::DoNotOptimize(Simplify(block, ranges));
  state.counters["stores"] = static_cast<double>(block->stmts.size());
}
BENCHMARK(BM_SimplifyUnrolled)->Unit(benchmark::kMillisecond);

void BM_SubstituteUnrolled(benchmark::State& state) {
  Convolution convolution;
  for (auto _ : state) benchmark::DoNotOptimize(convolution.Unrolled());
}
BENCHMARK(BM_SubstituteUnrolled)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace alt::ir

BENCHMARK_MAIN();
