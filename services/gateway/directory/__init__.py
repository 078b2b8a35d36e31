"""Who may speak: teams, people, agents, devices and their keys. Runs inside every gateway, over its own database.

Answers: CreateTeam, ListTeams, CreatePerson, RemovePerson, ListPeople, CreateAgent, UpdateAgent, RemoveAgent,
    ListAgents, DescribeAddresses, RegisterDevice, UpdateDevice, RemoveDevice, ListDevices, DescribeDevice, FindRunners,
    IssueKey, ListKeys, RevokeKey, ResolveToken, RecordUses, GetInstallation.
Follows: nothing.
Announces: AgentChanged, AgentRemoved, PersonRemoved, DeviceChanged.
Keeps: teams, people, agents and devices (removed ones too, so that no address is given out again), keys (a token's
    SHA-256, never the token) and the installation's epoch and cursor signing key.
"""
