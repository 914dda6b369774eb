#include "server/search/space/conv_template.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/search/space/main_loops.h"

namespace alt::search {
namespace {

using layout::Layout;
using layout::Reorder;
using layout::Split;
using layout::Unfold;

// What the lanes of a vector run over.
enum Vectors : int64_t { kOverChannels = 0, kOverWidth = 1, kOverGroups = 2 };

// The layout factors of a point, cut to the shape.
struct Factors {
  int64_t vectors, channel_block, input_block, tile_h, tile_w, taps_outside;
  int64_t vector_tile;
  bool tiled() const { return tile_h > 0; }
};

class ConvTemplate : public Space {
 public:
  ConvTemplate(const workload::Conv2d& conv, const target::Target& target, SpaceOptions options)
      : conv_(conv), target_(target), options_(std::move(options)) {
    if (IsFixed("y")) fixed_output_ = PartsOfOutput(options_.fixed_layouts.at("y"));
    AddLayoutKnobs();
    AddLoopKnobs(MakeParts(Factors{kOverChannels, 0, 0, 0, 0, 1, 0}), target_, knobs_);
  }

  absl::StatusOr<workload::Candidate> Build(const Point& point) const override {
    const Factors f = Read(point);
    ALT_RETURN_IF_ERROR(Check(f));
    workload::Candidate candidate;
    candidate.layouts = options_.fixed_layouts;
    candidate.layouts.merge(Layouts(f));
    DropPlainLayouts(candidate);
    ALT_ASSIGN_OR_RETURN(candidate.trace,
                         BuildLoops(MakeParts(f), knobs_, point, target_, PaddedAxes(f)));
    return candidate;
  }

  std::vector<Point> Seeds() const override;

 private:
  int64_t OutH() const { return Out(conv_.ih, conv_.kh, 0); }
  int64_t OutW() const { return Out(conv_.iw, conv_.kw, 1); }
  int64_t Out(int64_t in, int64_t k, int i) const {
    return (in + conv_.pad_begin[i] + conv_.pad_end[i] - conv_.dilation[i] * (k - 1) - 1) /
               conv_.stride[i] +
           1;
  }
  int64_t Window(int64_t k, int i) const { return conv_.dilation[i] * (k - 1) + 1; }
  int64_t GroupIn() const { return conv_.ic / conv_.groups; }
  int64_t GroupOut() const { return conv_.oc / conv_.groups; }
  bool IsDepthwise() const { return GroupIn() == 1 && GroupOut() == 1; }
  bool HasWideGroups() const { return conv_.groups > 1 && !IsDepthwise(); }
  bool IsFixed(const char* tensor) const { return options_.fixed_layouts.contains(tensor); }

  void AddLayoutKnobs() {
    std::vector<int64_t> vectors{kOverChannels, kOverWidth};
    if (HasWideGroups() && GroupOut() * GroupIn() <= 64) vectors.push_back(kOverGroups);
    std::vector<int64_t> out_blocks = Blocks(conv_.oc, GroupOut());
    std::vector<int64_t> in_blocks = Blocks(conv_.ic, GroupIn());
    std::vector<int64_t> tiles_h = ProperDivisors(OutH(), {2, 4, 7, 8, 14, 16, 28});
    std::vector<int64_t> tiles_w = ProperDivisors(OutW(), {4, 7, 8, 14, 16, 28});
    for (auto* list : {&out_blocks, &in_blocks, &tiles_h, &tiles_w}) list->insert(list->begin(), 0);
    if (fixed_output_) {
      vectors = {fixed_output_->vector.name[0] == 'o' ? kOverChannels : kOverWidth};
      out_blocks = tiles_h = tiles_w = {0};
    }
    if (IsFixed("x")) in_blocks = {0};
    knobs_.Add("vectors", vectors, true);
    knobs_.Add("channel_block", out_blocks, true);
    knobs_.Add("input_block", in_blocks, true);
    knobs_.Add("tile_h", tiles_h, true);
    knobs_.Add("tile_w", tiles_w, true);
    knobs_.Add("taps_outside", {1, 0}, true);
  }

  // Blocks of channels hold whole groups or are part of one.
  static std::vector<int64_t> Blocks(int64_t channels, int64_t group) {
    std::vector<int64_t> blocks = ProperDivisors(channels, {8, 16, 32, 48, 64, 96, 128});
    std::erase_if(blocks, [group](int64_t b) { return group % b != 0 && b % group != 0; });
    return blocks;
  }

