"""One module a command: `configure` names its options, `run` does it and returns the exit code."""
