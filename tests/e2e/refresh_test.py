"""A database that comes from another compiler: refresh measures again what it answers."""
import sqlite3
from e2e import *

MASK = (1 << 64) - 1


def checksum(number, text):
    """Of a row (integer, text): server/store/checksum.h."""
    data, state = text.encode(), 0x2545F4914F6CDD1D
    words = [number & MASK, len(data)] + [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]
    for word in words:
        product = (state ^ word) * 0x9E3779B97F4A7C15
        state = (product & MASK) ^ (product >> 64) ^ 0xD6E8FEB86659FD93
    value = state ^ (state >> 32)
    return value - (1 << 64) if value >> 63 else value


db = ["--db", file("a.db")]
one = [*db, "--threads=1"]
tuned = alt("tune", SMALL, "--trials=8", "--policy=random", *one)
fixed = alt("tune", SMALL, "--trials=4", "--fix", "a=plain,c=plain", *one)
nothing = alt("db", "refresh", *db)
expect(nothing["stale"] == 0 and nothing["refreshed"] == [], f"nothing is stale yet: {nothing}")

with sqlite3.connect(file("a.db")) as c:
    for number, text in c.execute("select id, text from validators").fetchall():
        other = text.replace("llvm ", "llvm 1")
        expect(other != text, f"the compiler's version is there: {text}")
        c.execute("update validators set text=?, checksum=? where id=?", (other, checksum(number, other), number))
c.close()
expect(alt("db", "verify", *db)["ok"] is True, "it reads as written by another compiler")
before = alt("query", SMALL, *one)
expect(before["source"] != "exact" and "llvm" in before["reason"], f"no exact answer, and why: {before}")

again = alt("db", "refresh", "--top=2", *db)
expect(again["stale"] == 2 and len(again["refreshed"]) == 2, f"with and without fixed layouts: {again}")
expect(all("llvm" in task["reason"] and task["latency_ns"]["median"] > 0 for task in again["refreshed"]), str(again))
after = alt("query", SMALL, *one)
expect(after["source"] == "exact", f"exact again: {after}")
expect(after["record"] == again["refreshed"][0]["record"], "the one that the comparison found best")
expect(alt("query", SMALL, "--fix", "a=plain,c=plain", *one)["source"] == "exact", "under fixed layouts too")
expect(alt("db", "refresh", *db)["stale"] == 0, "nothing is left to do")
expect(alt("replay", again["refreshed"][0]["job"], *db)["identical"] is True, "the job repeats")
run("alt", "db", "refresh", "--top=0", *db, code=2)
run("alt", "db", "stats", "--top=2", *db, code=2)
