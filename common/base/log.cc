#include "common/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace alt::base {
namespace {

std::atomic<LogLevel> min_level{LogLevel::kInfo};
std::atomic<LogFormat> log_format{LogFormat::kText};

// Never destroyed: threads may log while statics are torn down.
spdlog::logger& Logger() {
  static spdlog::logger* const logger = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto* made = new spdlog::logger("alt", sink);
    made->set_pattern("%v");
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

const char* Basename(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return slash == nullptr ? file : slash + 1;
}

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    default:
      return "error";
  }
}

// The inside of a JSON string. Bytes above 0x7f pass as they are: messages are UTF-8.
std::string JsonEscape(absl::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&out, "\\u", absl::Hex(c, absl::kZeroPad4));
    } else {
      out += c;
    }
  }
  return out;
}

std::string FormatLine(LogLevel level, absl::string_view source, absl::string_view message) {
  const absl::Time now = absl::Now();
  if (log_format.load(std::memory_order_relaxed) == LogFormat::kJson) {
    return absl::StrCat("{\"time\": \"",
                        absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", now, absl::UTCTimeZone()),
                        "\", \"level\": \"", LevelName(level), "\", \"source\": \"", source,
                        "\", \"message\": \"", JsonEscape(message), "\"}");
  }
  const char letter = static_cast<char>(LevelName(level)[0] - 'a' + 'A');
  return absl::StrCat(absl::FormatTime("%Y-%m-%d %H:%M:%E3S", now, absl::LocalTimeZone()), " ",
                      std::string(1, letter), " ", source, "] ", message);
}

}  // namespace

void SetMinLogLevel(LogLevel level) { min_level.store(level, std::memory_order_relaxed); }

bool IsLogged(LogLevel level) { return level >= min_level.load(std::memory_order_relaxed); }

void SetLogFormat(LogFormat format) { log_format.store(format, std::memory_order_relaxed); }

LogMessage::LogMessage(LogLevel level, const char* file, int line)
    : level_(level), file_(Basename(file)), line_(line) {}

LogMessage::~LogMessage() {
  const std::string source = absl::StrCat(file_, ":", line_);
  const std::string line = FormatLine(level_, source, stream_.str());
  Logger().log(ToSpdlog(level_), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace alt::base
