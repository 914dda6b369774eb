"""What the host lacks, or lends to others, is told to who waits for it, and is no outcome of a candidate."""
import fcntl, resource
from e2e import *


def text(name):
    with open(file(name)) as f:
        return f.read()


def says(name, *words):
    return all(word in text(name) for word in words)


port = free_port()
server = start("alt-server", f"--db={file('a.db')}", f"--listen=127.0.0.1:{port}", log="server.log")
wait_until(lambda: listens(port), "server listens")
at = f"--server=127.0.0.1:{port}"

# A worker without descriptors: nothing that it measured stays, and another worker does all of it.
few = start("alt-worker", at, "--name=few", log="few.log",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (22, 22)))
tune = start("alt", "tune", SMALL, "--threads=1", "--trials=8", at, log="tune.log")
wait_until(lambda: says("tune.log", "waiting", "Too many open files"), f"the job says what its worker lacks")
stop(few)
worker = start("alt-worker", at, log="worker.log")
expect(tune.wait(300) == 0, f"another worker goes on: {text('tune.log')}")
expect(says("tune.log", "OK 8"), f"no trial was lost: {text('tune.log')}")

# Somebody holds the device's lock.
with open("/tmp/alt-device-cpu0.lock") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    tune = start("alt", "tune", SMALL, "--threads=1", "--trials=8", "--seed=2", at, log="held.log")
    wait_until(lambda: says("held.log", "waiting for cpu:0", f"held by pid {os.getpid()} ("),
               "the job says who holds the device")
expect(tune.wait(300) == 0, f"it goes on when the lock is free: {text('held.log')}")
expect(stop(worker) == 0 and stop(server) == 0, "both drain")

# Nobody listens, or somebody else does.
lonely = start("alt-worker", f"--server=127.0.0.1:{port}", log="lonely.log")
wait_until(lambda: says("lonely.log", f"cannot reach the server 127.0.0.1:{port}: connection refused"),
           "a refused connection is said", 10)
expect(stop(lonely) == 0, "a worker without a server can be stopped")
with socket.create_server(("127.0.0.1", port)):
    err = run("alt-server", f"--db={file('b.db')}", f"--listen=127.0.0.1:{port}", code=1)[1]
    expect("ddress already in use" in err and "--listen" in err and len(err.splitlines()) == 1,
           f"one sentence about a port that is taken: {err}")
expect(temp_files() == [], f"nothing is left: {temp_files()}")
