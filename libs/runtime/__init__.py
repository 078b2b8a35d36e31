"""The runtime: settings, logs, health, processes; what turns a service's code into a running service."""

from libs.runtime.service import RunningService, Service
from libs.runtime.settings import Settings, load_settings

__all__ = ["RunningService", "Service", "Settings", "load_settings"]
