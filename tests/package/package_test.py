"""What is installed can be used by a program outside of the tree, found by CMake and by pkg-config."""
import os, shlex, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import e2e

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "consumer")
PREFIX = e2e.file("prefix")
# The installed programs from here on, not those of the build.
BUILD = os.path.dirname(e2e.BIN.rstrip("/"))
e2e.BIN = os.path.join(PREFIX, "bin")


def shell(*args, env=None):
    p = subprocess.run(args, capture_output=True, text=True, env={**os.environ, **(env or {})})
    e2e.expect(p.returncode == 0, f"{' '.join(args)}: exit {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


shell("cmake", "--install", BUILD, "--prefix", PREFIX)
record = e2e.alt("tune", e2e.SMALL, "--threads=1", "--trials=8", f"--db={e2e.file('a.db')}")["best"]["record"]
e2e.alt("compile", e2e.SMALL, "--threads=1", "-o", e2e.file("gemm.so"), f"--db={e2e.file('a.db')}")
port = e2e.free_port()
e2e.start("alt-server", f"--db={e2e.file('a.db')}", f"--listen=127.0.0.1:{port}", log="server.log")
e2e.wait_until(lambda: e2e.listens(port), "the server listens")

shell("cmake", "-S", SOURCE, "-B", e2e.file("consumer"), f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_BUILD_TYPE=Debug")
shell("cmake", "--build", e2e.file("consumer"))
use = [f"127.0.0.1:{port}", e2e.file("gemm.so"), e2e.SMALL]
found = shell(e2e.file("consumer/consumer"), *use)
e2e.expect(found.split() == ["record", record, "error", "0"], f"the consumer found by CMake printed {found!r}")

flags = shlex.split(shell("pkg-config", "--cflags", "--libs", "alt", env={"PKG_CONFIG_PATH": os.path.join(PREFIX, "lib", "pkgconfig")}))
shell(os.environ.get("CXX", "c++"), "-std=c++20", os.path.join(SOURCE, "consumer.cc"), "-o", e2e.file("consumer_pc"), *flags)
found = shell(e2e.file("consumer_pc"), *use)
e2e.expect(found.split() == ["record", record, "error", "0"], f"the consumer found by pkg-config printed {found!r}")
