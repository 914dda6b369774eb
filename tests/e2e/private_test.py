"""Without a server: tune, query, bench, show, export and check, all from a database file."""
import subprocess
from e2e import *

db = ["--db", file("a.db")]
one = [*db, "--threads=1"]
peak = alt("peak", *db)
expect(peak["gflops_1t"] > 1 and peak["mcpu"], str(peak))
expect(alt("peak", *one)["threads"] == 1, "as many threads as were asked for")
expect(os.listdir(os.path.join(ENV["XDG_STATE_HOME"], "alt")), "the calibration is kept")

tuned = alt("tune", SMALL, "--trials=8", "--policy=random", *one)
best = tuned["best"]
expect(tuned["trials"] == 8 == sum(tuned["outcomes"].values()), str(tuned["outcomes"]))
expect(len(best["layouts"]) == 3 and best["latency_ns"]["median"] > 0 and best["peak_fraction"] > 0, str(best))
expect(best["latency_ns"]["median"] <= 1.02 * tuned["default_latency_ns"]["median"], "not slower than the default")

trials = alt("trials", tuned["job"], *db)["trials"]
expect([t["trial"] for t in trials] == list(range(1, 9)), str(trials))
# The default schedule is measured before the first trial, and may win.
expect(best.get("trial") == next((t["trial"] for t in trials if t["record"] == best["record"]), None), "the winner's trial is named")
top = alt("trials", tuned["job"], "--top=2", *db)["trials"]
expect(len(top) == 2 and top[0]["latency_ns"]["median"] <= top[1]["latency_ns"]["median"], str(top))
expect(len(run("alt", "trials", tuned["job"], "--csv", *db)[0].splitlines()) == 9, "a heading and a line for each trial")
expect(all(t["outcome"] != "OK" for t in alt("trials", tuned["job"], "--failed", *db)["trials"]), "failures alone")
expect(len(alt("records", SMALL, "--limit=3", *db)["records"]) == 3, "records of a workload")
expect(alt("tune", SMALL, "--trials=0", *one)["best"]["record"] == best["record"], "without trials, tune only asks")

query = alt("query", "matmul:k=32,n=32,m=32", *one)
expect(query["source"] == "exact" and query["record"] == best["record"], str(query))
near = alt("query", SMALL.replace("m=32", "m=64"), *one)
expect(near["source"] == "nearest" and "m=32 instead of 64" in near["reason"], str(near))
bench = alt("bench", SMALL, *one)
expect(bench["source"] == "exact" and bench["peak_fraction"] > 0 and bench["threads"] == 1, str(bench))
expect(alt("replay", tuned["job"], *db)["identical"] is True, "the search repeats")
expect(alt("jobs", *db)["jobs"][0]["kind"] == "bench", "jobs, newest first")
stats = alt("db", "stats", *db)
expect(stats["records"] >= 8 and stats["duplicates"] == 0 and stats["workloads"] == 1, str(stats))
expect(alt("db", "verify", *db)["ok"] is True, "verify")
run("alt", "db", "backup", file("copy.db"), *db)
expect(alt("db", "stats", "--db", file("copy.db"))["records"] == stats["records"], "the copy is whole")
run("alt", "db", "backup", file("copy.db"), *db, code=2)

# Two commands at once share the server and the device of whoever was first.
both = [start("alt", "tune", SMALL.replace("k=32", f"k={k}"), "--trials=8", "--policy=random", "--json", "--db", file("b.db"), "--threads=1")
        for k in (48, 64)]
for child in both:
    out, err = child.communicate(timeout=120)
    expect(child.returncode == 0 and json.loads(out)["trials"] == 8, f"both end well: {child.returncode} {err.decode()}")

for what in ("--layouts", "--loops", "--asm", "--trace"):
    expect(len(run("alt", "show", best["record"], what, *db)[0]) > 20, f"show {what}")
candidate = file("best.alt")
open(candidate, "w").write(run("alt", "show", best["record"], "--trace", *db)[0])
expect(alt("bench", SMALL, "--candidate", candidate, *one)["source"] == "given", "bench of a file")
expect(len(run("alt", "show", candidate, "--loops")[0]) > 20, "show of a file")

for ending in ("so", "o", "s", "ll"):
    run("alt", "compile", SMALL, "-o", file(f"gemm.{ending}"), *one)
check = alt("run", file("gemm.so"), "--check")
expect(check["ok"] is True and check["max_rel_error"] < 1e-5, str(check))
# The same where nothing may be loaded from the folder for temporary files.
noexec = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o noexec tmpfs "$TMPDIR" && "$@"', "sh"]
if subprocess.run([*noexec, "true"], env=ENV, capture_output=True).returncode != 0:
    print("not checked with TMPDIR mounted noexec: this machine lets us mount nothing")
else:
    check = subprocess.run([*noexec, os.path.join(BIN, "alt"), "run", file("gemm.so"), "--check"], env=ENV,
                           capture_output=True, text=True)
    expect(check.returncode == 0, f"checks where TMPDIR is noexec: {check.stdout}{check.stderr}")
out, err = run("alt", "compile", SMALL, "-o", file("foreign.so"), "--target=cpu:mcpu=knl", *db)
expect("--check" not in err, f"advises no check that cannot be made here: {err}")
out, err = run("alt", "run", file("foreign.so"), "--check", code=6)
expect("is for cpu:mcpu=knl" in err and f"this machine is cpu:mcpu={peak['mcpu']}" in err and "fix: " in err, err)
open(file("user.c"), "w").write("""
#include "gemm.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  float* a = (float*)malloc(8192) + 1; float* b = (float*)malloc(8192) + 1; float* c = (float*)malloc(8192) + 3;
  float* pa = aligned_alloc(GEMM_ALIGNMENT, 4 * GEMM_A_ELEMENTS); float* pb = aligned_alloc(GEMM_ALIGNMENT, 4 * GEMM_B_ELEMENTS);
  float* pc = aligned_alloc(64, 4 * GEMM_C_ELEMENTS);
  void* work = aligned_alloc(64, GEMM_WORKSPACE_BYTES + 64);
  for (int i = 0; i < 1024; ++i) { a[i] = 1; b[i] = 2; c[i] = -1; }
  gemm_pack_a(a, pa, work, NULL); gemm_pack_b(b, pb, work, NULL);
  if (gemm_run(pa, pb, pc + 1, work, NULL) != GEMM_UNALIGNED || gemm_run(pa, pb, pc, work, NULL) != 0) return 1;
  gemm_unpack_c(pc, c, work, NULL);
  printf("%g %c\\n", c[1023], gemm_metadata[0]);
  return 0;
}""")
llc = shutil.which("llc-19") or shutil.which("llc")
if llc is None:
    print("not checked with gemm.ll: no llc")
else:
    subprocess.run([llc, "-filetype=obj", "-relocation-model=pic", file("gemm.ll"), "-o", file("gemm-ll.o")], check=True)
for kernel in ("gemm.so", "gemm.o", "gemm.s", *(["gemm-ll.o"] if llc else [])):
    subprocess.run(["cc", "-std=c11", file("user.c"), file(kernel), "-o", file("user")], check=True)
    out = subprocess.run([file("user")], check=True, capture_output=True, text=True).stdout
    expect(out == "64 {\n", f"a C program uses {kernel}: {out!r}")
expect(temp_files() == [], f"nothing is left: {temp_files()}")
