// A program outside the tree that asks for the best candidate of a workload, loads the kernel that
// `alt compile` made of it, and runs it: consumer ADDRESS KERNEL.so WORKLOAD
#include <alt/kernel.h>
#include <alt/tuning_client.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

// A matmul by its definition, largest difference.
double Compare(const std::vector<float>& a, const std::vector<float>& b,
               const std::vector<float>& c, const alt::workload::Matmul& shape) {
  double largest = 0;
  for (int64_t i = 0; i < shape.m; ++i) {
    for (int64_t j = 0; j < shape.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < shape.k; ++k) sum += double{a[i * shape.k + k]} * b[k * shape.n + j];
      largest = std::max(largest, std::abs(sum - c[i * shape.n + j]));
    }
  }
  return largest;
}

std::vector<float> Ramp(int64_t n, int period) {
  std::vector<float> out(n);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(i % period) - 3;
  return out;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto workload = alt::workload::Parse(argv[3]);
  if (!workload.ok()) return Fail(workload.status());
  const auto kernel = alt::client::Kernel::Load(argv[2]);
  if (!kernel.ok()) return Fail(kernel.status());

  const auto client = alt::client::TuningClient::Connect(argv[1]);
  const auto answer = client->Query({.workload = *workload, .target = (*kernel)->target()});
  if (!answer.ok()) return Fail(answer.status());

  const auto shape = std::get<alt::workload::Matmul>(workload->op);
  const std::vector<float> a = Ramp(shape.m * shape.k, 7), b = Ramp(shape.k * shape.n, 5);
  std::vector<float> c(shape.m * shape.n);
  for (const absl::Status& status : {(*kernel)->Pack("a", a.data()), (*kernel)->Pack("b", b.data()),
                                     (*kernel)->Run(), (*kernel)->Unpack(c.data())}) {
    if (!status.ok()) return Fail(status);
  }
  std::printf("record %s error %g\n", answer->record.c_str(), Compare(a, b, c, shape));
}
