#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the runtime as conmon does, and is stricter than conmon.

usage: fake_conmon.py REPORT [option]... -- RUNTIME [globals] create|exec [flags] ID

A sub-reaper that runs `create` (then `start`) or `exec --detach` with pipes as stdout and
stderr, reads the pid-file, and waits for exactly that process. The flags --pid-file and, with
--terminal, --console-socket are added. Options:

    --terminal        listen on a console socket: one connection, one message, one descriptor
    --type TEXT       type TEXT (with the escapes of a Python string) at the terminal
    --size RxC        resize the terminal half a second after the start
    --stdin TEXT      give TEXT on stdin, then its end
    --signal NAME     kill(2) the pid of the pid-file half a second after the start
    --pidfd           also ask for a pidfd, which must be the pid-file's process
    --no-start        after create, signal without a start

REPORT is one JSON object with what was seen. A broken rule is in "broken"; the status is then 1.
"""
import array
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

LIMIT = 20
STDERR_ONCE = 8191  # conmon's one read of the runtime's stderr
PR_SET_CHILD_SUBREAPER = 36
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def options(argv):
    opts = {"terminal": False, "type": None, "size": None, "stdin": None, "signal": None,
            "no-start": False, "pidfd": False}
    while argv[0] != "--":
        name = argv.pop(0)[2:]
        if isinstance(opts[name], bool):
            opts[name] = True
        else:
            opts[name] = argv.pop(0)
    return opts, argv[1:]


def text(s):
    return s.encode().decode("unicode_escape").encode("latin-1")


class Conmon:
    def __init__(self, opts, command):
        self.opts = opts
        self.command = command
        self.seen = {"broken": []}
        self.dir = tempfile.mkdtemp()
        self.pid_file = os.path.join(self.dir, "pid")
        self.verb = next(i for i, a in enumerate(command) if a in ("create", "exec"))
        self.socket = self.pidfd_socket = None
        self.master = None

    def broken(self, what):
        self.seen["broken"].append(what)

    def listen(self, name):
        path = os.path.join(self.dir, name)
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.bind(path)
        s.listen(5)
        s.settimeout(LIMIT)
        return s, path

    def argv(self):
        extra = ["--pid-file", self.pid_file]
        if self.command[self.verb] == "exec":
            extra.append("--detach")
        if self.opts["terminal"]:
            self.socket, path = self.listen("console")
            extra += ["--console-socket", path]
        if self.opts["pidfd"]:
            self.pidfd_socket, path = self.listen("pidfd")
            extra += ["--pidfd-socket", path]
        return self.command[:self.verb + 1] + extra + self.command[self.verb + 1:]

    def accept(self):
        """The rules of conmon and go-runc: anything but this shape is an error."""
        conn, _ = self.socket.accept()
        conn.settimeout(LIMIT)
        fds = array.array("i")
        data, control, flags, _ = conn.recvmsg(4096, socket.CMSG_SPACE(4 * 8))
        for level, kind, payload in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds.frombytes(payload[:len(payload) - len(payload) % fds.itemsize])
        self.seen["console"] = {"name": data.decode(), "messages": len(control), "fds": len(fds)}
        if not 0 < len(data) < 4096 or len(control) != 1 or len(fds) != 1 or flags & (
                socket.MSG_CTRUNC | socket.MSG_TRUNC):
            self.broken("console socket: not one message with one descriptor")
        if conn.recv(1) != b"":
            self.broken("console socket: a second message")
        self.socket.settimeout(0)
        try:
            self.socket.accept()
            self.broken("console socket: a second connection")
        except BlockingIOError:
            pass
        self.master = fds[0]
        if not os.isatty(self.master):
            self.broken("console socket: the descriptor is no terminal")
        self.seen["console"]["size"] = self.size()

    def size(self):
        rows, cols, _, _ = struct.unpack(
            "HHHH", fcntl.ioctl(self.master, termios.TIOCGWINSZ, b"\0" * 8))
        return f"{rows}x{cols}"

    def run_runtime(self):
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        in_read = os.open("/dev/null", os.O_RDWR)
        self.stdin = None
        if self.opts["stdin"] is not None:
            in_read, self.stdin = os.pipe()
        argv = self.argv()
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            os.dup2(in_read, 0)
            os.dup2(in_read if self.opts["terminal"] else out_write, 1)
            os.dup2(err_write, 2)
            os.closerange(3, 1024)
            os.execv(argv[0], argv)
        for fd in (in_read, out_write, err_write):
            os.close(fd)
        if self.stdin is not None:
            os.write(self.stdin, text(self.opts["stdin"]))
            os.close(self.stdin)
        if self.socket:
            try:
                self.accept()
            except socket.timeout:
                self.seen["console"] = None
        _, status = os.waitpid(pid, 0)
        self.seen["runtime_status"] = os.waitstatus_to_exitcode(status)
        self.seen["runtime_ms"] = int((time.monotonic() - started) * 1000)
        self.out, self.err = out_read, err_read

    def failed(self):
        started = time.monotonic()
        self.seen["stderr_once"] = os.read(self.err, STDERR_ONCE).decode()
        if time.monotonic() - started > 1:
            self.broken("the one read of stderr blocked")
        self.seen["pid_file"] = os.path.exists(self.pid_file)
        if self.seen["pid_file"]:
            self.broken("a pid-file of something that did not start")

    def read_pid(self):
        with open(self.pid_file, "rb") as f:
            data = f.read()
        self.seen["pid_bytes"] = data.decode()
        if not data.isdigit():
            self.broken("pid-file: not digits only")
        return int(data)

    def check_pidfd(self, pid):
        conn, _ = self.pidfd_socket.accept()
        _, control, _, _ = conn.recvmsg(4096, socket.CMSG_SPACE(4))
        fd = array.array("i", control[0][2])[0]
        with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as f:
            if f"Pid:\t{pid}\n" not in f.read():
                self.broken("the pidfd is of another process")

    def start(self):
        if self.command[self.verb] == "create" and not self.opts["no-start"]:
            r = subprocess.run(self.command[:self.verb] + ["start", self.command[-1]],
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                               check=False)
            self.seen["start_status"] = r.returncode
            self.seen["start_stderr"] = r.stderr.decode()

    def act(self, pid):
        if self.opts["type"]:
            time.sleep(0.3)
            os.write(self.master, text(self.opts["type"]))
        if self.opts["size"]:
            time.sleep(0.5)
            rows, cols = (int(n) for n in self.opts["size"].split("x"))
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        if self.opts["signal"]:
            time.sleep(0.5)
            os.kill(pid, getattr(signal, "SIG" + self.opts["signal"]))

    def collect(self, pid):
        """Reads until the end of every stream and until the tracked process is reaped."""
        streams = {self.err: "stderr"}
        streams[self.master if self.master is not None else self.out] = "stdout"
        if self.master is not None:
            os.close(self.out)
        text_of = {"stdout": b"", "stderr": b""}
        end = time.monotonic() + LIMIT
        ended = None
        while (streams or ended is None) and time.monotonic() < end:
            ready, _, _ = select.select(list(streams), [], [], 0.02)
            for fd in ready:
                try:
                    data = os.read(fd, 65536)
                except OSError:
                    data = b""
                text_of[streams[fd]] += data
                if not data:
                    del streams[fd]
            if ended is None:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done == pid:
                    ended = time.monotonic()
                    self.seen["wait"] = os.waitstatus_to_exitcode(status)
        if ended is None:
            self.broken("the tracked process did not end")
        elif streams:
            self.broken("stdio kept open: " + " ".join(streams.values()))
        else:
            self.seen["eof_after_ms"] = int((time.monotonic() - ended) * 1000)
        self.seen["stdout"] = text_of["stdout"].decode(errors="replace")
        self.seen["stderr"] = text_of["stderr"].decode(errors="replace")

    def children_left(self):
        """Processes whose supervisor was killed become children of this one. None may still run."""
        time.sleep(0.2)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            self.broken("a child of the container still runs")
        except ChildProcessError:
            pass

    def run(self):
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.run_runtime()
        if self.seen["runtime_status"] != 0:
            self.failed()
            return
        pid = self.read_pid()
        if self.pidfd_socket:
            self.check_pidfd(pid)
        self.seen["own_group"] = os.getpgid(pid) == pid
        self.start()
        self.act(pid)
        self.collect(pid)
        self.children_left()


def main():
    report = sys.argv[1]
    opts, command = options(sys.argv[2:])
    conmon = Conmon(opts, command)
    conmon.run()
    with open(report, "w", encoding="utf-8") as f:
        json.dump(conmon.seen, f, indent=1)
    sys.exit(1 if conmon.seen["broken"] else 0)


main()
