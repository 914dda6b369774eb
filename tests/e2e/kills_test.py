"""A worker and then the server are killed in mid job: the job and its client go on."""
import threading, urllib.request
from e2e import *

port, http = free_port(), free_port()
at = f"127.0.0.1:{port}"
TRIALS = 120


def start_server():
    child = start("alt-server", f"--db={file('s.db')}", f"--listen={at}", f"--http=127.0.0.1:{http}", log="server.log")
    wait_until(lambda: listens(port), "server listens")
    return child


def start_worker(name):
    return start("alt-worker", f"--server={at}", "--device=cpu:0", "--threads=1", f"--name={name}", log=f"{name}.log")


def records():
    return alt("db", "stats", "--server", at)["records"]


server = start_server()
workers = [start_worker("w0"), start_worker("w1")]
job = {}
# The target is that of the workers, which may not have come yet.
client = threading.Thread(target=lambda: job.update(
    alt("tune", SMALL, f"--trials={TRIALS}", "--policy=random", "--server", at)))
client.start()
wait_until(lambda: not client.is_alive() or records() >= 10, "first records")
workers[0].kill()
wait_until(lambda: not client.is_alive() or records() >= 30, "more records")
expect(client.is_alive(), "the kills come in mid job")
seen = records()
server.kill()
server.wait()
server = start_server()
expect(records() >= seen, "no record that was seen is lost")
client.join(300)
expect(sum(job.get("outcomes", {}).values()) == TRIALS and job.get("best"), str(job))
expect(job["outcomes"].get("OK", 0) > 0, str(job["outcomes"]))
expect(alt("db", "stats", "--server", at)["duplicates"] == 0, "nothing is measured twice")
names = [w["name"] for w in alt("workers", "--server", at)["workers"]]
expect("w1" in names, f"the living worker is there: {names}")
page = urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=10).read().decode()
expect("alt_server_records" in page, page[:200])
expect(stop(workers[1]) == 0, "worker drains")
expect(stop(server) == 0, "server drains")
