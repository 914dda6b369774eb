// Logging to stderr, in the manner of later abseil's LOG:
//
//   ALT_LOG(INFO) << "worker " << name << " joined";     // also WARNING, ERROR
//
// Arguments are not evaluated when the level is off. Safe from every thread; one call writes one
// whole line. Programs choose level and form once in main; libraries only log.
#ifndef COMMON_BASE_LOG_H_
#define COMMON_BASE_LOG_H_

#include <ostream>
#include <sstream>

namespace alt::base {

enum class LogLevel { kInfo = 0, kWarning = 1, kError = 2, kOff = 3 };

enum class LogFormat {
  kText,  // "2026-01-31 12:00:00.123 I file.cc:12] message"
  kJson,  // one object a line: {"time": RFC 3339, "level": "info", "source": "file.cc:12",
          // "message": ...}
};

// Messages below `level` are dropped. The default is kInfo.
void SetMinLogLevel(LogLevel level);
bool IsLogged(LogLevel level);
// The default is kText.
void SetLogFormat(LogFormat format);

// Gathers one message; its destructor writes it.
class LogMessage {
 public:
  LogMessage(LogLevel level, const char* file, int line);
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage();

  std::ostream& stream() { return stream_; }

 private:
  LogLevel level_;
  const char* file_;
  int line_;
  std::ostringstream stream_;
};

// Gives `off ? void : stream` one type; & binds more loosely than << and tighter than ?:.
struct LogVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace alt::base

#define ALT_LOG_LEVEL_INFO ::alt::base::LogLevel::kInfo
#define ALT_LOG_LEVEL_WARNING ::alt::base::LogLevel::kWarning
#define ALT_LOG_LEVEL_ERROR ::alt::base::LogLevel::kError
#define ALT_LOG(level)                          \
  !::alt::base::IsLogged(ALT_LOG_LEVEL_##level) \
      ? (void)0                                 \
      : ::alt::base::LogVoidify() &             \
            ::alt::base::LogMessage(ALT_LOG_LEVEL_##level, __FILE__, __LINE__).stream()

#endif  // COMMON_BASE_LOG_H_
