#!/usr/bin/env python3
"""A single-node server in Python's standard library that keeps every promise of stage 1.

It shows how to plug in a server of your own, in any language:

    java -jar testkit/target/testkit.jar --stage 1 \\
        --server 'python3 path/to/server.py --port {port} --data {data}'

A server takes its port and its data directory from its command line, answers GET /v0/status with
200 once it is up, and ends with exit code 0 on SIGTERM. All else is the HTTP contract
(docs/reference/http.md).

How it works: every write is appended to a log file, and an index in memory knows where in the log
each key's newest value is. Each connection has a thread. A write is acknowledged when it has been
handed to the operating system, and so it survives kill -9.
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
from http import HTTPStatus

KEY_BYTES_MAX = 1024
VALUE_BYTES_MAX = 16 << 20
LENGTHS = b"application/vnd.dht.entries"  # A range in this form says how long keys and values are.
HEAD_BYTES_MAX = 32 << 10
PART_BYTES = 16 << 10
CHUNKED = -1  # The length of a body that comes in chunks.
HEADER = re.compile(rb"[!-9;-~]+:")
CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})([ \t]*;.*)?")
STOP_SECONDS = 2  # What answers on their way have when the server stops.

TEXT = "Content-Type: text/plain; charset=utf-8"


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
        self.file = open(os.path.join(directory, "log"), "a+b")
        self.mutex = threading.Lock()  # Guards what follows, and appending.
        self.index = {}  # key -> (offset, length) of its newest value
        self.keys = []  # the keys of the index, sorted
        self.end = 0
        self.recover()

    def recover(self):
        """Reads the log from its start, and cuts off a record that a crash has cut short."""
        size = os.fstat(self.file.fileno()).st_size
        while self.end + self.HEADER.size <= size:
            header = self.read(self.end, self.HEADER.size)
            checksum, key_length, value_length = self.HEADER.unpack(header)
            length = key_length + (0 if value_length == self.DELETED else value_length)
            if self.end + self.HEADER.size + length > size:
                break
            body = self.read(self.end + self.HEADER.size, length)
            if zlib.crc32(header[4:] + body) != checksum:
                sys.exit(f"file=log offset={self.end}: checksum mismatch")
            self.remember(body[:key_length], value_length)
        if self.end < size:
            print(f"file=log offset={self.end}: cut off a torn tail", file=sys.stderr)
            self.file.truncate(self.end)
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
        with self.mutex:
            self.file.write(struct.pack("<I", checksum) + lengths + key + (value or b""))
            self.file.flush()  # From the process to the operating system.
            known = key in self.index
            self.remember(key, length)
            if known and value is None:
                del self.keys[bisect.bisect_left(self.keys, key)]
            elif not known and value is not None:
                bisect.insort(self.keys, key)

    def get(self, key):
        place = self.index.get(key)
        return None if place is None else self.read(*place)

    def read(self, offset, length):
        return os.pread(self.file.fileno(), length, offset)

    def range(self, start, end):
        """Keys and places as they are now. A place in the log never changes: this is a snapshot."""
        with self.mutex:
            first = bisect.bisect_left(self.keys, start)
            last = len(self.keys) if end is None else bisect.bisect_left(self.keys, end)
            return [(key, self.index[key]) for key in self.keys[first:last]]


class Fault(Exception):
    """What is answered with an error."""

    def __init__(self, status, message, *headers):
        super().__init__(message)
        self.status, self.headers = status, headers


class OutOfStep(Fault):
    """What ends the connection too: where the next request begins is not known."""


def key_of(query, name, optional=False):
    """The bytes of a parameter. Only %XX is decoded, once: a '+' stays a '+'."""
    pairs = [pair.partition(b"=") for pair in query.split(b"&")]
    named = [pair for pair in pairs if pair[0] == name]
    if len(named) > 1:
        raise Fault(400, f"{name.decode()} is given twice")
    values = [value for _, equals, value in named if equals]
    if not values:
        if optional:
            return None
        raise Fault(400, f"{name.decode()} is missing")
    if re.search(rb"%(?![0-9a-fA-F]{2})", values[0]):
        raise Fault(400, f"{name.decode()}: malformed percent-encoding")
    key = re.sub(rb"%(..)", lambda match: bytes.fromhex(match[1].decode()), values[0])
    try:
        key.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault(400, f"{name.decode()}: malformed UTF-8") from None
    if not 1 <= len(key) <= KEY_BYTES_MAX:
        raise Fault(400, f"{name.decode()} has {len(key)} bytes, allowed are 1 to {KEY_BYTES_MAX}")
    return key


def with_length(data):
    return len(data).to_bytes(4, "big") + data


class Request:
    """The head of a request. Faults found here leave the connection out of step."""

    def __init__(self, head):
        line, *headers = head.rstrip(b"\r\n").split(b"\r\n")
        match = re.fullmatch(rb"([A-Z]+) ([^ ?]+)\??([^ ]*) HTTP/1\.([01])", line)
        if not match:
            raise OutOfStep(400, "this is no HTTP/1.1 request")
        self.method, target, self.query, minor = match.groups()
        self.path = re.sub(rb"^(?i:http)://[^/]*", b"", target)  # Proxies name scheme and host, too.
        fields = {}
        for header in headers:
            if not HEADER.match(header):
                raise OutOfStep(400, "malformed header line")
            name, _, value = header.partition(b":")
            fields.setdefault(name.lower(), []).append(value.strip().lower())
        self.length = self.content_length(fields)
        self.accepted = b",".join(fields.get(b"accept", []))
        self.keep_alive = minor == b"1" and b"close" not in fields.get(b"connection", [])
        self.expects_continue = b"100-continue" in fields.get(b"expect", []) and self.length != 0

    def accepts(self, media_type):
        for each in self.accepted.split(b","):
            name, *parameters = [part.strip() for part in each.split(b";")]
            if name == media_type and not any(re.fullmatch(rb"q=0(\.0*)?", part) for part in parameters):
                return True
        return False

    @staticmethod
    def content_length(fields):
        lengths = fields.get(b"content-length", [])
        codings = fields.get(b"transfer-encoding")
        if codings:
            if lengths or codings != [b"chunked"]:
                raise OutOfStep(400, "the body needs either a Content-Length or chunks")
            return CHUNKED
        length = b",".join(lengths or [b"0"])
        if not re.fullmatch(rb"[0-9]{1,20}", length):
            raise OutOfStep(400, "Content-Length is not one number")
        if int(length) > VALUE_BYTES_MAX:
            raise OutOfStep(413, f"the value has more than {VALUE_BYTES_MAX} bytes")
        return int(length)


class Connection:
    """Requests in, answers out, one after the other, on a thread of its own."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        self.reader = client.makefile("rb")
        self.answering = False

    def run(self):
        try:
            self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while self.serve_one() and not self.server.stopping:
                pass
        except OSError:
            pass  # The client is gone, or the server stops.
        finally:
            self.close()

    def close(self):
        try:
            self.client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It is closed already.
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
            body = self.read_chunks() if request.length == CHUNKED else self.read_bytes(request.length)
            self.answering = True
            self.answer(request, body)
            return request.keep_alive
        except OutOfStep as fault:
            self.send_fault(fault)
            return False
        except Fault as fault:
            self.send_fault(fault, head_only=request.method == b"HEAD")
            return request.keep_alive
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
                raise OutOfStep(431, f"the head has more than {HEAD_BYTES_MAX} bytes")
        return head

    def read_bytes(self, length):
        """Takes memory only as bytes arrive: a client may announce much and send nothing."""
        body = bytearray()
        while len(body) < length:
            part = self.reader.read1(min(length - len(body), PART_BYTES))
            if not part:
                raise ConnectionError("the client has ended within a body")
            body += part
        return body

    def read_chunks(self):
        body = bytearray()
        while size := self.read_chunk_size():
            if len(body) + size > VALUE_BYTES_MAX:
                raise OutOfStep(413, f"the value has more than {VALUE_BYTES_MAX} bytes")
            body += self.read_bytes(size)
            if self.read_line():
                raise OutOfStep(400, "a chunk is longer than its size")
        while trailer := self.read_line():
            if not HEADER.match(trailer):
                raise OutOfStep(400, "malformed trailer")
        return body

    def read_chunk_size(self):
        match = CHUNK_SIZE.fullmatch(self.read_line())
        if not match:
            raise OutOfStep(400, "malformed size of a chunk")
        return int(match[1], 16)

    def read_line(self):
        """A line of a chunked body, without its end."""
        line = self.reader.readline(HEAD_BYTES_MAX)
        if not line:
            raise ConnectionError("the client has ended within a body")
        if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
            raise OutOfStep(400, "lines of a chunked body end with CR LF")
        return line[:-2]

    def answer(self, request, body):
        methods = self.PATHS.get(request.path)
        if methods is None:
            raise Fault(400, "unknown path")
        if request.method not in methods:
            allow = b", ".join(methods).decode()
            raise Fault(405, f"allowed are {allow}", f"Allow: {allow}")
        methods[request.method](self, request, body)

    def status(self, request, body):
        self.send(200, b"ok\n", TEXT)

    def get(self, request, body):
        value = self.server.log.get(key_of(request.query, b"id"))
        if value is None:
            raise Fault(404, "no such key")
        self.send(200, value)

    def put(self, request, body):
        self.server.log.write(key_of(request.query, b"id"), body)
        self.send(201, b"")

    def delete(self, request, body):
        self.server.log.write(key_of(request.query, b"id"), None)
        self.send(202, b"")

    def range(self, request, body):
        start, end = key_of(request.query, b"start"), key_of(request.query, b"end", optional=True)
        entries = self.server.log.range(start, end)
        lengths = request.accepts(LENGTHS)
        media_type = LENGTHS if lengths else b"application/octet-stream"
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: %b\r\n\r\n"
        self.client.sendall(head % media_type)
        for key, place in entries:
            value = self.server.log.read(*place)
            entry = with_length(key) + with_length(value) if lengths else key + b"\n" + value
            self.client.sendall(b"%x\r\n%b\r\n" % (len(entry), entry))
        self.client.sendall(b"0\r\n\r\n")

    PATHS = {
        b"/v0/status": {b"GET": status},
        b"/v0/entity": {b"GET": get, b"PUT": put, b"DELETE": delete},
        b"/v0/entities": {b"GET": range},
    }

    def send(self, status, body, *headers, head_only=False):
        first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
        head = "\r\n".join([first, f"Content-Length: {len(body)}", *headers, "", ""])
        self.client.sendall(head.encode() + (b"" if head_only else body))

    def send_fault(self, fault, head_only=False):
        self.send(fault.status, f"{fault}\n".encode(), TEXT, *fault.headers, head_only=head_only)


class Server:
    def __init__(self, port, directory):
        self.stopping, self.connections = False, set()
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
        while time.monotonic() < deadline and any(c.answering for c in list(self.connections)):
            time.sleep(0.01)
        os._exit(0)  # Clients that ask nothing, or read nothing, don't hold it.

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
