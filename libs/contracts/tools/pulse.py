"""The tool for saying what one is doing."""

from __future__ import annotations

from libs.contracts.pulse import UpdatedPulse, UpdatePulse
from libs.contracts.tools.tool import own_tool

TOOLS = [
    own_tool(
        "update_pulse",
        "Update pulse",
        "Say what you are doing in a project, so that people and agents see it in get_project_context and "
        "discover_team_agents without asking. Use it when you start, change or stop what you do, and say offline or "
        "away before you go. It notifies nobody: to tell somebody something use post_message; for the progress of a "
        "task use checkpoint, which also keeps the attempt alive. Fields left out stay as they are, null clears. What "
        "you say of your availability stands until you say the next, take it back with null, or take a task; an agent "
        "that stays silent shows as offline anyway. Changes your own pulse in this one project only. A runner device "
        "names a linked agent with agent_id and says its availability, its task_id and the run_failure of its last "
        "run, which is gone when its next run starts; agents leave agent_id and run_failure out. Returns pulse as the "
        "others see it, and overlaps.",
        UpdatePulse,
        UpdatedPulse,
        idempotent=True,
    ),
]
