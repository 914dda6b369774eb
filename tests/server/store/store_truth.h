// A small database of every kind of row, and whether another serves nothing but what is in it.
#ifndef TESTS_SERVER_STORE_STORE_TRUTH_H_
#define TESTS_SERVER_STORE_STORE_TRUTH_H_

#include <map>
#include <string>
#include <vector>

#include "server/store/tuning_store.h"

namespace alt::store {

// Two workloads, measurements that are OK and that failed, champions with and without fixed
// layouts, a deletion, jobs that rest and that do not, with their logs.
void FillStore(TuningStore& store);

// What a store says when it is whole.
class StoreTruth {
 public:
  explicit StoreTruth(TuningStore& store);

  // Expects of every answer that it is one that the whole store could give: records, champions,
  // jobs, logs, trials, best answers. They may be fewer.
  void ExpectNothingElse(TuningStore& store) const;
  size_t records() const { return records_.size(); }

 private:
  std::map<std::string, StoredRecord> records_;
  std::map<std::string, Champion> champions_;  // by record
  std::map<std::string, Job> jobs_;
  std::map<std::string, JobLog> logs_;
};

}  // namespace alt::store

#endif  // TESTS_SERVER_STORE_STORE_TRUTH_H_