  Factors Read(const Point& point) const {
    const auto value = [&](const char* name) { return knobs_.Value(point, name); };
    Factors f{value("vectors"), value("channel_block"), value("input_block"), value("tile_h"),
              value("tile_w"),  value("taps_outside"),  value("vector_tile")};
    if (f.tile_h > 0 || f.tile_w > 0) {  // a tile of one axis is whole in the other
      if (f.tile_h == 0) f.tile_h = OutH();
      if (f.tile_w == 0) f.tile_w = OutW();
    }
    if (f.vectors != kOverChannels) f.tile_h = f.tile_w = f.channel_block = f.input_block = 0;
    return f;
  }

  absl::Status Check(const Factors& f) const {
    if (!f.taps_outside && f.input_block > 0 && conv_.groups == 1) {
      return absl::FailedPreconditionError("blocks of input channels need the taps outside");
    }
    if (f.vectors != kOverChannels || !HasWideGroups()) return absl::OkStatus();
    // A vector of one group's channels reads one input channel; over several groups it would
    // gather.
    const int64_t block = VectorTile(f);
    if (GroupOut() % block != 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("vectors of ", block, " channels cross groups of ", GroupOut()));
    }
    return absl::OkStatus();
  }

  // Output channels of one vector, where vectors run over them.
  int64_t VectorTile(const Factors& f) const {
    const int64_t extent = f.channel_block > 0 ? f.channel_block
                           : fixed_output_     ? fixed_output_->vector.extent
                                               : conv_.oc;
    return std::min(f.vector_tile, extent);
  }

  int64_t GroupTile() const { return std::min<int64_t>(conv_.groups, target::VecLanes(target_)); }

  std::map<std::string, Layout> Layouts(const Factors& f) const {
    if (f.vectors == kOverGroups) return GroupLayouts();
    std::map<std::string, Layout> layouts;
    if (f.vectors == kOverWidth) {
      layouts["w"] = WeightLayout(f, conv_.oc);
      return layouts;
    }
    layouts["x"] = Blocked(f.input_block);
    layouts["xp"] = f.tiled() ? Unfolded(f) : Blocked(f.input_block);
    layouts["y"] = f.tiled() ? Tiled(f) : Blocked(f.channel_block);
    layouts["w"] = WeightLayout(f, VectorTile(f));
    return layouts;
  }

  // [n, c, h, w] -> [n, c/b, h, w, b]; b == 0: [n, h, w, c].
  static Layout Blocked(int64_t block) {
    if (block == 0) return Layout{{Reorder{{0, 2, 3, 1}}}};
    return Layout{{Split{1, {block}}, Reorder{{0, 1, 3, 4, 2}}}};
  }

  // [n, o, h, w] -> [n, h/ht, w/wt, o/ot, ht, wt, ot]; ot == 0: one block.
  Layout Tiled(const Factors& f) const {
    const int64_t block = f.channel_block > 0 ? f.channel_block : conv_.oc;
    return Layout{{Split{1, {block}}, Split{3, {f.tile_h}}, Split{5, {f.tile_w}},
                   Reorder{{0, 3, 5, 1, 4, 6, 2}}}};
  }

  // [n, c, h, w] -> [n, tile of h, tile of w, c/it, window of h, window of w, it].
  Layout Unfolded(const Factors& f) const {
    const int64_t block = f.input_block > 0 ? f.input_block : conv_.ic;
    const auto unfold = [&](int dim, int64_t tile, int64_t k, int i) {
      return Unfold{dim, conv_.stride[i] * (tile - 1) + Window(k, i), conv_.stride[i] * tile};
    };
    return Layout{{Split{1, {block}}, unfold(3, f.tile_h, conv_.kh, 0),
                   unfold(5, f.tile_w, conv_.kw, 1), Reorder{{0, 3, 5, 1, 4, 6, 2}}}};
  }

  // [o, i, kh, kw] -> [o/b, kh, kw, i, b] or, with the taps inside, [o/b, i, kh, kw, b].
  Layout WeightLayout(const Factors& f, int64_t block) const {
    const std::vector<int> perm =
        f.taps_outside ? std::vector<int>{0, 3, 4, 2, 1} : std::vector<int>{0, 2, 3, 4, 1};
    return Layout{{Split{0, {block}}, Reorder{perm}}};
  }

  // Channels as (g/gt, c, gt): [n, g/gt, h, w, c, gt]; weights [g/gt, kh, kw, i, o, gt].
  std::map<std::string, Layout> GroupLayouts() const {
    const int64_t tile = GroupTile();
    const auto data = [tile](int64_t channels) {
      return Layout{{Split{1, {channels}}, Split{1, {tile}}, Reorder{{0, 1, 4, 5, 3, 2}}}};
    };
    return {{"x", data(GroupIn())},
            {"xp", data(GroupIn())},
            {"y", data(GroupOut())},
            {"w", Layout{{Split{0, {GroupOut()}}, Split{0, {tile}}, Reorder{{0, 4, 5, 3, 2, 1}}}}}};
  }

