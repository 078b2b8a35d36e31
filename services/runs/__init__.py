"""Runs: what the runs of agents used, as their runners reported it.

Answers: ReportRun, FindReports, ListRuns, SumRuns.
Follows: nothing.
Announces: nothing.
Keeps: the numbers of each reported run, for good; never a word of what a client printed.
"""
