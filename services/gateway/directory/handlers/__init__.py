"""What the directory answers: fetch, decide, announce, answer."""

from services.gateway.directory.handlers import agents, devices, installation, keys, members, people, tokens

__all__ = ["agents", "devices", "installation", "keys", "members", "people", "tokens"]
