"""Helpers of the end-to-end tests: start the real programs, look at one fact. ALT_BIN names their folder."""
import atexit, json, os, shutil, signal, socket, subprocess, sys, tempfile, time

BIN = os.environ["ALT_BIN"]
SCRATCH = tempfile.mkdtemp(prefix="alt-e2e-")
# A state folder and a folder for temporary files of our own: nothing is left behind elsewhere.
ENV = {**os.environ, "XDG_STATE_HOME": os.path.join(SCRATCH, "state"), "TMPDIR": os.path.join(SCRATCH, "tmp")}
os.mkdir(ENV["TMPDIR"])
SMALL = "matmul:m=32,n=32,k=32"
_children = []


def _cleanup():
    for child in _children:
        if child.poll() is None:
            child.kill()
            child.wait()
    shutil.rmtree(SCRATCH, ignore_errors=True)


atexit.register(_cleanup)


def file(name):
    return os.path.join(SCRATCH, name)


def expect(fact, what):
    if not fact:
        sys.exit(f"FAILED: {what}")


def start(program, *args, log=None, **kwargs):
    out = open(file(log), "ab") if log else subprocess.PIPE
    err = out if log else subprocess.PIPE
    child = subprocess.Popen([os.path.join(BIN, program), *map(str, args)], stdout=out, stderr=err, env=ENV, **kwargs)
    _children.append(child)
    return child


def run(program, *args, code=0, timeout=240):
    """Runs to the end; returns (stdout, stderr)."""
    child = start(program, *args)
    try:
        out, err = (text.decode() for text in child.communicate(timeout=timeout))
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = (text.decode() for text in child.communicate())
        sys.exit(f"FAILED: {program} {args} did not end in {timeout} s\n{out}\n{err}")
    expect(child.returncode == code, f"{program} {args}: exit {child.returncode}, wanted {code}\n{out}\n{err}")
    return out, err


def alt(*args, code=0, **kwargs):
    """The JSON object that `alt ... --json` prints."""
    out, err = run("alt", *args, "--json", code=code, **kwargs)
    try:
        return json.loads(out)
    except ValueError:
        sys.exit(f"FAILED: alt {args} printed no JSON: {out!r}\n{err}")


def wait_until(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(0.05)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def stop(child, sig=signal.SIGTERM, timeout=60):
    child.send_signal(sig)
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        sys.exit(f"FAILED: {child.args} does not end after {sig}")


def temp_files():
    return os.listdir(ENV["TMPDIR"])
