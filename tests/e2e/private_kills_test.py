"""The private server and worker are killed in mid job: `alt tune` starts others and goes on."""
from e2e import *

db = file("a.db")
TRIALS = 200


def children(pid):
    """{program: pid} of its child processes."""
    out = {}
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/status") as status:
                fields = dict(line.split(":", 1) for line in status.read().splitlines() if ":" in line)
            if int(fields["PPid"]) == pid:
                out[fields["Name"].strip()] = int(entry)
        except (OSError, KeyError, ValueError):
            continue
    return out


def records():
    return alt("db", "stats", "--db", db)["records"]


tune = start("alt", "tune", SMALL, f"--trials={TRIALS}", "--policy=random", "--threads=1", "--db", db, "--json")
wait_until(lambda: tune.poll() is not None or records() > 8, "some trials")
for program, more in (("alt-worker", 30), ("alt-server", 60)):
    expect(tune.poll() is None, f"{program} is killed in mid job: {tune.communicate()[1].decode() if tune.poll() is not None else None}")
    os.kill(children(tune.pid)[program], signal.SIGKILL)
    wait_until(lambda: tune.poll() is not None or records() > more, f"trials after {program} was killed")
out, err = (text.decode() for text in tune.communicate(timeout=240))
expect(tune.returncode == 0, f"exit {tune.returncode}: {err}")
expect("starting another one" in err and "the job goes on" in err, err)
job = json.loads(out)
expect(sum(job["outcomes"].values()) == TRIALS, str(job["outcomes"]))
stats = alt("db", "stats", "--db", db)
expect(stats["duplicates"] == 0 and stats["records"] >= TRIALS, str(stats))
# What was killed could not clean up after itself.
left = [name for name in temp_files() if not name.startswith("alt-link-")]
expect(left == [], f"nothing is left: {left}")
