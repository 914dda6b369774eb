#include "server/store/index_apply.h"

#include <utility>

#include "common/base/check.h"
#include "common/measure/tuning_record.h"

namespace alt::store {
namespace {

struct Applier {
  int64_t sequence;
  StoreIndex* index;

  void Add(RecordKey key, measure::CacheState cache, measure::MeasureResult result,
           measure::Provenance provenance, const measure::Validators& validators) {
    const uint64_t id = *RecordIdValue(RecordId(key));
    const uint32_t record =
        index->RecordNumber(id, index->WorkloadNumber(key.workload),
                            index->TargetNumber(key.target), std::move(key.candidate));
    index->AddMeasured(record, {.sequence = sequence,
                                .cache = cache,
                                .result = std::move(result),
                                .provenance = std::move(provenance),
                                .validators = index->ValidatorsNumber(validators)});
  }

  void operator()(AddMeasurement& m) {
    Add(std::move(m.key), m.cache, std::move(m.result), std::move(m.provenance), m.validators);
  }
  void operator()(AddResult& m) {
    if (!m.record) return;
    Add(*std::move(m.record), m.cache, std::move(m.result), std::move(m.provenance), m.validators);
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
                      .sequence = sequence + 1};
    if (!index->FindRecord(champion.record)) {
      Add(key, m.key.cache, std::move(m.result), std::move(m.provenance), m.validators);
    }
    index->AddChampion(std::move(champion), std::move(m.incumbent));
  }
};

}  // namespace

int64_t SequencesOf(const Mutation& mutation) {
  if (std::holds_alternative<PutChampion>(mutation)) return 2;  // its record, perhaps, and itself
  return std::holds_alternative<AddMeasurement>(mutation) ||
         std::holds_alternative<AddResult>(mutation);
}

void Apply(Sequenced change, StoreIndex* index) {
  std::visit(Applier{change.sequence, index}, change.mutation);
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
