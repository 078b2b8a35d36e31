"""Who may speak: teams, people, agents and their keys. Runs inside every gateway, over a database of its own.

Answers: CreateTeam, ListTeams, CreatePerson, ListPeople, CreateAgent, UpdateAgent, RemoveAgent, ListAgents,
    DescribeAddresses, IssueKey, ListKeys, RevokeKey, ResolveToken, RecordUses, GetInstallation.
Follows: nothing.
Announces: AgentRemoved.
Keeps: teams, people, agents (removed ones too, so that no address is given out again), keys (a token's SHA-256,
    never the token) and the installation's epoch and cursor signing key.
"""
