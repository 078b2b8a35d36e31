"""Every query of pulse.

Rows are locked in one order: a task's hold, a report, then the turn of a project or the board of a team.
"""