  Parts MakeParts(const Factors& f) const {
    Parts parts = OutputParts(f);
    parts.stage = "conv";
    parts.producer = "pad";
    parts.streamed = "w";
    parts.windows = {{"kh", conv_.kh}, {"kw", conv_.kw}};
    parts.depth = {"ic", GroupIn()};
    if (conv_.groups == 1 && f.input_block > 0 && f.input_block < GroupIn()) {
      parts.depth_split = f.input_block;
    }
    if (HasWideGroups()) parts.vector_unit = GroupOut();
    if (!f.taps_outside && GroupIn() > 1) {
      // The depth loop stands outside: it plays the window's part, the last tap the depth's.
      parts.windows = {{"ic", GroupIn()}, {"kh", conv_.kh}};
      parts.depth = {"kw", conv_.kw};
    }
    return parts;
  }

  // The axes of the output.
  Parts OutputParts(const Factors& f) const {
    if (fixed_output_) return *fixed_output_;
    Parts parts;
    parts.batch = {{"n", conv_.n}};
    parts.row = {"h", OutH()};
    parts.column = {"w", OutW()};
    switch (f.vectors) {
      case kOverWidth:
        parts.row = {"o", conv_.oc};
        parts.column = {"h", OutH()};
        parts.vector = {"w", OutW()};
        return parts;
      case kOverGroups:
        parts.batch.push_back({"o.0.0", (conv_.groups + GroupTile() - 1) / GroupTile()});
        parts.unrolled = {{"o.1", GroupOut()}};
        parts.vector = {"o.0.1", GroupTile()};
        return parts;
      default:
        break;
    }
    parts.vector = {"o", conv_.oc};
    if (f.tiled()) {
      parts.batch.push_back({"h.0", OutH() / f.tile_h});
      parts.batch.push_back({"w.0", OutW() / f.tile_w});
      parts.batch.push_back({"o.0", f.channel_block > 0 ? conv_.oc / f.channel_block : 1});
      parts.row = {"h.1", f.tile_h};
      parts.column = {"w.1", f.tile_w};
      parts.vector = {"o.1", f.channel_block > 0 ? f.channel_block : conv_.oc};
    } else if (f.channel_block > 0) {
      parts.batch.push_back({"o.0", conv_.oc / f.channel_block});
      parts.vector = {"o.1", f.channel_block};
    }
    return parts;
  }

  // The same for any layout: vectors run over the innermost axis, tiles over the innermost axes of
  // the two other dimensions.
  Parts PartsOfOutput(const Layout& layout) const {
    std::vector<NamedAxis> axes =
        PhysicalAxes(layout, {conv_.n, conv_.oc, OutH(), OutW()}, {"n", "o", "h", "w"});
    Parts parts;
    parts.vector = axes.back();
    axes.pop_back();
    const auto take = [&axes](char dimension) {
      for (size_t i = axes.size(); i-- > 0;) {
        if (axes[i].name[0] != dimension) continue;
        NamedAxis axis = axes[i];
        axes.erase(axes.begin() + i);
        return axis;
      }
      return NamedAxis{};
    };
    const char inner = parts.vector.name[0];
    parts.row = take(inner == 'o' ? 'h' : 'o');
    parts.column = take(inner == 'w' ? 'h' : 'w');
    parts.batch = std::move(axes);
    return parts;
  }

  // Physical axes of the padded input, innermost last.
  std::vector<ProducerAxis> PaddedAxes(const Factors& f) const {
    const auto width = [&](int64_t outputs) {
      return conv_.stride[1] * (outputs - 1) + Window(conv_.kw, 1);
    };
    const int64_t rows = conv_.stride[0] * (OutH() - 1) + Window(conv_.kh, 0);
    switch (f.vectors) {
      case kOverWidth:
        return {{"c", conv_.ic}, {"w", width(OutW()), width(std::min(f.vector_tile, OutW()))}};
      case kOverGroups:
        return {{"h", rows}, {"c.0.1", GroupTile(), GroupTile()}};
      default:
        break;
    }
    const bool blocked = f.input_block > 0 || f.tiled();
    const int64_t channels = f.input_block > 0 ? f.input_block : conv_.ic;
    const int64_t groups_read = std::max<int64_t>(1, VectorTile(f) / GroupOut());
    const ProducerAxis inner{blocked ? "c.1" : "c", channels,
                             std::min(channels, groups_read * GroupIn())};
    if (f.tiled()) return {{"h.0", OutH() / f.tile_h}, inner};
    return {{"h", rows}, inner};
  }

