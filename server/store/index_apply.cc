#include "server/store/index_apply.h"

#include <utility>

#include "common/base/check.h"
#include "common/measure/tuning_record.h"

namespace alt::store {
namespace {

struct Applier {
  int64_t sequence;
  int64_t row;
  StoreIndex* index;

  void Add(const RecordKey& key, measure::CacheState cache, const measure::MeasureResult& result,
           const measure::Provenance& provenance, const measure::Validators& validators) {
    const uint32_t record = index->AddRecord(*RecordIdValue(RecordId(key)), key, row);
    index->AddMeasured(record,
                       {.sequence = sequence,
                        .cache = cache,
                        .result = result,
                        .provenance = provenance,
                        .validators = validators},
                       key.candidate);
  }

  void operator()(AddResult& m) {
    if (m.record) Add(*m.record, m.cache, m.result, m.provenance, m.validators);
  }
  void operator()(CreateJob& m) { index->PutJob(std::move(m.job)); }
  void operator()(UpdateJob& m) {
    const Job* stored = index->FindJob(m.job.id);
    ALT_CHECK(stored != nullptr) << m.job.id;
    index->PutJob(MergeJob(*stored, std::move(m.job)));
  }
  void operator()(AppendLog&) {}
  void operator()(PutChampion& m) {
    const RecordKey key{m.key.workload, m.key.target, m.candidate};
    Champion champion{.key = m.key,
                      .record = RecordId(key),
                      .candidate = m.candidate,
                      .latency = *m.result.latency,
                      .peak_gflops = m.result.peak_gflops,
                      .peak_share = m.peak_share,
                      .job = m.provenance.job,
                      .time = m.provenance.time,
                      .sequence = sequence + 1,
                      .validators = m.validators};
    if (!index->FindRecord(champion.record)) {
      Add(key, m.key.cache, m.result, m.provenance, m.validators);
    }
    index->AddChampion(std::move(champion), job::PrintFixedLayouts(m.key.fixed_layouts),
                       m.incumbent);
  }
  void operator()(DeleteRecord& m) {
    if (const auto record = index->FindRecord(m.record)) index->AddDeletion(*record, sequence);
  }
};

}  // namespace

int64_t SequencesOf(const Mutation& mutation) {
  if (std::holds_alternative<PutChampion>(mutation)) return 2;  // its record, perhaps, and itself
  return std::holds_alternative<AddResult>(mutation) ||
         std::holds_alternative<DeleteRecord>(mutation);
}

void Apply(Sequenced change, StoreIndex* index) {
  std::visit(Applier{change.sequence, change.row, index}, change.mutation);
}

Job MergeJob(const Job& stored, Job update) {
  update.id = stored.id;
  update.request_id = stored.request_id;
  update.spec = stored.spec;
  update.created = stored.created;
  if (stored.start) update.start = stored.start;
  return update;
}

}  // namespace alt::store
