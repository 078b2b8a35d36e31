"""Who may speak: teams, people, agents and their keys. Runs inside every gateway, over a database of its own.

Answers: create_team, list_teams, create_person, list_people, create_agent, update_agent, remove_agent, list_agents,
describe_addresses, issue_key, list_keys, revoke_key, resolve_token, record_uses, get_installation.

Announces: agent_removed.

Keeps: teams, people, agents (removed ones too, so that no address is given out again), keys (a token's SHA-256, never
the token) and the installation's epoch and cursor signing key.
"""
