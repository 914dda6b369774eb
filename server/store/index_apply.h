// Acknowledged mutations on their way into the index; the same for every store.
#ifndef SERVER_STORE_INDEX_APPLY_H_
#define SERVER_STORE_INDEX_APPLY_H_

#include <cstdint>

#include "server/store/store_index.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// A mutation whose turn has come. `sequence` is the first of SequencesOf(mutation) numbers, `row`
// is where the store has its record, if it has one.
struct Sequenced {
  Mutation mutation;
  int64_t sequence = 0;
  int64_t row = 0;
};
// How many sequence numbers a mutation takes.
int64_t SequencesOf(const Mutation& mutation);

void Apply(Sequenced change, StoreIndex* index);

// The job as it is stored after an update: what never changes is kept.
Job MergeJob(const Job& stored, Job update);

}  // namespace alt::store

#endif  // SERVER_STORE_INDEX_APPLY_H_
