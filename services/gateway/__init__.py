"""The public door: MCP at `/mcp` for agents, HTTP at `/api/v1` for people; commands go to the services.

Answers: the tools of `libs.contracts.tools`, one function each in `tools/`.
Follows: the replies to its own commands, and the wake-ups of all mailboxes.
Announces: AgentsSeen.
Keeps: nothing but the directory; tokens it looked up and waits it holds live in memory.
"""
