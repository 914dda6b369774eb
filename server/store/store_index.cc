#include "server/store/store_index.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/check.h"
#include "server/store/mutation_check.h"

namespace alt::store {
namespace {

constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();

// How much a measurement says about its candidate; one that says as much or more replaces an older
// one. What was found to be wrong stays so, whatever it measures later: it is not deterministic.
int Weight(const measure::MeasureResult& result) {
  switch (result.outcome) {
    case measure::Outcome::kWrongResult:
    case measure::Outcome::kImplausible:
      return 4;
    case measure::Outcome::kOk:
      return result.censored ? 2 : 3;
    case measure::Outcome::kCancelled:
    case measure::Outcome::kWorkerLost:
    case measure::Outcome::kDeviceLost:
      return 0;
    default:
      return 1;
  }
}

// Whether `offered` takes the place of `current`. Latencies of different sessions compare badly,
// shares of the peak that was measured in turns with them compare well.
bool Replaces(const Champion& offered, const std::string& incumbent, const Champion& current) {
  if (incumbent == current.record || offered.record == current.record) return true;
  if (offered.peak_share && current.peak_share) return *offered.peak_share > *current.peak_share;
  return offered.latency.median_ns < current.latency.median_ns;
}

BestAnswer Answer(const Champion& champion) {
  return {.record = champion.record,
          .candidate = champion.candidate,
          .latency = champion.latency,
          .peak_gflops = champion.peak_gflops,
          .confirmed = true};
}

// Champions of one key, up to a sequence number.
template <typename Offers>
const Champion* Winner(const Offers& offers, int64_t sequence) {
  const Champion* current = nullptr;
  for (const auto& [champion, incumbent] : offers) {
    if (champion.sequence > sequence) break;
    if (!current || Replaces(champion, incumbent, *current)) current = &champion;
  }
  return current;
}

bool AcceptAll(absl::string_view) { return true; }

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

uint32_t StoreIndex::Texts::Number(absl::string_view text) {
  if (const auto found = Find(text)) return *found;
  const auto number = static_cast<uint32_t>(texts.size());
  numbers.emplace(texts.emplace_back(text), number);
  return number;
}

std::optional<uint32_t> StoreIndex::Texts::Find(absl::string_view text) const {
  const auto it = numbers.find(text);
  if (it == numbers.end()) return std::nullopt;
  return it->second;
}

uint32_t StoreIndex::WorkloadNumber(absl::string_view text) {
  const uint32_t number = workloads_.Number(text);
  if (number == shapes_.size()) shapes_.push_back(WorkloadShape::Parse(text));
  return number;
}

uint32_t StoreIndex::TargetNumber(absl::string_view text) { return targets_.Number(text); }

uint32_t StoreIndex::ValidatorsNumber(const measure::Validators& validators) {
  const auto [it, added] =
      validator_numbers_.emplace(validators, static_cast<uint32_t>(validators_.size()));
  if (added) validators_.push_back(validators);
  return it->second;
}

uint32_t StoreIndex::RecordNumber(uint64_t id, uint32_t workload, uint32_t target,
                                  std::string candidate) {
  const auto number = static_cast<uint32_t>(records_.size());
  const auto [it, added] = record_numbers_.emplace(id, number);
  if (!added) return it->second;
  records_.push_back({.id = id, .workload = workload, .target = target});
  records_.back().candidate = std::move(candidate);
  pairs_[{workload, target}].records.push_back(number);
  return number;
}

void StoreIndex::AddMeasured(uint32_t record_number, Measured measured) {
  Record& record = records_[record_number];
  ALT_CHECK_GT(measured.sequence, last_sequence_);
  last_sequence_ = measured.sequence;
  const measure::CacheState cache = measured.cache;
  if (measured.provenance.trial > 0) {
    duplicates_ += std::any_of(record.measured.begin(), record.measured.end(), [&](const auto& m) {
      return m.provenance.trial > 0 && m.cache == cache;
    });
  }
  record.measured.push_back(std::move(measured));
  UpdateBest(record_number, cache);
}

std::optional<double> StoreIndex::Median(uint32_t record, measure::CacheState cache) const {
  const Measured* counting = Counting(records_[record], cache, kLatest);
  if (!counting || Weight(counting->result) != 3) return std::nullopt;
  return counting->result.latency->median_ns;
}

void StoreIndex::UpdateBest(uint32_t record, measure::CacheState cache) {
  Pair& pair = pairs_[{records_[record].workload, records_[record].target}];
  std::optional<uint32_t>& best = pair.best[static_cast<size_t>(cache)];
  const std::optional<double> median = Median(record, cache);
  if (best && *best != record) {
    if (median && *median < *Median(*best, cache)) best = record;
    return;
  }
  // The best one itself has changed, perhaps for the worse.
  best = LowestMedian(pair, cache, AcceptAll);
}

std::optional<uint32_t> StoreIndex::LowestMedian(const Pair& pair, measure::CacheState cache,
                                                 TuningStore::Accept accept) const {
  std::optional<uint32_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (const uint32_t record : pair.records) {
    const std::optional<double> ns = Median(record, cache);
    if (!ns || *ns >= least || !accept(records_[record].candidate)) continue;
    least = *ns;
    best = record;
  }
  return best;
}

void StoreIndex::AddChampion(Champion champion, std::string incumbent) {
  ALT_CHECK_GT(champion.sequence, last_sequence_);
  last_sequence_ = champion.sequence;
  auto& keys =
      pairs_[{WorkloadNumber(champion.key.workload), TargetNumber(champion.key.target)}].champions;
  auto it = std::find_if(keys.begin(), keys.end(),
                         [&](const auto& entry) { return entry.first == champion.key; });
  if (it == keys.end()) it = keys.insert(keys.end(), {champion.key, {}});
  it->second.push_back({std::move(champion), std::move(incumbent)});
}

void StoreIndex::PutJob(Job job) {
  const std::optional<int64_t> number = JobNumber(job.id);
  ALT_CHECK(number.has_value()) << job.id;
  NoteJobNumber(*number);
  job_requests_.emplace(job.request_id, *number);
  jobs_.insert_or_assign(*number, std::move(job));
}

std::optional<uint32_t> StoreIndex::FindRecord(absl::string_view id) const {
  const std::optional<uint64_t> value = RecordIdValue(id);
  if (!value) return std::nullopt;
  const auto it = record_numbers_.find(*value);
  if (it == record_numbers_.end()) return std::nullopt;
  return it->second;
}

RecordKey StoreIndex::KeyOf(uint32_t record) const {
  const Record& r = records_[record];
  return {workloads_.texts[r.workload], targets_.texts[r.target], r.candidate};
}

std::string StoreIndex::IdOf(uint32_t record) const { return RecordIdText(records_[record].id); }

std::optional<uint32_t> StoreIndex::UnmeasuredRecord() const {
  for (uint32_t number = 0; number < records_.size(); ++number) {
    if (records_[number].measured.empty()) return number;
  }
  return std::nullopt;
}

bool StoreIndex::HasMeasurement(absl::string_view id, const measure::Provenance& provenance) const {
  const std::optional<uint32_t> record = FindRecord(id);
  if (!record) return false;
  const auto& measured = records_[*record].measured;
  return std::any_of(measured.begin(), measured.end(),
                     [&](const Measured& m) { return m.provenance == provenance; });
}

const StoreIndex::Pair* StoreIndex::FindPair(absl::string_view workload,
                                             absl::string_view target) const {
  const auto w = workloads_.Find(workload);
  const auto t = targets_.Find(target);
  if (!w || !t) return nullptr;
  const auto it = pairs_.find(std::pair(*w, *t));
  return it == pairs_.end() ? nullptr : &it->second;
}

const StoreIndex::Measured* StoreIndex::Counting(const Record& record,
                                                 std::optional<measure::CacheState> cache,
                                                 int64_t sequence) const {
  const Measured* counting = nullptr;
  for (const Measured& m : record.measured) {
    if (m.sequence > sequence) break;
    if (cache && m.cache != *cache) continue;
    if (!counting || Weight(m.result) >= Weight(counting->result)) counting = &m;
  }
  return counting;
}

StoredRecord StoreIndex::Stored(const Record& record, const Measured& measured) const {
  return {
      .id = RecordIdText(record.id),
      .key = {workloads_.texts[record.workload], targets_.texts[record.target], record.candidate},
      .sequence = record.measured.front().sequence,
      .measurements = static_cast<int64_t>(record.measured.size()),
      .cache = measured.cache,
      .result = measured.result,
      .provenance = measured.provenance,
      .validators = validators_[measured.validators]};
}

std::vector<StoredRecord> StoreIndex::RecordsAt(absl::string_view workload,
                                                absl::string_view target, measure::CacheState cache,
                                                int64_t sequence) const {
  std::vector<StoredRecord> found;
  const Pair* pair = FindPair(workload, target);
  if (!pair) return found;
  for (const uint32_t number : pair->records) {
    const Record& record = records_[number];
    if (const Measured* m = Counting(record, cache, sequence)) found.push_back(Stored(record, *m));
  }
  return found;
}

std::optional<Champion> StoreIndex::ChampionAt(const ChampionKey& key, int64_t sequence) const {
  const Pair* pair = FindPair(key.workload, key.target);
  if (!pair) return std::nullopt;
  for (const auto& [other, offers] : pair->champions) {
    if (other != key) continue;
    if (const Champion* winner = Winner(offers, sequence)) return *winner;
  }
  return std::nullopt;
}

std::optional<BestAnswer> StoreIndex::BestOf(const Pair& pair, const ChampionKey& key,
                                             TuningStore::Accept accept) const {
  const Champion* best = nullptr;
  for (const auto& [other, offers] : pair.champions) {
    if (other.cache != key.cache) continue;
    const Champion* winner = Winner(offers, kLatest);
    if (!accept(winner->candidate)) continue;
    if (other.constraint == key.constraint) return Answer(*winner);
    if (!best || Replaces(*winner, "", *best)) best = winner;
  }
  if (best) return Answer(*best);
  std::optional<uint32_t> record = pair.best[static_cast<size_t>(key.cache)];
  if (record && !accept(records_[*record].candidate)) {
    record = LowestMedian(pair, key.cache, accept);
  }
  if (!record) return std::nullopt;
  const measure::MeasureResult& result = Counting(records_[*record], key.cache, kLatest)->result;
  return BestAnswer{.record = RecordIdText(records_[*record].id),
                    .candidate = records_[*record].candidate,
                    .latency = *result.latency,
                    .peak_gflops = result.peak_gflops,
                    .confirmed = false};
}

std::optional<BestAnswer> StoreIndex::FindBest(const ChampionKey& key,
                                               TuningStore::Accept accept) const {
  const Pair* pair = FindPair(key.workload, key.target);
  if (!pair) return std::nullopt;
  return BestOf(*pair, key, accept);
}

std::vector<Neighbour> StoreIndex::FindNearest(const ChampionKey& key, int64_t limit) const {
  struct Near {
    double distance;
    uint32_t workload, target;
    const Pair* pair;
  };
  const WorkloadShape shape = WorkloadShape::Parse(key.workload);
  std::vector<Near> near;
  for (const auto& [numbers, pair] : pairs_) {
    const auto& [workload, target] = numbers;
    if (!key.target.empty() && targets_.texts[target] != key.target) continue;
    if (workloads_.texts[workload] == key.workload && !key.target.empty()) continue;
    const std::optional<double> distance = ShapeDistance(shape, shapes_[workload]);
    if (distance) near.push_back({*distance, workload, target, &pair});
  }
  std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return std::tie(a.distance, a.workload, a.target) < std::tie(b.distance, b.workload, b.target);
  });
  std::vector<Neighbour> found;
  for (const Near& n : near) {
    if (static_cast<int64_t>(found.size()) >= limit) break;
    const ChampionKey other{workloads_.texts[n.workload], targets_.texts[n.target], key.cache, ""};
    if (auto best = BestOf(*n.pair, other, AcceptAll)) {
      found.push_back({other.workload, other.target, n.distance, *std::move(best)});
    }
  }
  return found;
}

