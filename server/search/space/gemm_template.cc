#include "server/search/space/gemm_template.h"

#include <algorithm>
#include <utility>

#include "common/base/status_macros.h"
#include "server/search/space/main_loops.h"

namespace alt::search {
namespace {

using layout::Layout;
using layout::Reorder;
using layout::Split;

// Layouts of the two data operands.
enum Form : int64_t { kPlain = 0, kPanels = 1 };

class GemmTemplate : public Space {
 public:
  GemmTemplate(const workload::Matmul& matmul, const target::Target& target, SpaceOptions options)
      : matmul_(matmul), target_(target), options_(std::move(options)) {
    const std::vector<int64_t> forms{kPlain, kPanels};
    knobs_.Add("a_form", IsFixed("a") ? std::vector<int64_t>{kPlain} : forms, true);
    knobs_.Add("c_form", IsFixed("c") ? std::vector<int64_t>{kPlain} : forms, true);
    AddLoopKnobs(MakeParts(false, 0, 0), target_, knobs_);
  }

  absl::StatusOr<workload::Candidate> Build(const Point& point) const override {
    const int64_t rows = std::min(knobs_.Value(point, "row_tile"), matmul_.m);
    const int64_t columns = std::min(knobs_.Value(point, "vector_tile"), matmul_.n);
    const bool tiled = knobs_.Value(point, "c_form") == kPanels;
    workload::Candidate candidate;
    candidate.layouts = options_.fixed_layouts;
    if (!IsFixed("a") && knobs_.Value(point, "a_form") == kPanels && rows > 1) {
      candidate.layouts["a"] = Panels(matmul_.trans_a ? 1 : 0, rows);
    }
    if (!IsFixed("b") && columns > 1)
      candidate.layouts["b"] = Panels(matmul_.trans_b ? 0 : 1, columns);
    if (tiled) {
      if (matmul_.m % rows != 0 || matmul_.n % columns != 0) {
        return absl::FailedPreconditionError("tiles of c do not divide it");
      }
      candidate.layouts["c"] = Tiles(rows, columns);
    }
    DropPlainLayouts(candidate);
    ALT_ASSIGN_OR_RETURN(candidate.trace,
                         BuildLoops(MakeParts(tiled, rows, columns), knobs_, point, target_, {}));
    return candidate;
  }

  std::vector<Point> Seeds() const override {
    const int64_t lanes = target::VecLanes(target_);
    std::vector<Point> seeds;
    const auto add = [&](int64_t rows, int64_t vectors, Form a, Form c, int64_t order) {
      Point point = knobs_.Origin();
      knobs_.Set(point, "row_tile", rows);
      knobs_.Set(point, "vector_tile", vectors * lanes);
      knobs_.Set(point, "a_form", a);
      knobs_.Set(point, "c_form", c);
      knobs_.Set(point, "order", order);
      if (c == kPanels) {
        // Tiles that divide the matrix.
        SetDivisor(point, "row_tile", rows, matmul_.m);
        SetDivisor(point, "vector_tile", vectors * lanes, matmul_.n);
      }
      if (Build(point).ok()) seeds.push_back(std::move(point));
    };
    const bool wide = target::NumVectorRegisters(target_) >= 32;
    add(wide ? 8 : 4, 2, kPlain, kPlain, 2);
    add(wide ? 12 : 5, 2, kPlain, kPlain, 2);
    add(wide ? 14 : 6, 2, kPanels, kPlain, 2);
    add(wide ? 6 : 3, wide ? 4 : 3, kPlain, kPlain, 2);
    add(wide ? 8 : 4, wide ? 3 : 2, kPanels, kPanels, 1);
    add(1, wide ? 4 : 2, kPlain, kPlain, 2);
    return seeds;
  }

 private:
  // The largest choice up to `most` that divides the extent, if there is one.
  void SetDivisor(Point& point, const char* knob, int64_t most, int64_t extent) const {
    for (const int64_t choice : knobs_.all()[knobs_.IndexOf(knob)].choices) {
      if (choice <= most && extent % choice == 0) knobs_.Set(point, knob, choice);
    }
  }

  bool IsFixed(const std::string& tensor) const { return options_.fixed_layouts.contains(tensor); }
  int First() const { return matmul_.batch > 1 ? 1 : 0; }

  // Splits dimension `dim` of a matrix into panels of `width`: (panel, other dimension, width).
  Layout Panels(int dim, int64_t width) const {
    const int f = First();
    Reorder reorder;
    if (f == 1) reorder.perm.push_back(0);
    // After the split: dim 0 -> (0, 1), other 2; dim 1 -> other 0, (1, 2).
    for (const int d : dim == 0 ? std::vector<int>{0, 2, 1} : std::vector<int>{1, 0, 2}) {
      reorder.perm.push_back(f + d);
    }
    return Layout{{Split{f + dim, {width}}, reorder}};
  }

  Layout Tiles(int64_t rows, int64_t columns) const {
    const int f = First();
    Reorder reorder;
    if (f == 1) reorder.perm.push_back(0);
    for (const int d : {0, 2, 1, 3}) reorder.perm.push_back(f + d);
    return Layout{{Split{f, {rows}}, Split{f + 2, {columns}}, reorder}};
  }

  Parts MakeParts(bool tiled, int64_t rows, int64_t columns) const {
    Parts parts;
    parts.stage = "matmul";
    parts.streamed = "b";
    parts.depth = {"k", matmul_.k};
    if (matmul_.batch > 1) parts.batch.push_back({"b", matmul_.batch});
    if (tiled) {
      // A tile of c is a register tile.
      parts.batch.push_back({"n.0", matmul_.n / columns});
      parts.batch.push_back({"m.0", matmul_.m / rows});
      parts.row = {"m.1", rows};
      parts.vector = {"n.1", columns};
    } else if (IsFixed("c")) {
      TakeAxesOfFixed(parts);
    } else {
      parts.row = {"m", matmul_.m};
      parts.vector = {"n", matmul_.n};
    }
    return parts;
  }

  // A fixed c says itself which axis plays which part: vectors run over the innermost one, tiles
  // over the innermost one of the other dimension.
  void TakeAxesOfFixed(Parts& parts) const {
    std::vector<int64_t> shape{matmul_.m, matmul_.n};
    std::vector<std::string> names{"m", "n"};
    if (matmul_.batch > 1) {
      shape.insert(shape.begin(), matmul_.batch);
      names.insert(names.begin(), "b");
    }
    std::vector<NamedAxis> axes = PhysicalAxes(options_.fixed_layouts.at("c"), shape, names);
    parts.vector = axes.back();
    axes.pop_back();
    const char row = parts.vector.name[0] == 'n' ? 'm' : 'n';
    for (size_t i = axes.size(); i-- > 0 && parts.row.name.empty();) {
      if (axes[i].name[0] != row) continue;
      parts.row = axes[i];
      axes.erase(axes.begin() + i);
    }
    parts.batch = std::move(axes);
  }

  workload::Matmul matmul_;
  target::Target target_;
  SpaceOptions options_;
};

}  // namespace

std::unique_ptr<Space> MakeGemmTemplate(const workload::Matmul& matmul,
                                        const target::Target& target, SpaceOptions options) {
  return std::make_unique<GemmTemplate>(matmul, target, std::move(options));
}

}  // namespace alt::search
