"""The runtime: settings, logs, health, processes; what turns a service's code into a running service.

Nothing is imported here: the health check of a container (`libs.runtime.health`) starts within milliseconds.
"""
