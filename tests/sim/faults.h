// What goes wrong, and how often. Everything is drawn from one seed.
#ifndef TESTS_SIM_FAULTS_H_
#define TESTS_SIM_FAULTS_H_

#include "absl/time/time.h"
#include "common/base/random.h"

namespace alt::sim {

struct Faults {
  // Messages, each way.
  double lose = 0, repeat = 0, delay = 0;
  absl::Duration most_delay;
  // Mean time between; infinite for never.
  absl::Duration worker_crash = absl::InfiniteDuration();
  absl::Duration worker_restart = absl::InfiniteDuration();  // drains first
  absl::Duration worker_pause = absl::InfiniteDuration();
  absl::Duration worker_twin = absl::InfiniteDuration();  // a second process under the same name
  absl::Duration worker_cut_off = absl::InfiniteDuration();
  absl::Duration worker_broken = absl::InfiniteDuration();  // hands everything back for a while
  absl::Duration worker_mute = absl::InfiniteDuration();    // calls, and brings nothing
  absl::Duration worker_lies = absl::InfiniteDuration();    // says that kernels take no time
  absl::Duration server_crash = absl::InfiniteDuration();
  absl::Duration server_pause = absl::InfiniteDuration();
  absl::Duration clock_jump = absl::InfiniteDuration();  // of the wall clock
  absl::Duration disk_full = absl::InfiniteDuration();
  absl::Duration most_commit = absl::Milliseconds(5);

  // Each kind is there or not, and mild or wild.
  static Faults Draw(base::Random& random);
};

inline Faults Faults::Draw(base::Random& random) {
  Faults faults;
  const auto rate = [&] { return random.Bernoulli(0.6) ? random.UnitDouble() * 0.15 : 0; };
  const auto every = [&](int64_t least, int64_t most) {
    return random.Bernoulli(0.5) ? absl::Seconds(random.UniformInt(least, most))
                                 : absl::InfiniteDuration();
  };
  faults.lose = rate();
  faults.repeat = rate();
  faults.delay = rate();
  faults.most_delay = absl::Milliseconds(random.UniformInt(100, 40000));
  faults.worker_crash = every(4, 200);
  faults.worker_restart = every(4, 200);
  faults.worker_pause = every(4, 200);
  faults.worker_twin = every(20, 200);
  faults.worker_cut_off = every(4, 200);
  faults.worker_broken = every(20, 200);
  faults.worker_mute = every(20, 200);
  faults.worker_lies = every(60, 300);
  faults.server_crash = every(4, 120);
  faults.server_pause = every(10, 200);
  faults.clock_jump = every(10, 100);
  faults.disk_full = every(10, 200);
  faults.most_commit = absl::Milliseconds(random.Bernoulli(0.3) ? 3000 : 5);
  return faults;
}

// The time until the next of something that happens every `mean`.
inline absl::Duration DrawWait(base::Random& random, absl::Duration mean) {
  return mean * (0.1 + 1.8 * random.UnitDouble());
}

}  // namespace alt::sim

#endif  // TESTS_SIM_FAULTS_H_
