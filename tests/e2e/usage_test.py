"""What cannot be done is refused with its exit code, a reason and advice."""
import subprocess
from e2e import *

BAD = ["conv2d:n=1,cin=64", "conv9d:n=1", "conv2d:n=1,ic=0,ih=5,iw=5,oc=4,kh=3,kw=3",
       "conv2d:n=1,ic=4,ih=2,iw=2,oc=4,kh=5,kw=5", "matmul:m=99999999999999999999,n=1,k=1",
       "conv2d:n=1,ic=6,ih=8,iw=8,oc=8,kh=3,kw=3,groups=4", ""]
for bad in BAD:
    out, err = run("alt", "tune", bad, "--db", file("a.db"), code=2)
    expect(out == "" and err.startswith("alt: ") and "why: " in err, f"explains {bad!r}: {err}")
expect(not os.path.exists(file("a.db")), "a bad workload starts no server")

expect("did you mean 'tune'" in run("alt", "tuen", code=2)[1], "suggests a command")
expect("did you mean '--trials'" in run("alt", "tune", SMALL, "--trails=3", code=2)[1], "suggests an option")
run("alt", code=2)
run("alt", "tune", code=2)
run("alt", "tune", SMALL, "--trials=-1", code=2)
run("alt", "tune", SMALL, "--trials=x", code=2)
run("alt", "tune", SMALL, "--time-limit=soon", code=2)
run("alt", "tune", SMALL, "--fix=zz=plain", code=2)
expect("cores" in run("alt", "tune", SMALL, "--threads=1024", "--db", file("a.db"), code=2)[1],
       "what nobody here can measure is not waited for")
# One core of several: the limit is named, and where it comes from.
if len(os.sched_getaffinity(0)) > 1:
    cpu = str(min(os.sched_getaffinity(0)))
    bound = subprocess.run(["taskset", "-c", cpu, os.path.join(BIN, "alt"), "tune", SMALL, "--threads=2", "--db", file("a.db")],
                           env=ENV, capture_output=True, text=True)
    expect(bound.returncode == 2 and "affinity" in bound.stderr, bound.stderr)
run("alt", "peak", "--target=cpu:mcpu=core2", "--db", file("a.db"), code=2)
run("alt", "tune", SMALL, "--policy=magic", "--db", file("a.db"), code=2)
run("alt", "tune", SMALL, "--db", file("a.db"), "--server=127.0.0.1:1", code=2)
run("alt", "compile", SMALL, "-o", file("x.exe"), code=2)
run("alt", "query", SMALL, "--db", "/no/such/folder/a.db", code=2)
run("alt", "show", "0123456789abcdef", "--db", file("a.db"), code=1)
run("alt", "replay", "j77", "--db", file("a.db"), code=1)
run("alt", "replay", "77", "--db", file("a.db"), code=2)
run("alt", "show", "no-such-file.alt", "--db", file("a.db"), code=2)
error = alt("query", "conv2d:n=1", code=2)["error"]
expect(error["code"] == 2 and "conv2d:n=1" in error["message"] and error["fix"], str(error))

# A folder for temporary files that is not there, limits that leave no room for threads.
child = subprocess.run([os.path.join(BIN, "alt"), "db", "stats", "--db", file("a.db")], env={**ENV, "TMPDIR": "/nonexistent"},
                       capture_output=True, text=True)
expect(child.returncode == 1 and "fix: set TMPDIR" in child.stderr, child.stderr)
child = subprocess.run(["bash", "-c", 'ulimit -s 100000; ulimit -v 400000; exec "$@"', "bash", os.path.join(BIN, "alt"), "db", "stats", "--db", file("a.db")],
                       env=ENV, capture_output=True, text=True, timeout=60)
expect(child.returncode == 1 and "ulimit" in child.stderr, f"{child.returncode} {child.stderr}")

# What somebody may only read: questions are answered, changes are denied.
run("alt", "query", SMALL, "--db", file("a.db"))
nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
os.chmod(os.path.dirname(file("a.db")), 0o755)
os.chmod(file("a.db"), 0o644)
if os.geteuid() != 0 or subprocess.run([*nobody, "test", "-x", os.path.join(BIN, "alt")]).returncode != 0:
    print("not checked as another user: this machine lets us become none")
else:
    env = {**ENV, "HOME": "/nonexistent", "TMPDIR": "/tmp"}
    other = lambda *args: subprocess.run([*nobody, os.path.join(BIN, "alt"), *args, "--db", file("a.db")], env=env, capture_output=True, text=True, timeout=60)
    child = other("query", SMALL)
    expect(child.returncode == 0 and "reading a copy" in child.stderr, f"{child.returncode} {child.stderr}")
    child = other("tune", SMALL, "--threads=1")
    expect(child.returncode == 5 and "Permission denied" in child.stderr, f"{child.returncode} {child.stderr}")
    os.chmod(file("a.db"), 0o600)
    child = other("query", SMALL)
    expect(child.returncode == 5 and "in use" not in child.stderr, f"{child.returncode} {child.stderr}")
run("alt", "run", file("none.so"), "--check", code=2)
expect("Usage" in run("alt", "--help")[0] and "Usage" in run("alt", "tune", "--help")[0], "helps on stdout")
for program in ("alt", "alt-server", "alt-worker"):
    expect(run(program, "--version")[0].startswith(program + " 0."), f"{program} tells its version")

out, err = run("alt", "db", "stats", f"--server=127.0.0.1:{free_port()}", code=3)
expect("connection refused" in err and "fix: " in err, f"says what to do about a server that is away: {err}")

run("alt-worker", "--device=cuda:0", code=6)
run("alt-worker", "--device=tpu:0", code=2)
run("alt-worker", "--threads=100000", code=2)
run("alt-server", "--listen=7440", "--db", file("b.db"), code=2)
expect("--insecure" in run("alt-server", "--listen=127.0.0.1:0", "--http=0.0.0.0:0", "--db", file("b.db"), code=2)[1],
       "metrics stay on this machine unless told otherwise")
run("alt-server", "--nonsense", code=2)

port = free_port()
server = start("alt-server", f"--db={file('c.db')}", f"--listen=127.0.0.1:{port}", log="server.log")
wait_until(lambda: listens(port), "server listens")
out, err = run("alt-server", f"--db={file('c.db')}", f"--listen=127.0.0.1:{free_port()}", code=4)
expect(str(server.pid) in err, f"names who holds the database: {err}")
expect(alt("db", "stats", "--db", file("c.db"))["records"] == 0, "--db finds the holder")
run("alt-server", f"--db={file('d.db')}", f"--listen=127.0.0.1:{port}", code=1)
expect(stop(server) == 0, "server drains")
expect(temp_files() == [], f"nothing is left: {temp_files()}")
