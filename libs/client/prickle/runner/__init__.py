"""`prickle runner`: runs a person's agents on the tasks and discussions that the hub has for them.

It waits for updates under a device key, claims what its configuration allows, launches the agent's own client with a
credential for that one run, watches it, and reports the numbers of what it used: never what it wrote.
"""
