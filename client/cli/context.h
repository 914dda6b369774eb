// What a command of `alt` is given: the options that all share, and where the world is.
#ifndef CLIENT_CLI_CONTEXT_H_
#define CLIENT_CLI_CONTEXT_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace alt::cli {

// Read once in main; nothing else looks at environment variables.
struct Environment {
  std::string program = "alt";  // as it was called, such as "build/release/bin/alt"
  std::string bin_dir;    // of our own executable: alt-server and alt-worker are its neighbours
  std::string state_dir;  // $XDG_STATE_HOME/alt
  std::string temp_dir;   // $TMPDIR
  std::string path;       // $PATH, to find a linker
  bool live = false;      // stderr is a terminal where a line can be rewritten
  bool color = false;     // and which shows colours, and NO_COLOR is not set
};

// Options of every command.
struct SharedOptions {
  std::string db;      // empty: alt.db in the state folder
  std::string server;  // empty: a private one
  bool json = false;
};

// Ctrl-C, SIGTERM and a closed terminal, seen by a thread of their own. The first runs the handler,
// the second ends the process; so does the first where no handler is set: nothing needs cleaning
// up. Children are in process groups of their own and do not see Ctrl-C.
class Interrupts {
 public:
  // Blocks the signals in this thread and those it starts: call it first thing in main.
  Interrupts();

  bool interrupted() const;
  // What to do at the first signal, on the thread of the signals; called here when it has come
  // already. It must not call back.
  void SetHandler(std::function<void()> handler);
  // The same whenever the terminal has changed its size.
  void SetResizeHandler(std::function<void()> handler);
  // What the process writes to stdout when a signal ends it at once.
  void SetLastWords(std::string text);

 private:
  void Wait();

  mutable absl::Mutex mutex_;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> handler_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> resize_handler_ ABSL_GUARDED_BY(mutex_);
  std::string last_words_ ABSL_GUARDED_BY(mutex_);
};

// Fields in the order in which they are set.
using Json = nlohmann::ordered_json;

struct Context {
  const Environment& environment;
  SharedOptions options;
  Interrupts& interrupts;
  // What --json prints at the end, once; a command that fails leaves here what was done before.
  // null: a child has printed it.
  Json result = Json::object();
};

// A word of a command line, quoted for the shell where that is needed.
std::string ShellWord(absl::string_view word);

// Data goes to stdout, everything else to stderr. Both write at once.
void Out(absl::string_view text);
void Note(absl::string_view text);

}  // namespace alt::cli

#endif  // CLIENT_CLI_CONTEXT_H_
