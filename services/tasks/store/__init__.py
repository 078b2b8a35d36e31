"""Every query of tasks. A task's row is the lock of everything below it.

Rows are locked in one order: a device, then tasks by their ids, then requests, then assignees by their addresses.
"""
