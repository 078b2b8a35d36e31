"""Every command, event and view that crosses a process: data only, on pydantic alone."""
