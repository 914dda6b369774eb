"""A database that was damaged: the rest is served, verify says what is wrong, recover leaves a clean one."""
import sqlite3
from e2e import *

db = ["--db", file("a.db")]
one = [*db, "--threads=1"]
tuned = alt("tune", SMALL, "--trials=8", "--policy=random", *one)
other = alt("tune", SMALL.replace("m=32", "m=48"), "--trials=4", "--policy=random", *one)
records = alt("db", "stats", *db)["records"]

best = tuned["best"]["record"]
expect(alt("db", "delete", best[:8], *db)["deleted"] == best, "a record is deleted by the beginning of its id")
run("alt", "db", "delete", best, *db, code=1)
run("alt", "db", "delete", *db, code=2)
expect(alt("query", SMALL, *one)["record"] != best, "another one is the answer")
expect(alt("db", "stats", *db)["records"] == records - 1, "one less")

expect("nothing is wrong" in run("alt", "db", "recover", *db)[0], "recover leaves a sound file alone")
expect(not os.path.exists(file("a.db.damaged")), "and keeps no copy")

with sqlite3.connect(file("a.db")) as c:
    c.execute("update records set candidate='gibberish' where key=?", (other["best"]["record"],))
c.close()
expect(alt("query", SMALL, *one)["source"] == "exact", "the rest is served")
damage = alt("db", "stats", *db)["damage"]
expect(len(damage) == 1 and other["best"]["record"] in damage[0], f"stats tell of it: {damage}")
out, err = run("alt", "db", "verify", *db, code=1)
expect(f"record {other['best']['record']} is damaged" in out + err and "db recover" in err, f"says which record, and what to do: {out}{err}")

server = start("alt-server", "--db", file("a.db"), "--listen=unix:" + file("s"), log="server.log")
wait_until(lambda: os.path.exists(file("s")), "the server listens")
out, err = run("alt", "db", "recover", *db, code=4)
expect(f"pid {server.pid}" in err, f"not while a server has it: {err}")
server.terminate()
server.wait(30)

recovered = alt("db", "recover", *db)
expect(recovered["kept"] == file("a.db.damaged") and len(recovered["problems"]) == 1, str(recovered))
expect(recovered["records"] == records - 2, f"all records but those two: {recovered}")
expect(alt("db", "verify", *db)["ok"] is True, "clean")
expect(alt("replay", tuned["job"], *db)["identical"] is True, "the search still repeats")
run("alt", "db", "recover", "--server=127.0.0.1:1", code=2)
