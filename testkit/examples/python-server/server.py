#!/usr/bin/env python3
"""A single-node server in Python's standard library that keeps every promise of stage 1.

It shows how to plug in a server of your own, in any language:

    java -jar testkit/target/testkit.jar --stage 1 \\
        --server 'python3 testkit/examples/python-server/server.py --port {port} --data {data}'

A server must take its port and its data directory from its command line, answer GET /v0/status with 200 once it is up,
and end with exit code 0 on SIGTERM. All else is the HTTP contract (docs/reference/http.md).

How it works: every write is appended to one log file, and an index in memory knows where in the log the newest value of
each key is. Each connection has a thread. Bytes written to the log are handed to the operating system before a write is
acknowledged, and so they survive kill -9.
"""

import argparse
import bisect
import fcntl
import os
import re
import signal
import socket
import struct
import sys
import threading
import time
import zlib

KEY_BYTES_MAX = 1024
VALUE_BYTES_MAX = 16 << 20
HEAD_BYTES_MAX = 32 << 10
STOP_SECONDS = 3  # What answers on their way have when the server stops.

TEXT = "Content-Type: text/plain; charset=utf-8"
REASONS = {200: "OK", 201: "Created", 202: "Accepted", 400: "Bad Request", 404: "Not Found",
           405: "Method Not Allowed", 411: "Length Required", 413: "Content Too Large",
           431: "Request Header Fields Too Large"}


class Log:
    """Entries on disk, one after the other, little-endian; the newest of a key counts:

        | crc32 4B | keyLength 4B | valueLength 4B | key | value |

    The checksum covers all that follows it. valueLength DELETED marks a deletion; no value follows.
    """

    HEADER = struct.Struct("<III")
    DELETED = 0xFFFFFFFF

    def __init__(self, directory):
        os.makedirs(directory, exist_ok=True)
        self.lock_file = open(os.path.join(directory, "lock"), "w")
        try:
            fcntl.flock(self.lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"data={directory} is in use by another server")
        self.file = os.open(os.path.join(directory, "log"), os.O_RDWR | os.O_CREAT)
        self.mutex = threading.Lock()  # Guards what follows, and appending.
        self.index = {}  # key -> (offset, length) of its newest value
        self.keys = []  # the keys of the index, sorted
        self.end = 0
        self.recover()

    def recover(self):
        """Reads the log from its start. A record that a crash has cut short at the end is cut off."""
        size = os.fstat(self.file).st_size
        while self.end < size:
            header = os.pread(self.file, self.HEADER.size, self.end)
            if len(header) < self.HEADER.size:
                break
            checksum, key_length, value_length = self.HEADER.unpack(header)
            length = key_length + (0 if value_length == self.DELETED else value_length)
            if self.end + self.HEADER.size + length > size:
                break
            body = os.pread(self.file, length, self.end + self.HEADER.size)
            if zlib.crc32(header[4:] + body) != checksum:
                sys.exit(f"file=log offset={self.end}: checksum mismatch")
            self.remember(body[:key_length], value_length)
        if self.end < size:
            print(f"file=log offset={self.end}: cut off a torn tail of {size - self.end} bytes", file=sys.stderr)
            os.ftruncate(self.file, self.end)
        self.keys = sorted(self.index)

    def remember(self, key, value_length):
        start = self.end + self.HEADER.size + len(key)
        if value_length == self.DELETED:
            self.index.pop(key, None)
            self.end = start
        else:
            self.index[key] = (start, value_length)
            self.end = start + value_length

    def write(self, key, value):
        """Puts, or deletes where value is None."""
        length = self.DELETED if value is None else len(value)
        lengths = struct.pack("<II", len(key), length)
        checksum = zlib.crc32(value or b"", zlib.crc32(lengths + key))
        record = memoryview(struct.pack("<I", checksum) + lengths + key + (value or b""))
        with self.mutex:
            written = 0
            while written < len(record):
                written += os.pwrite(self.file, record[written:], self.end + written)
            known = key in self.index
            self.remember(key, length)
            if known and value is None:
                del self.keys[bisect.bisect_left(self.keys, key)]
            elif not known and value is not None:
                bisect.insort(self.keys, key)

    def get(self, key):
        place = self.index.get(key)
        return None if place is None else self.read(place)

    def read(self, place):
        offset, length = place
        return os.pread(self.file, length, offset)

    def range(self, start, end):
        """Keys and places as they are now. A place in the log never changes: this is a snapshot."""
        with self.mutex:
            first = bisect.bisect_left(self.keys, start)
            last = len(self.keys) if end is None else bisect.bisect_left(self.keys, end)
            return [(key, self.index[key]) for key in self.keys[first:last]]


class Fault(Exception):
    """A request that is answered with an error; out of step means that the connection can't go on."""

    def __init__(self, status, message, out_of_step=False, headers=()):
        super().__init__(message)
        self.status, self.out_of_step, self.headers = status, out_of_step, headers


def key_of(query, name):
    """The bytes of a parameter, or None where it isn't there. Neither '+' nor anything but %XX is decoded."""
    for pair in query.split(b"&"):
        if pair.startswith(name + b"="):
            raw = pair[len(name) + 1:]
            if re.search(rb"%(?![0-9a-fA-F]{2})", raw):
                raise Fault(400, f"{name.decode()}: malformed percent-encoding")
            key = re.sub(rb"%(..)", lambda hex_digits: bytes([int(hex_digits[1], 16)]), raw, flags=re.DOTALL)
            try:
                key.decode("utf-8")
            except UnicodeDecodeError:
                raise Fault(400, f"{name.decode()}: malformed UTF-8") from None
            if not 1 <= len(key) <= KEY_BYTES_MAX:
                raise Fault(400, f"{name.decode()} has {len(key)} bytes, allowed are 1 to {KEY_BYTES_MAX}")
            return key
    return None


