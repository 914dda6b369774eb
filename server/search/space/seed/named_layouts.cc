#include "server/search/space/seed/seeds.h"

namespace alt::search {
namespace {

constexpr int64_t Value(Lanes lanes) { return static_cast<int64_t>(lanes); }

}  // namespace

std::vector<Wishes> NamedLayouts(const std::vector<Nest>& nests, const target::Target& target) {
  const int64_t lanes = target::VecLanes(target);
  std::vector<Wishes> seeds{{}};
  const auto add = [&](const std::vector<std::pair<const char*, int64_t>>& values) {
    Wishes wishes;
    for (const Nest& nest : nests) {
      for (const auto& [name, value] : values) wishes[nest.core->name + "." + name] = value;
    }
    seeds.push_back(std::move(wishes));
  };
  add({{"lanes", Value(Lanes::kChannel)}});  // NHWC, plain matrices
  add({{"lanes", Value(Lanes::kChannel)},    // NCHW16c
       {"channel_block", lanes},
       {"input_block", lanes}});
  add({{"lanes", Value(Lanes::kChannel)},
       {"channel_block", 2 * lanes},
       {"input_block", 2 * lanes}});
  add({{"lanes", Value(Lanes::kChannel)}, {"panels", 1}});  // packed panels
  add({{"lanes", Value(Lanes::kPosition)}});                // NCHW
  add({{"lanes", Value(Lanes::kGroup)}});                   // groups over lanes
  return seeds;
}

}  // namespace alt::search
