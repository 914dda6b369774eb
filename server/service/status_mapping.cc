#include "server/service/status_mapping.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>

#include "absl/strings/str_cat.h"

namespace alt::service {
namespace {

// One length-delimited field of a message.
std::string Field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  return out + bytes;
}

// google.rpc.Status {int32 code = 1; string message = 2; repeated Any details = 3} with a
// google.rpc.RetryInfo {Duration retry_delay = 1}, whose messages Debian does not package.
std::string RetryDetails(const absl::Status& status) {
  google::protobuf::Duration delay;
  delay.set_seconds(kRetryAfterSeconds);
  google::protobuf::Any info;
  info.set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  info.set_value(Field(1, delay.SerializeAsString()));
  const std::string code = {1 << 3, static_cast<char>(status.code())};
  return absl::StrCat(code, Field(2, std::string(status.message())),
                      Field(3, info.SerializeAsString()));
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()),
                      absl::IsResourceExhausted(status) ? RetryDetails(status) : "");
}

}  // namespace alt::service
