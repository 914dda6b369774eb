"""Ctrl-C stops the job, keeps what was measured and says how to go on; resume does."""
from e2e import *

db = file("a.db")
TRIALS = 48
# Ctrl-C of a terminal goes to the whole foreground process group.
tune = start("alt", "tune", SMALL, f"--trials={TRIALS}", "--policy=random", "--threads=1", "--db", db, "--json", start_new_session=True)
wait_until(lambda: tune.poll() is not None or (os.path.exists(db) and alt("db", "stats", "--db", db)["records"] > 8), "some trials")
expect(tune.poll() is None, "the interrupt comes in mid job")
os.killpg(tune.pid, signal.SIGINT)
out, err = (text.decode() for text in tune.communicate(timeout=60))
expect(tune.returncode == 130, f"exit {tune.returncode}: {err}")
expect(f"alt resume j1 --db={db}" in err, err)
partial = json.loads(out)
expect(partial["job"] == "j1" and 0 < partial["trials"] == sum(partial["outcomes"].values()) and "best" in partial, out)
expect(partial["error"]["code"] == 130 and "resume j1" in partial["error"]["fix"], out)
kept = alt("db", "stats", "--db", db)["records"]
expect(kept > 8, f"{kept} records are kept")
expect(alt("jobs", "--db", db)["jobs"][0]["state"] == "stopped", "the job is stopped")
done = alt("resume", "j1", "--db", db)
expect(done["state"] == "succeeded" and sum(done["outcomes"].values()) == TRIALS, str(done["outcomes"]))
expect(alt("db", "stats", "--db", db)["duplicates"] == 0, "nothing is measured twice")
expect(alt("replay", "j1", "--db", db)["identical"] is True, "the search repeats")

# A client that is killed takes its server and worker along; the job waits to be resumed.
before = alt("db", "stats", "--db", db)["records"]
tune = start("alt", "tune", SMALL, "--trials=400", "--seed=2", "--policy=random", "--threads=1", "--db", db)
wait_until(lambda: alt("db", "stats", "--db", db)["records"] > before + 8, "more trials")
tune.kill()
tune.wait()
wait_until(lambda: alt("jobs", "--db", db)["jobs"][0]["state"] == "stopped", "the job is stopped")
expect([name for name in temp_files() if name.startswith("alt-client-")] == [], f"what the killed client left is swept: {temp_files()}")
