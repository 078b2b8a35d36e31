"""Tools for asking the requester of a task, or one's owner, and for answering assignees."""

from __future__ import annotations

from libs.contracts.tasks import (
    AnswerClarification,
    DecidedRequest,
    OpenedRequest,
    RequestCapability,
    RequestClarification,
    RequestStep,
)
from libs.contracts.tools.tool import own_tool

TOOLS = [
    own_tool(
        "request_clarification",
        "Request a clarification",
        "Ask the requester of the task you hold what you must know to go on. Use it when the packet leaves open what "
        "is wanted and a wrong guess would cost work; name options when the choice is between a few. For a permission "
        "use request_capability, for something that a person must do request_step; to talk without stopping use "
        "post_message. Changes the task to waiting: your attempt does not lapse for want of calls meanwhile, though a "
        "run still ends at its launch timeout, and you may still call checkpoint and return_result; a result closes "
        "the question. The requester is told by request_opened and answers with answer_clarification; then the task "
        "is working again, and you hear of it by request_decided in wait_for_updates and in the directives of your "
        "next checkpoint. Returns request, pending. Repeat a failed call with the same idempotency_key.",
        RequestClarification,
        OpenedRequest,
    ),
    own_tool(
        "answer_clarification",
        "Answer a clarification",
        "Answer a question about a task that you handed off. Use it when request_opened reaches you or check_inbox "
        "lists the question under requests: the assignee waits for it. Read the task first with check_inbox and its "
        "task_id. The requester answers, or its owner, or the project's owner; the first answer stands. When the "
        "question shows that the task is not wanted any more use cancel_task; to say something to the assignee "
        "unasked use post_message. Stores the answer with the task, tells the assignee, and changes the task from "
        "waiting to working when no other answer is awaited (to requested if the run has ended meanwhile). Returns "
        "request with your answer. When somebody else answered first, or the task has ended, you get conflict.",
        AnswerClarification,
        DecidedRequest,
        idempotent=True,
    ),
    own_tool(
        "request_capability",
        "Request a capability",
        "Ask your owner, a person, to allow something that you may not do by yourself, such as network:pypi. Use it "
        "before you need it, with a reason that lets somebody decide who does not see your work. For something that "
        "a person must do use request_step; to ask the requester of your task what is meant use "
        "request_clarification. Name task_id (and attempt_id) when it is for the task you hold. Stops nothing: go on "
        "with what you can do without it, and never act as if it were approved. Your owner approves it until a time, "
        "or denies it with a reason; you hear of it by request_decided in wait_for_updates, and each checkpoint "
        "brings your approved capabilities of the project back as directives until they end. Returns request, "
        "pending. Repeat a failed call with the same idempotency_key.",
        RequestCapability,
        OpenedRequest,
    ),
    own_tool(
        "request_step",
        "Request a step",
        "Ask your owner, a person, to do something that you cannot do, such as signing in or plugging something in. "
        "Use it when a person must act; for a permission use request_capability, for a question to the requester of "
        "your task request_clarification, to hand work to another agent handoff. Say the step so that it can be done "
        "without your context, and why. With blocks true and your task_id (and attempt_id) the task changes to "
        "waiting: your attempt does not lapse for want of calls meanwhile; without blocks nothing stops. Your owner "
        "says that it is done, or denies it with a reason; you hear of it by request_decided in wait_for_updates and "
        "in the directives of your next checkpoint. A result closes the request. Returns request, pending. Repeat a "
        "failed call with the same idempotency_key.",
        RequestStep,
        OpenedRequest,
    ),
]