  // A starting point, before it is fitted to the shape.
  struct Seed {
    Vectors vectors;
    int64_t block, vectors_a_tile, rows, columns, row_block, complete, order;
    ProducerPlace producer;
  };
  std::vector<Seed> SeedList() const;
  Point PointOf(const Seed& seed) const;

  workload::Conv2d conv_;
  target::Target target_;
  SpaceOptions options_;
  std::optional<Parts> fixed_output_;  // axes of the output where --fix says its layout
};

std::vector<ConvTemplate::Seed> ConvTemplate::SeedList() const {
  const int64_t lanes = target::VecLanes(target_);
  const bool wide = target::NumVectorRegisters(target_) >= 32;
  if (IsDepthwise()) {
    return {{kOverChannels, 0, 1, 2, 14, 1, 1, 0, kInlined},
            {kOverChannels, 0, 1, 2, 7, 1, 1, 2, kInlined},
            {kOverChannels, lanes, 1, 2, 14, 1, 1, 0, kInlined},
            {kOverChannels, 0, 1, 1, 14, 8, 0, 0, kAtBlock},
            {kOverChannels, 0, 1, 1, 7, 1, 0, 2, kInlined},
            {kOverWidth, 0, 1, 1, wide ? 14 : 6, 1, 0, 0, kAtRoot}};
  }
  const int64_t columns = wide ? 14 : 6;
  std::vector<Seed> list{
      {kOverChannels, 0, 2, 1, columns, 8, 0, 0, kAtBlock},  // NHWC
      {kOverChannels, 0, 2, 1, columns, 1, 0, 1, kInlined},  // NHWC, no copy for the padding
      {kOverChannels, lanes, 1, 1, 2 * columns, 8, 0, 0, kAtBlock},  // NCHW16c
      {kOverChannels, 2 * lanes, 2, 1, columns, 8, 0, 0, kAtRoot},
      {kOverChannels, 0, 4, 1, wide ? 6 : 2, 8, 0, 0, kAtBlock},
      {kOverChannels, 0, 1, wide ? 4 : 2, 7, 1, 0, 0, kAtRoot},
      {kOverWidth, 0, 1, wide ? 14 : 6, 1, 1, 0, 0, kAtRoot},  // NCHW
  };
  if (conv_.groups > 1) {
    list.insert(list.begin(), {{kOverGroups, 0, 1, 1, 2, 1, 0, 0, kInlined},
                               {kOverGroups, 0, 1, 1, 1, 1, 0, 0, kAtRoot}});
  }
  return list;
}

Point ConvTemplate::PointOf(const Seed& seed) const {
  Point point = knobs_.Origin();
  const int64_t vectors = seed.vectors_a_tile * target::VecLanes(target_);
  knobs_.Set(point, "vectors", seed.vectors);
  knobs_.Set(point, "channel_block", seed.block);
  knobs_.Set(point, "input_block", seed.block);
  knobs_.Set(point, "vector_tile", vectors);
  if (HasWideGroups() && seed.vectors == kOverChannels) {
    // The most channels of one group that are no more than these vectors.
    for (const int64_t tile : knobs_.all()[knobs_.IndexOf("vector_tile")].choices) {
      if (tile <= vectors && GroupOut() % tile == 0) knobs_.Set(point, "vector_tile", tile);
    }
  }
  knobs_.Set(point, "row_tile", seed.rows);
  knobs_.Set(point, "column_tile", seed.columns);
  knobs_.Set(point, "row_block", seed.row_block);
  knobs_.Set(point, "complete", seed.complete);
  knobs_.Set(point, "order", seed.order);
  knobs_.Set(point, "producer", seed.producer);
  if (seed.producer == kInlined || seed.vectors == kOverGroups) {
    knobs_.Set(point, "window_unroll", 1);
  }
  return point;
}

std::vector<Point> ConvTemplate::Seeds() const {
  std::vector<Point> seeds;
  for (const Seed& seed : SeedList()) {
    Point point = PointOf(seed);
    if (knobs_.Value(point, "vectors") != seed.vectors) continue;  // not offered
    // Where all rows are one block there is no loop to compute the padding in.
    if (!Build(point).ok()) knobs_.Set(point, "producer", kAtRoot);
    if (Build(point).ok()) seeds.push_back(std::move(point));
  }
  return seeds;
}

}  // namespace

std::unique_ptr<Space> MakeConvTemplate(const workload::Conv2d& conv, const target::Target& target,
                                        SpaceOptions options) {
  return std::make_unique<ConvTemplate>(conv, target, std::move(options));
}

}  // namespace alt::search