std::vector<std::string> StoreIndex::TargetsOf(absl::string_view workload) const {
  std::vector<std::string> found;
  for (uint32_t target = 0; target < targets_.texts.size(); ++target) {
    const Pair* pair = FindPair(workload, targets_.texts[target]);
    if (!pair) continue;
    const bool any =
        !pair->champions.empty() || std::any_of(pair->best.begin(), pair->best.end(),
                                                [](const auto& best) { return best.has_value(); });
    if (any) found.push_back(targets_.texts[target]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

absl::StatusOr<StoredRecord> StoreIndex::GetRecord(absl::string_view id) const {
  const std::optional<uint64_t> digits = HexValue(id);
  if (!digits) return absl::NotFoundError(absl::StrCat("no record '", id.substr(0, 100), "'"));
  const int free_bits = 64 - 4 * static_cast<int>(id.size());  // at most 60
  const uint64_t low = *digits << free_bits;
  const uint64_t high = low | ((uint64_t{1} << free_bits) - 1);
  const auto it = record_numbers_.lower_bound(low);
  if (it == record_numbers_.end() || it->first > high) {
    return absl::NotFoundError(absl::StrCat("no record '", id, "'"));
  }
  const auto next = std::next(it);
  if (next != record_numbers_.end() && next->first <= high) {
    return absl::InvalidArgumentError(absl::StrCat("several records begin with '", id,
                                                   "': ", RecordIdText(it->first), ", ",
                                                   RecordIdText(next->first), " ..."));
  }
  const Record& record = records_[it->second];
  return Stored(record, *Counting(record, std::nullopt, kLatest));
}

std::vector<StoredRecord> StoreIndex::ListRecords(const RecordFilter& filter) const {
  std::vector<StoredRecord> found;
  for (auto it = records_.rbegin(); it != records_.rend(); ++it) {
    if (static_cast<int64_t>(found.size()) >= filter.limit) break;
    const int64_t sequence = it->measured.front().sequence;
    if (filter.before_sequence > 0 && sequence >= filter.before_sequence) continue;
    if (filter.workload && workloads_.texts[it->workload] != *filter.workload) continue;
    if (filter.target && targets_.texts[it->target] != *filter.target) continue;
    const Measured& m = *Counting(*it, std::nullopt, kLatest);
    if (filter.job && m.provenance.job != *filter.job) continue;
    found.push_back(Stored(*it, m));
  }
  return found;
}

job::Stats StoreIndex::Stats() const {
  job::Stats stats;
  stats.records = static_cast<int64_t>(records_.size());
  stats.duplicates = duplicates_;
  stats.jobs = static_cast<int64_t>(jobs_.size());
  std::set<uint32_t> workloads, targets;
  for (const auto& [numbers, pair] : pairs_) {
    if (pair.records.empty()) continue;
    workloads.insert(numbers.first);
    targets.insert(numbers.second);
  }
  stats.workloads = static_cast<int64_t>(workloads.size());
  std::set<absl::string_view> texts;
  for (const uint32_t target : targets) texts.insert(targets_.texts[target]);
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
