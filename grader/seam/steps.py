"""Counts the bytecode instructions that a notebook's own code executes."""

import sys
from collections.abc import Callable
from typing import Any


def counted(namespace: dict[str, Any], run: Callable[[], object]) -> int:
    """Instructions executed during `run` in functions whose globals are `namespace`."""
    if sys.version_info >= (3, 12):  # whose `settrace` misses the first call
        return _monitored(namespace, run)
    return _traced(namespace, run)


def _traced(namespace: dict[str, Any], run: Callable[[], object]) -> int:
    steps = 0

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal steps
        if frame.f_globals is not namespace:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps += event == "opcode"
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(previous)
    return steps


def _monitored(namespace: dict[str, Any], run: Callable[[], object]) -> int:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    instruction = monitoring.events.INSTRUCTION
    tool = next(n for n in range(6) if monitoring.get_tool(n) is None)
    steps = 0

    def count(_code: object, _offset: int) -> Any:
        nonlocal steps
        if sys._getframe(1).f_globals is not namespace:
            return monitoring.DISABLE  # not the notebook's code: stop events from this instruction
        steps += 1
        return None

    monitoring.use_tool_id(tool, "counted steps")
    monitoring.register_callback(tool, instruction, count)
    monitoring.restart_events()
    monitoring.set_events(tool, instruction)
    try:
        run()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, instruction, None)
        monitoring.free_tool_id(tool)
    return steps
