#include "server/store/store_index.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/check.h"
#include "server/store/mutation_check.h"

namespace alt::store {
namespace {

constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();
constexpr uint32_t kNone = ~uint32_t{0};

// How much a measurement says about its candidate; one that says as much or more replaces an older
// one. What was found to be wrong stays so, whatever it measures later: it is not deterministic.
constexpr uint8_t kRanked = 3;  // OK and not censored
uint8_t Weight(const measure::MeasureResult& result) {
  switch (result.outcome) {
    case measure::Outcome::kWrongResult:
    case measure::Outcome::kImplausible:
      return kRanked + 1;
    case measure::Outcome::kOk:
      return result.censored ? kRanked - 1 : kRanked;
    case measure::Outcome::kCancelled:
    case measure::Outcome::kWorkerLost:
    case measure::Outcome::kDeviceLost:
      return 0;
    default:
      return 1;
  }
}

// Whether a champion takes the place of another. Latencies of different sessions compare badly,
// shares of the peak that was measured in turns with them compare well.
bool IsFaster(const Champion& offered, const Champion& current) {
  if (offered.peak_share && current.peak_share) return *offered.peak_share > *current.peak_share;
  return offered.latency.median_ns < current.latency.median_ns;
}

// The layouts that a candidate's canonical text names: "x split(1,16)". Its grammar is that of
// workload/candidate.h; a line's tensor ends at the colon.
std::vector<std::pair<absl::string_view, absl::string_view>> LayoutsOf(
    absl::string_view candidate) {
  std::vector<std::pair<absl::string_view, absl::string_view>> found;
  for (absl::string_view line : absl::StrSplit(candidate, '\n')) {
    if (!absl::ConsumePrefix(&line, "layout ")) continue;
    const size_t colon = line.find(": ");
    if (colon != absl::string_view::npos) {
      found.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  return found;
}

// absl::SimpleHexAtoi takes signs, spaces and 0x too.
std::optional<uint64_t> HexValue(absl::string_view digits) {
  uint64_t value = 0;
  if (digits.empty() || digits.size() > 16) return std::nullopt;
  for (const char c : digits) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
    const int digit =
        absl::ascii_isdigit(static_cast<unsigned char>(c)) ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return value;
}

}  // namespace

std::optional<uint64_t> RecordIdValue(absl::string_view id) {
  if (id.size() != 16) return std::nullopt;
  return HexValue(id);
}

std::string RecordIdText(uint64_t value) { return absl::StrFormat("%016x", value); }

// ---- Changes. -----------------------------------------------------------------------------------

uint32_t StoreIndex::Texts::Number(absl::string_view text) {
  if (const auto found = Find(text)) return *found;
  const uint32_t number = size();
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

std::optional<uint32_t> StoreIndex::Texts::Find(absl::string_view text) const {
  const auto it = numbers_.find(text);
  if (it == numbers_.end()) return std::nullopt;
  return it->second;
}

uint32_t StoreIndex::PairNumber(absl::string_view workload, absl::string_view target) {
  const std::pair numbers{workloads_.Number(workload), targets_.Number(target)};
  if (shapes_.size() < workloads_.size()) shapes_.push_back(WorkloadShape::Parse(workload));
  newest_validators_.resize(targets_.size(), kNone);
  const auto [it, added] = pair_numbers_.emplace(numbers, static_cast<uint32_t>(pairs_.size()));
  if (added) {
    Pair& pair = pairs_.emplace_back();
    std::tie(pair.workload, pair.target) = numbers;
  }
  return it->second;
}

uint32_t StoreIndex::ValidatorsNumber(const measure::Validators& validators) {
  const auto [it, added] =
      validator_numbers_.emplace(validators, static_cast<uint32_t>(validators_.size()));
  if (added) validators_.push_back(validators);
  return it->second;
}

uint32_t StoreIndex::AddRecord(uint64_t id, const RecordKey& key, int64_t row) {
  const auto number = static_cast<uint32_t>(records_.size());
  const auto [it, added] = record_numbers_.emplace(id, number);
  if (!added) return it->second;
  Record& record = records_.emplace_back();
  record.id = id;
  record.row = row;
  record.pair = PairNumber(key.workload, key.target);
  for (const auto& [tensor, layout] : LayoutsOf(key.candidate)) {
    const uint32_t layout_number = layouts_.Number(absl::StrCat(tensor, " ", layout));
    if (layout_number == layout_tensor_.size()) layout_tensor_.push_back(tensors_.Number(tensor));
    record.layouts.push_back(layout_number);
  }
  pairs_[record.pair].records.push_back(number);
  return number;
}

void StoreIndex::AddMeasured(uint32_t number, const Measurement& in, absl::string_view candidate) {
  ALT_CHECK_GT(in.sequence, last_sequence_);
  last_sequence_ = in.sequence;
  Record& record = records_[number];
  Pair& pair = pairs_[record.pair];
  Measured measured{.sequence = in.sequence,
                    .validators = ValidatorsNumber(in.validators),
                    .job = job_names_.Number(in.provenance.job),
                    .cache = in.cache,
                    .weight = Weight(in.result),
                    .trial = in.provenance.trial > 0};
  if (in.result.latency) measured.median_ns = in.result.latency->median_ns;
  duplicates_ += measured.trial &&
                 std::any_of(record.measured.begin(), record.measured.end(),
                             [&](const Measured& m) { return m.trial && m.cache == in.cache; });
  newest_validators_[pair.target] = measured.validators;
  if (std::find(pair.validators.begin(), pair.validators.end(), measured.validators) ==
      pair.validators.end()) {
    pair.validators.push_back(measured.validators);
  }
  record.measured.push_back(measured);
  UpdateBest(number, in.cache);
  std::optional<AnswerRef>& best = pair.best[static_cast<size_t>(in.cache)];
  if (!best || best->measured != in.sequence || candidate.empty()) return;
  best->answer.candidate = std::string(candidate);
  best->answer.latency = *in.result.latency;
  best->answer.peak_gflops = in.result.peak_gflops;
}

void StoreIndex::UpdateBest(uint32_t number, measure::CacheState cache) {
  Pair& pair = pairs_[records_[number].pair];
  std::optional<AnswerRef>& best = pair.best[static_cast<size_t>(cache)];
  const Scope scope{cache, kLatest};
  const Measured* measured = Ranked(number, scope);
  if (best && best->record != number) {
    if (measured && measured->median_ns < Ranked(best->record, scope)->median_ns) {
      best = AnswerOf(number, *measured);
      unread_.insert(records_[number].pair);
    }
    return;
  }
  // The best one itself has changed, perhaps for the worse.
  const auto record = LowestMedian(pair, scope, [](uint32_t) { return true; });
  if (!record) return best.reset();
  const Measured* counting = Ranked(*record, scope);
  if (best && best->measured == counting->sequence) return;
  best = AnswerOf(*record, *counting);
  unread_.insert(records_[number].pair);
}

void StoreIndex::AddChampion(Champion champion, absl::string_view fixed_layouts,
                             absl::string_view incumbent) {
  ALT_CHECK_GT(champion.sequence, last_sequence_);
  last_sequence_ = champion.sequence;
  const std::optional<uint32_t> record = FindRecord(champion.record);
  ALT_CHECK(record.has_value()) << champion.record;
  Pair& pair = pairs_[records_[*record].pair];
  auto it = std::find_if(pair.verdicts.begin(), pair.verdicts.end(), [&](const Verdicts& v) {
    return v.cache == champion.key.cache && v.fixed_layouts == fixed_layouts;
  });
  if (it == pair.verdicts.end()) {
    it = pair.verdicts.insert(it, {.cache = champion.key.cache,
                                   .fixed_layouts = std::string(fixed_layouts),
                                   .offers = {},
                                   .winner = {}});
  }
  Offer offer{.champion = std::move(champion),
              .record = *record,
              .validators = kNone,
              .incumbent = RecordIdValue(incumbent).value_or(0)};
  offer.validators = ValidatorsNumber(offer.champion.validators);
  if (std::find(pair.validators.begin(), pair.validators.end(), offer.validators) ==
      pair.validators.end()) {
    pair.validators.push_back(offer.validators);
  }
  const std::string candidate = std::exchange(offer.champion.candidate, "");
  offer.champion.key = {};
  offer.champion.validators.clear();
  it->offers.push_back(std::move(offer));
  UpdateWinner(records_[*record].pair, *it);
  if (it->winner.record == *record) it->winner.answer.candidate = candidate;
}

void StoreIndex::UpdateWinner(uint32_t pair, Verdicts& verdicts) {
  unread_.insert(pair);
  const Offer* winner = Winner(verdicts, {verdicts.cache, kLatest});
  verdicts.winner = winner ? AnswerOf(*winner) : AnswerRef();
}

void StoreIndex::AddDeletion(uint32_t record, int64_t sequence) {
  ALT_CHECK_GT(sequence, last_sequence_);
  last_sequence_ = sequence;
  deletions_[record].push_back(sequence);
  const uint32_t pair = records_[record].pair;
  for (Verdicts& verdicts : pairs_[pair].verdicts) UpdateWinner(pair, verdicts);
  for (size_t cache = 0; cache < 3; ++cache) {
    UpdateBest(record, static_cast<measure::CacheState>(cache));
  }
}

void StoreIndex::ReadAnswers(absl::FunctionRef<void(AnswerRef&)> read) {
  for (const uint32_t number : std::exchange(unread_, {})) {
    Pair& pair = pairs_[number];
    for (std::optional<AnswerRef>& best : pair.best) {
      if (best && best->answer.candidate.empty()) read(*best);
    }
    for (Verdicts& verdicts : pair.verdicts) {
      if (!verdicts.winner.answer.record.empty() && verdicts.winner.answer.candidate.empty()) {
        read(verdicts.winner);
      }
    }
  }
}

void StoreIndex::PutJob(Job job) {
  const std::optional<int64_t> number = JobNumber(job.id);
  ALT_CHECK(number.has_value()) << job.id;
  NoteJobNumber(*number);
  job_requests_.emplace(job.request_id, *number);
  jobs_.insert_or_assign(*number, std::move(job));
}

// ---- What counts. -------------------------------------------------------------------------------

int64_t StoreIndex::DeletedAt(uint32_t record, int64_t sequence) const {
  if (deletions_.empty()) return 0;
  const auto it = deletions_.find(record);
  if (it == deletions_.end()) return 0;
  const auto after = std::upper_bound(it->second.begin(), it->second.end(), sequence);
  return after == it->second.begin() ? 0 : *std::prev(after);
}

const StoreIndex::Measured* StoreIndex::Counting(uint32_t record, const Scope& scope) const {
  const Measured* counting = nullptr;
  const int64_t deleted = DeletedAt(record, scope.sequence);
  for (const Measured& m : records_[record].measured) {
    if (m.sequence > scope.sequence) break;
    if (m.sequence <= deleted || (scope.cache && m.cache != *scope.cache)) continue;
    if (scope.trusted && !(*scope.trusted)[m.validators]) continue;
    if (!counting || m.weight >= counting->weight) counting = &m;
  }
  return counting;
}

const StoreIndex::Measured* StoreIndex::Ranked(uint32_t record, const Scope& scope) const {
  const Measured* counting = Counting(record, scope);
  return counting && counting->weight == kRanked ? counting : nullptr;
}

const StoreIndex::Offer* StoreIndex::Winner(const Verdicts& verdicts, const Scope& scope) const {
  const Offer* current = nullptr;
  for (const Offer& offer : verdicts.offers) {
    if (offer.champion.sequence > scope.sequence) break;
    if (offer.champion.sequence <= DeletedAt(offer.record, scope.sequence)) continue;
    if (scope.trusted && !(*scope.trusted)[offer.validators]) continue;
    if (!current || offer.record == current->record ||
        offer.incumbent == records_[current->record].id ||
        IsFaster(offer.champion, current->champion)) {
      current = &offer;
    }
  }
  return current;
}

std::optional<std::vector<StoreIndex::Wanted>> StoreIndex::WantedLayouts(
    const job::FixedLayouts& fixed_layouts) const {
  std::vector<Wanted> wanted;
  for (const auto& [tensor, layout] : fixed_layouts) {
    const auto number = tensors_.Find(tensor);
    if (layout.primitives.empty()) {
      if (number) wanted.push_back({.tensor = *number});  // else it is plain everywhere
      continue;
    }
    const auto layout_number = layouts_.Find(absl::StrCat(tensor, " ", layout::Print(layout)));
    if (!number || !layout_number) return std::nullopt;
    wanted.push_back({.tensor = *number, .layout = *layout_number});
  }
  return wanted;
}

bool StoreIndex::HasLayouts(uint32_t record, const std::vector<Wanted>& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Wanted& w) {
    for (const uint32_t layout : records_[record].layouts) {
      if (layout_tensor_[layout] == w.tensor) return layout == w.layout;
    }
    return !w.layout.has_value();
  });
}

std::optional<uint32_t> StoreIndex::LowestMedian(const Pair& pair, const Scope& scope,
                                                 absl::FunctionRef<bool(uint32_t)> accept) const {
  std::optional<uint32_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (const uint32_t record : pair.records) {
    const Measured* measured = Ranked(record, scope);
    if (!measured || measured->median_ns >= least || !accept(record)) continue;
    least = measured->median_ns;
    best = record;
  }
  return best;
}

// ---- Questions. ---------------------------------------------------------------------------------

std::optional<uint32_t> StoreIndex::FindRecord(absl::string_view id) const {
  const std::optional<uint64_t> value = RecordIdValue(id);
  if (!value) return std::nullopt;
  const auto it = record_numbers_.find(*value);
  if (it == record_numbers_.end()) return std::nullopt;
  return it->second;
}

std::string StoreIndex::IdOf(uint32_t record) const { return RecordIdText(records_[record].id); }

const StoreIndex::Pair* StoreIndex::FindPair(absl::string_view workload,
                                             absl::string_view target) const {
  const auto w = workloads_.Find(workload);
  const auto t = targets_.Find(target);
  if (!w || !t) return nullptr;
  const auto it = pair_numbers_.find(std::pair(*w, *t));
  return it == pair_numbers_.end() ? nullptr : &pairs_[it->second];
}

RecordRef StoreIndex::RefTo(uint32_t number, const Measured& measured) const {
  const Record& record = records_[number];
  const Pair& pair = pairs_[record.pair];
  const auto found = std::find_if(record.measured.begin(), record.measured.end(),
                                  [](const Measured& m) { return m.trial; });
  return {.record = {.id = RecordIdText(record.id),
                     .key = {workloads_[pair.workload], targets_[pair.target], ""},
                     .sequence = record.measured.front().sequence,
                     .measurements = static_cast<int64_t>(record.measured.size()),
                     .cache = measured.cache,
                     .result = {},
                     .provenance = {},
                     .validators = validators_[measured.validators]},
          .row = record.row,
          .measured = measured.sequence,
          .found = measured.trial || found == record.measured.end() ? measured.sequence
                                                                    : found->sequence};
}

std::vector<RecordRef> StoreIndex::RecordsAt(absl::string_view workload, absl::string_view target,
                                             measure::CacheState cache, int64_t sequence) const {
  std::vector<RecordRef> found;
  const Pair* pair = FindPair(workload, target);
  if (!pair) return found;
  for (const uint32_t record : pair->records) {
    const Measured* m = Counting(record, {cache, sequence});
    if (m) found.push_back(RefTo(record, *m));
  }
  return found;
}

std::optional<StoreIndex::ChampionRef> StoreIndex::ChampionAt(const ChampionKey& key,
                                                              int64_t sequence) const {
  const Pair* pair = FindPair(key.workload, key.target);
  if (!pair) return std::nullopt;
  const std::string fixed_layouts = job::PrintFixedLayouts(key.fixed_layouts);
  for (const Verdicts& verdicts : pair->verdicts) {
    if (verdicts.cache != key.cache || verdicts.fixed_layouts != fixed_layouts) continue;
    const Offer* winner = Winner(verdicts, {key.cache, sequence});
    if (!winner) continue;
    ChampionRef out{winner->champion, records_[winner->record].row};
    out.champion.key = key;
    out.champion.validators = validators_[winner->validators];
    return out;
  }
  return std::nullopt;
}

AnswerRef StoreIndex::AnswerOf(uint32_t record, const Measured& measured) const {
  AnswerRef ref{.answer = {}, .record = record, .row = records_[record].row};
  ref.measured = measured.sequence;
  ref.answer.record = IdOf(record);
  ref.answer.latency.median_ns = measured.median_ns;
  ref.answer.validators = validators_[measured.validators];
  return ref;
}

AnswerRef StoreIndex::AnswerOf(const Offer& offer) const {
  return {.answer = {.record = offer.champion.record,
                     .candidate = "",
                     .latency = offer.champion.latency,
                     .peak_gflops = offer.champion.peak_gflops,
                     .validators = validators_[offer.validators],
                     .confirmed = true},
          .record = offer.record,
          .row = records_[offer.record].row};
}

std::optional<AnswerRef> StoreIndex::BestOf(const Pair& pair, const ChampionKey& key,
                                            const Scope& scope, const Refused& refused) const {
  const auto wanted = WantedLayouts(key.fixed_layouts);
  if (!wanted) return std::nullopt;
  const std::string fixed_layouts = job::PrintFixedLayouts(key.fixed_layouts);
  const Offer* best = nullptr;
  const Verdicts* best_verdicts = nullptr;
  for (const Verdicts& verdicts : pair.verdicts) {
    if (verdicts.cache != key.cache) continue;
    const Offer* winner = Winner(verdicts, scope);
    if (!winner || refused.contains(winner->record) || !HasLayouts(winner->record, *wanted)) {
      continue;
    }
    const bool own = verdicts.fixed_layouts == fixed_layouts;
    if (!best || own || IsFaster(winner->champion, best->champion)) {
      best = winner;
      best_verdicts = &verdicts;
    }
    if (own) break;
  }
  if (best) {
    AnswerRef answer = AnswerOf(*best);
    const AnswerRef& now = best_verdicts->winner;
    if (now.record == answer.record) answer.answer.candidate = now.answer.candidate;
    return answer;
  }
  const auto& lowest = pair.best[static_cast<size_t>(key.cache)];
  if (!scope.trusted) {
    if (!lowest) return std::nullopt;
    if (!refused.contains(lowest->record) && HasLayouts(lowest->record, *wanted)) return lowest;
  }
  const auto record = LowestMedian(
      pair, scope, [&](uint32_t r) { return !refused.contains(r) && HasLayouts(r, *wanted); });
  if (!record) return std::nullopt;
  const Measured* measured = Ranked(*record, scope);
  if (lowest && lowest->measured == measured->sequence) return lowest;
  return AnswerOf(*record, *measured);
}

std::optional<AnswerRef> StoreIndex::FindBest(const ChampionKey& key, TuningStore::Trust trust,
                                              const Refused& refused) const {
  const Pair* pair = FindPair(key.workload, key.target);
  if (!pair) return std::nullopt;
  std::vector<bool> trusted(validators_.size(), false);
  size_t count = 0;
  for (const uint32_t number : pair->validators) {
    trusted[number] = trust(validators_[number]);
    count += trusted[number];
  }
  if (count == 0) return std::nullopt;
  Scope scope{key.cache, kLatest};
  // When all of them are, what is kept ready answers.
  if (count < pair->validators.size()) scope.trusted = &trusted;
  return BestOf(*pair, key, scope, refused);
}

std::vector<AnswerRef> StoreIndex::FindTop(const ChampionKey& key, int64_t limit) const {
  std::vector<AnswerRef> found;
  const Pair* pair = FindPair(key.workload, key.target);
  if (!pair) return found;
  Refused taken;
  while (static_cast<int64_t>(found.size()) < limit) {
    auto next = BestOf(*pair, key, {key.cache, kLatest}, taken);
    if (!next) break;
    taken.insert(next->record);
    found.push_back(*std::move(next));
  }
  return found;
}

bool StoreIndex::HasAnswer(const Pair& pair) const {
  return std::any_of(pair.best.begin(), pair.best.end(),
                     [](const auto& best) { return best.has_value(); }) ||
         std::any_of(pair.verdicts.begin(), pair.verdicts.end(),
                     [](const Verdicts& v) { return !v.winner.answer.record.empty(); });
}

std::vector<StoreIndex::NeighbourRef> StoreIndex::FindNearest(const ChampionKey& key,
                                                              int64_t limit) const {
  struct Near {
    double distance;
    const Pair* pair;
  };
  const WorkloadShape shape = WorkloadShape::Parse(key.workload);
  std::vector<Near> near;
  for (const Pair& pair : pairs_) {
    if (!key.target.empty() && targets_[pair.target] != key.target) continue;
    if (workloads_[pair.workload] == key.workload && !key.target.empty()) continue;
    const std::optional<double> distance = ShapeDistance(shape, shapes_[pair.workload]);
    if (distance) near.push_back({*distance, &pair});
  }
  std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return std::tie(a.distance, a.pair->workload, a.pair->target) <
           std::tie(b.distance, b.pair->workload, b.pair->target);
  });
  std::vector<NeighbourRef> found;
  for (const Near& n : near) {
    if (static_cast<int64_t>(found.size()) >= limit) break;
    const ChampionKey other{workloads_[n.pair->workload], targets_[n.pair->target], key.cache, {}};
    if (auto best = BestOf(*n.pair, other, {key.cache, kLatest}, {})) {
      found.push_back(
          {.neighbour = {other.workload, other.target, n.distance, {}}, .best = *std::move(best)});
    }
  }
  return found;
}

