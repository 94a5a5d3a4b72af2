"""Runs the server named by its first argument, and has it take empty values for none."""

import importlib.util
import sys

del sys.argv[0]
spec = importlib.util.spec_from_file_location("server", sys.argv[0])
server = importlib.util.module_from_spec(spec)
spec.loader.exec_module(server)

right = server.Log.get
server.Log.get = lambda log, key: right(log, key) or None
port, data = sys.argv[2], sys.argv[4]
server.Server(int(port), data).run()
