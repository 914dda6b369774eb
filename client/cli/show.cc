#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/ir/printer.h"
#include "common/lower/count_products.h"
#include "common/lower/lower.h"
#include "common/lower/multiplies_padding.h"

namespace alt::cli {
namespace {

// What is shown: a record, or a candidate file for a target.
struct Subject {
  workload::Workload workload;
  target::Target target;
  workload::Candidate candidate;
  std::optional<measure::TuningRecord> record;
};

// Its program, or why there is none. What no worker would compile is refused here too.
struct Lowered {
  absl::StatusOr<lower::Kernel> loops, code;
};

Lowered LowerSubject(const Subject& subject) {
  auto loops = lower::LowerToLoops(subject.workload, subject.candidate);
  if (!loops.ok()) return {loops.status(), loops.status()};
  auto code = lower::Lower(*loops, subject.target);
  return {std::move(loops), std::move(code)};
}

absl::StatusOr<std::string> Loops(const Lowered& lowered) {
  ALT_RETURN_IF_ERROR(lowered.code.status());
  return ir::Print(lowered.loops->module);
}

absl::StatusOr<std::string> Assembly(const Lowered& lowered, const target::Target& target) {
  ALT_RETURN_IF_ERROR(lowered.code.status());
  ALT_ASSIGN_OR_RETURN(const auto codegen, codegen::CreateLlvmCodegen(target));
  return codegen->Assembly(lowered.code->module);
}

// How many products a run computes: an algorithm may need fewer than the operator has, stages
// computed inside others more.
std::string DescribeWork(const Subject& subject, const Lowered& lowered) {
  if (!lowered.code.ok()) return absl::StrCat("refused: ", lowered.code.status().message());
  const int64_t products = lower::CountProducts(lowered.loops->module);
  const double of_operator = workload::Flops(subject.workload) / 2;
  return absl::StrFormat("%d products, %.2f of what the operator has", products,
                         static_cast<double>(products) / of_operator);
}

// "" where the candidate is refused.
std::string DescribePadding(const Subject& subject, const Lowered& lowered) {
  if (!lowered.code.ok()) return "";
  // Sums and differences of the transforms make NaNs of infinities.
  const bool direct =
      workload::PartsOf(subject.candidate.algorithm).computation == workload::Algorithm{};
  return !direct || lower::MultipliesPadding(lowered.code->module)
             ? "padding   multiplied by weights: right for finite weights only\n"
             : "padding   skipped: weights may be infinite or NaN\n";
}

std::string Summary(const Subject& subject, const Lowered& lowered) {
  std::string out = absl::StrCat(
      "algorithm ", workload::Print(subject.candidate.algorithm), "\ntrace\n",
      schedule::Print(subject.candidate.trace), "layouts\n",
      DescribeLayouts(subject.workload, subject.candidate), "workload  ",
      workload::Print(subject.workload), "\ntarget    ", target::PrintTarget(subject.target),
      "\nwork      ", DescribeWork(subject, lowered), "\n", DescribePadding(subject, lowered));
  if (!subject.record) return out;
  const measure::TuningRecord& record = *subject.record;
  absl::StrAppend(&out, "record    ", record.id, ", ",
                  std::string(measure::OutcomeName(record.result.outcome)));
  if (const auto& latency = record.result.latency) {
    absl::StrAppend(&out, ", ", FormatLatency(*latency),
                    absl::StrFormat(", %.1f GFLOP/s", GflopsOf(subject.workload, *latency)));
  }
  absl::StrAppend(&out, "\nmeasured  by ", record.provenance.worker);
  if (!record.provenance.job.empty()) absl::StrAppend(&out, " for ", record.provenance.job);
  if (record.provenance.trial > 0) absl::StrAppend(&out, ", trial ", record.provenance.trial);
  absl::StrAppend(&out, ", ", FormatDate(record.provenance.time), "\n");
  if (!record.result.message.empty()) {
    absl::StrAppend(&out, "because   ", record.result.message, "\n");
  }
  return out;
}

Json SubjectJson(const Subject& subject) {
  Json out = {{"workload", workload::Print(subject.workload)},
              {"target", target::PrintTarget(subject.target)},
              {"candidate", ToJson(subject.workload, subject.candidate)}};
  if (const auto& record = subject.record) {
    out["record"] = record->id;
    out["outcome"] = std::string(measure::OutcomeName(record->result.outcome));
    out["message"] = record->result.message;
    if (record->result.latency) out["latency_ns"] = ToJson(*record->result.latency);
    out["job"] = record->provenance.job;
    out["trial"] = record->provenance.trial;
    out["worker"] = record->provenance.worker;
    out["validators"] = record->validators;
  }
  return out;
}

class ShowCommand : public Command {
 public:
  std::string name() const override { return "show"; }
  std::string summary() const override {
    return "Show a record or a candidate file: layouts, loops, assembly, trace";
  }
  std::string examples() const override {
    return "  alt show 3f0c1a2b4d5e6f70\n"
           "  alt show 3f0c --asm\n"
           "  alt show 3f0c --trace > mine.alt && alt show mine.alt --loops\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("record", record_, "a record's id, or a candidate file")
        ->required()
        ->type_name("");
    app.add_flag("--layouts", layouts_, "how tensors are stored, block form and primitives");
    app.add_flag("--loops", loops_, "the loop nest");
    app.add_flag("--asm", asm_, "the machine code as assembly");
    app.add_flag("--trace", trace_, "as a candidate file, for bench and compile --candidate");
    target_.Declare(app);
  }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const Subject subject, Find(context));
    const bool all = !layouts_ && !loops_ && !asm_ && !trace_;
    Json json = SubjectJson(subject);
    std::optional<Lowered> lowered;
    if (all || loops_ || asm_) lowered = LowerSubject(subject);
    std::string text = all ? Summary(subject, *lowered) : "";
    if (trace_) {
      const std::string file =
          workload::Print(workload::CandidateFile{subject.workload, subject.candidate});
      absl::StrAppend(&text, file);
      json["file"] = file;
    }
    if (layouts_) absl::StrAppend(&text, DescribeLayouts(subject.workload, subject.candidate));
    if (loops_) {
      ALT_ASSIGN_OR_RETURN(const std::string loops, Loops(*lowered),
                           Explain(_, "cannot lower the candidate"));
      absl::StrAppend(&text, loops);
      json["loops"] = loops;
    }
    if (asm_) {
      ALT_ASSIGN_OR_RETURN(const std::string assembly, Assembly(*lowered, subject.target),
                           Explain(_, "cannot compile the candidate"));
      absl::StrAppend(&text, assembly);
      json["asm"] = assembly;
    }
    if (context.options.json) {
      context.result = json;
    } else {
      Out(text);
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Subject> Find(Context& context) const {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(record_, ignored)) {
      ALT_ASSIGN_OR_RETURN(const workload::CandidateFile file,
                           ReadCandidateFile(record_, std::nullopt));
      ALT_ASSIGN_OR_RETURN(const target::Target target, target_.ResolveLocally());
      return Subject{file.workload, target, file.candidate, std::nullopt};
    }
    if (record_.empty() || !std::all_of(record_.begin(), record_.end(), absl::ascii_isxdigit)) {
      return UsageError(absl::StrCat("cannot show ", base::Quoted(record_)),
                        "there is no such file, and no record is called so: their ids are "
                        "hexadecimal digits",
                        "`alt records` lists records, `alt query WORKLOAD` names the best one");
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    absl::StatusOr<measure::TuningRecord> record = session->client().GetRecord(record_);
    if (!record.ok()) {
      return Explain(record.status(), absl::StrCat("cannot show ", record_),
                     "`alt records` lists them; a candidate file can be shown too");
    }
    return Subject{record->workload, record->target, record->candidate, *record};
  }

  std::string record_;
  bool layouts_ = false, loops_ = false, asm_ = false, trace_ = false;
  TargetArguments target_;
};

}  // namespace

std::unique_ptr<Command> MakeShowCommand() { return std::make_unique<ShowCommand>(); }

}  // namespace alt::cli