std::vector<ChampionKey> StoreIndex::AnsweredKeys() const {
  std::vector<ChampionKey> found;
  for (const Pair& pair : pairs_) {
    for (size_t i = 0; i < pair.best.size(); ++i) {
      const auto cache = static_cast<measure::CacheState>(i);
      ChampionKey key{workloads_[pair.workload], targets_[pair.target], cache, {}};
      if (BestOf(pair, key, {cache, kLatest}, {})) found.push_back(std::move(key));
    }
    for (const Verdicts& v : pair.verdicts) {
      if (v.fixed_layouts.empty() || v.winner.answer.record.empty()) continue;
      auto fixed = job::ParseFixedLayouts(v.fixed_layouts);
      if (!fixed.ok()) continue;
      found.push_back(
          {workloads_[pair.workload], targets_[pair.target], v.cache, *std::move(fixed)});
    }
  }
  return found;
}

std::vector<std::string> StoreIndex::TargetsOf(absl::string_view workload) const {
  std::vector<std::string> found;
  for (uint32_t target = 0; target < targets_.size(); ++target) {
    const Pair* pair = FindPair(workload, targets_[target]);
    if (pair && HasAnswer(*pair)) found.push_back(targets_[target]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<measure::Validators> StoreIndex::NewestValidators(absl::string_view target) const {
  const auto number = targets_.Find(target);
  if (!number || newest_validators_[*number] == kNone) return std::nullopt;
  return validators_[newest_validators_[*number]];
}

absl::StatusOr<RecordRef> StoreIndex::GetRecord(absl::string_view id) const {
  const auto not_found = [&] {
    return absl::NotFoundError(absl::StrCat("no record '", id.substr(0, 100), "'"));
  };
  const std::optional<uint64_t> digits = HexValue(id);
  if (!digits) return not_found();
  const int free_bits = 64 - 4 * static_cast<int>(id.size());  // at most 60
  const uint64_t low = *digits << free_bits;
  const uint64_t high = low | ((uint64_t{1} << free_bits) - 1);
  std::optional<RecordRef> found;
  for (auto it = record_numbers_.lower_bound(low); it != record_numbers_.end() && it->first <= high;
       ++it) {
    const Measured* m = Counting(it->second, {std::nullopt, kLatest});
    if (!m) continue;  // deleted
    if (found) {
      return absl::InvalidArgumentError(absl::StrCat("several records begin with '", id,
                                                     "': ", found->record.id, ", ",
                                                     RecordIdText(it->first), " ..."));
    }
    found = RefTo(it->second, *m);
  }
  if (!found) return not_found();
  return *std::move(found);
}

std::vector<RecordRef> StoreIndex::ListRecords(const RecordFilter& filter) const {
  std::vector<RecordRef> found;
  for (auto number = static_cast<uint32_t>(records_.size()); number-- > 0;) {
    if (static_cast<int64_t>(found.size()) >= filter.limit) break;
    const Record& record = records_[number];
    const Pair& pair = pairs_[record.pair];
    const Measured* m = Counting(number, {std::nullopt, kLatest});
    if (!m) continue;
    const int64_t sequence = record.measured.front().sequence;
    if (filter.before_sequence > 0 && sequence >= filter.before_sequence) continue;
    if (filter.workload && workloads_[pair.workload] != *filter.workload) continue;
    if (filter.target && targets_[pair.target] != *filter.target) continue;
    if (filter.job && job_names_[m->job] != *filter.job) continue;
    found.push_back(RefTo(number, *m));
  }
  return found;
}

job::Stats StoreIndex::Stats() const {
  job::Stats stats;
  stats.records = static_cast<int64_t>(records_.size());
  for (const auto& [record, deletions] : deletions_) {
    stats.records -= Counting(record, {std::nullopt, kLatest}) == nullptr;
  }
  stats.duplicates = duplicates_;
  stats.jobs = static_cast<int64_t>(jobs_.size());
  std::set<uint32_t> workloads, targets;
  for (const Pair& pair : pairs_) {
    workloads.insert(pair.workload);
    targets.insert(pair.target);
  }
  stats.workloads = static_cast<int64_t>(workloads.size());
  std::set<absl::string_view> texts;
  for (const uint32_t target : targets) texts.insert(targets_[target]);
  for (const absl::string_view text : texts) {
    auto target = target::ParseTarget(text);
    if (target.ok()) stats.targets.push_back(*std::move(target));
  }
  return stats;
}

const Job* StoreIndex::FindJob(absl::string_view id) const {
  const std::optional<int64_t> number = JobNumber(id);
  if (!number) return nullptr;
  const auto it = jobs_.find(*number);
  return it == jobs_.end() ? nullptr : &it->second;
}

const Job* StoreIndex::FindJobByRequest(absl::string_view request_id) const {
  const auto it = job_requests_.find(request_id);
  return it == job_requests_.end() ? nullptr : &jobs_.at(it->second);
}

std::vector<Job> StoreIndex::ListJobs(absl::string_view before, int64_t limit) const {
  const std::optional<int64_t> number = JobNumber(before);
  std::vector<Job> found;
  auto it = number ? jobs_.lower_bound(*number) : jobs_.end();
  while (it != jobs_.begin() && static_cast<int64_t>(found.size()) < limit) {
    found.push_back((--it)->second);
  }
  return found;
}

std::vector<Job> StoreIndex::UnfinishedJobs() const {
  std::vector<Job> found;
  for (const auto& [number, job] : jobs_) {
    if (!Rests(job.state)) found.push_back(job);
  }
  return found;
}

}  // namespace alt::store