def required_key_of(query, name):
    key = key_of(query, name)
    if key is None:
        raise Fault(400, f"{name.decode()} is missing")
    return key


class Request:
    """The head of a request. Faults found here leave the connection out of step."""

    def __init__(self, head):
        line, *headers = head.rstrip(b"\r\n").split(b"\r\n")
        match = re.fullmatch(rb"([A-Z]+) ([^ ?]+)\??([^ ]*) HTTP/1\.([01])", line)
        if not match:
            raise Fault(400, "this is no HTTP/1.1 request", out_of_step=True)
        self.method, self.path, self.query, minor = match.groups()
        fields = {}
        for header in headers:
            name, _, value = header.partition(b":")
            fields.setdefault(name.lower(), []).append(value.strip().lower())
        self.length = self.content_length(fields)
        self.keep_alive = minor == b"1" and b"close" not in fields.get(b"connection", [])
        self.expects_continue = b"100-continue" in fields.get(b"expect", []) and self.length > 0

    @staticmethod
    def content_length(fields):
        lengths = fields.get(b"content-length", [])
        if b"transfer-encoding" in fields:
            raise Fault(400 if lengths else 411, "chunked bodies are not taken: send a Content-Length", out_of_step=True)
        if len(set(lengths)) > 1 or not all(re.fullmatch(rb"[0-9]{1,20}", length) for length in lengths):
            raise Fault(400, "Content-Length is not one number", out_of_step=True)
        length = int(lengths[0]) if lengths else 0
        if length > VALUE_BYTES_MAX:
            raise Fault(413, f"the value has {length} bytes, allowed are {VALUE_BYTES_MAX}", out_of_step=True)
        return length


class Connection:
    """Requests in, answers out, one after the other, on a thread of its own."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        self.reader = client.makefile("rb")
        self.answering = False

    def run(self):
        try:
            client = self.client
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while self.serve_one() and not self.server.stopping:
                pass
            client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The client is gone, or the server stops.
        finally:
            self.client.close()
            self.server.connections.discard(self)

    def serve_one(self):
        """False at the end of the connection."""
        try:
            head = self.read_head()
            if head is None:
                return False
            request = Request(head)
            if request.expects_continue:
                self.client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = self.reader.read(request.length)
            if len(body) < request.length:
                return False
            self.answering = True
            self.answer(request, body)
            return request.keep_alive
        except Fault as fault:
            head_only = not fault.out_of_step and request.method == b"HEAD"
            self.send(fault.status, f"{fault}\n".encode(), TEXT, *fault.headers, head_only=head_only)
            return not fault.out_of_step and request.keep_alive
        finally:
            self.answering = False

    def read_head(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.reader.readline(HEAD_BYTES_MAX)
            if not line:
                return None
            head += line
            if len(head) >= HEAD_BYTES_MAX:
                raise Fault(431, f"the head has more than {HEAD_BYTES_MAX} bytes", out_of_step=True)
        return head

    def answer(self, request, body):
        methods = {b"/v0/status": self.STATUS, b"/v0/entity": self.ENTITY, b"/v0/entities": self.ENTITIES}.get(request.path)
        if methods is None:
            raise Fault(400, "unknown path")
        if request.method not in methods:
            allow = b", ".join(methods).decode()
            raise Fault(405, f"allowed are {allow}", headers=[f"Allow: {allow}"])
        methods[request.method](self, request.query, body)

    def status(self, query, body):
        self.send(200, b"ok\n", TEXT)

    def get(self, query, body):
        value = self.server.log.get(required_key_of(query, b"id"))
        if value is None:
            self.send(404, b"no such key\n", TEXT)
        else:
            self.send(200, value)

    def put(self, query, body):
        self.server.log.write(required_key_of(query, b"id"), body)
        self.send(201, b"")

    def delete(self, query, body):
        self.server.log.write(required_key_of(query, b"id"), None)
        self.send(202, b"")

    def range(self, query, body):
        entries = self.server.log.range(required_key_of(query, b"start"), key_of(query, b"end"))
        self.client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for key, place in entries:
            entry = key + b"\n" + self.server.log.read(place)
            self.client.sendall(b"%x\r\n%b\r\n" % (len(entry), entry))
        self.client.sendall(b"0\r\n\r\n")

    STATUS = {b"GET": status}
    ENTITY = {b"GET": get, b"PUT": put, b"DELETE": delete}
    ENTITIES = {b"GET": range}

    def send(self, status, body, *headers, head_only=False):
        lines = [f"HTTP/1.1 {status} {REASONS[status]}", f"Content-Length: {len(body)}", *headers, "", ""]
        self.client.sendall("\r\n".join(lines).encode() + (b"" if head_only else body))


class Server:
    def __init__(self, port, directory):
        self.stopping = False
        self.connections = set()
        self.log = Log(directory)
        self.listener = socket.create_server(("127.0.0.1", port), backlog=1024)

    def run(self):
        signal.signal(signal.SIGTERM, self.stop)
        print(f"ready http://127.0.0.1:{self.listener.getsockname()[1]}", flush=True)
        while not self.stopping:
            try:
                connection = Connection(self, self.listener.accept()[0])
            except OSError:
                break  # The listener is closed.
            self.connections.add(connection)
            threading.Thread(target=connection.run, daemon=True).start()
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and any(connection.answering for connection in list(self.connections)):
            time.sleep(0.01)
        os._exit(0)  # Clients that wait for nothing, or read nothing, don't hold it.

    def stop(self, *_):
        self.stopping = True
        self.listener.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A single-node key-value server.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    arguments = parser.parse_args()
    threading.stack_size(256 << 10)
    Server(arguments.port, arguments.data).run()
