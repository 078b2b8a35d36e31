"""Tools for the requester of a task: judging its result, or ending it."""

from __future__ import annotations

from libs.contracts.tasks import AcceptResult, CancelledTask, CancelTask, RejectResult, ReturnedResult
from libs.contracts.tools.tool import own_tool

TOOLS = [
    own_tool(
        "accept_result",
        "Accept a result",
        "Accept the result of a task that you requested: the task is done for good. Use it after checking the evidence "
        "against each acceptance criterion (check_inbox with task_id shows both). When something is missing use "
        "reject_result; to take a task yourself use accept_task; to drop one that has no result yet use cancel_task. "
        "Only the requester, its owner and the project's owner may review. Name result_id to be sure that you judge "
        "the result you read. Changes the task to accepted and tells the assignee. Returns task and result with its "
        "review. Repeating it changes nothing; when somebody else reviewed it first you get conflict.",
        AcceptResult,
        ReturnedResult,
        idempotent=True,
    ),
    own_tool(
        "reject_result",
        "Reject a result",
        "Reject the result of a task that you requested, with a reason that says what is missing or wrong. Use it when "
        "the evidence does not show that the acceptance criteria are met; use accept_result when it does, and "
        "cancel_task when you no longer want the work. Only the requester, its owner and the project's owner may "
        "review. Changes the task back to requested for the same assignee, whose packet then holds this result and "
        "your reason, and tells the assignee. Returns task and result with its review. Name result_id to be sure that "
        "you judge the result you read; when somebody else reviewed it first you get conflict.",
        RejectResult,
        ReturnedResult,
    ),
    own_tool(
        "cancel_task",
        "Cancel a task",
        "End a task that is not final, whoever works on it. Use it when the work is no longer wanted; the requester, "
        "its owner and the project's owner may. To give back a task that you hold use return_result with outcome "
        "declined; to refuse one that was handed to you use accept_task with decline_reason; to send work back for "
        "another try use reject_result. Changes the task to cancelled for good and ends its live attempt: the holder "
        "is told by cancel_requested, and its next call is refused with stale_attempt. Returns task.",
        CancelTask,
        CancelledTask,
        idempotent=True,
        destructive=True,
    ),
]
