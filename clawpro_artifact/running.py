"""RunPlan + hosts -> Trials: scheduling, attempts, resume.

The folder of a run is the only state. An attempt is durable (written, fsynced, renamed) before it
counts; a trial is finished when its last attempt is not `infra_failed` or the attempt policy of the
signed manifest is used up. What a killed process left is listed as an interrupted attempt and never
taken up again, so that nothing finished runs twice and nothing that was tried vanishes.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clawpro_artifact.adapters.clock import monotonic, now, timestamp
from clawpro_artifact.adapters.runs import RunFolder
from clawpro_artifact.adapters.runtimes.host import Assembled, RawAttempt, RuntimeHost
from clawpro_artifact.errors import ClawproError
from clawpro_artifact.formats.portable import portable
from clawpro_artifact.model.plan import RunPlan, TrialSpec
from clawpro_artifact.model.scenario import Scenario
from clawpro_artifact.model.trial import Attempt, AttemptRecord, Evidence, Trial


@dataclass(frozen=True)
class Started:
    """An attempt begins (for progress)."""

    spec: TrialSpec
    attempt: int


Assemble = Callable[[RawAttempt, TrialSpec, Path], Assembled]
_END = object()


def run(
    plan: RunPlan,
    scenarios: Mapping[str, tuple[Scenario, Path]],
    *,
    folder: RunFolder,
    host_key: Callable[[TrialSpec], Hashable],
    make_host: Callable[[TrialSpec], RuntimeHost],
    assemble: Assemble,
    max_attempts: int,
    workers: int,
    on_start: Callable[[Started], None] = lambda _: None,
) -> Iterator[Trial]:
    """Yield every trial of `plan` as it finishes; those finished by an earlier process come first.

    Trials with equal `host_key` may share one host. Raises InfraError when a host cannot be made;
    trials that were finished by then are kept. Closing the iterator stops the workers and hosts.
    """
    waiting: dict[Hashable, queue.SimpleQueue[TrialSpec]] = {}
    finished = []
    left = 0
    for spec in plan.trials:
        if (done := folder.finished(spec, max_attempts)) is not None:
            finished.append(done)
        else:
            waiting.setdefault(host_key(spec), queue.SimpleQueue()).put(spec)
            left += 1
    yield from finished
    results: queue.SimpleQueue[object] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            for group in waiting.values():
                _serve(group, stop, make_host, one_trial, results)
        except BaseException as error:  # raised again by the consumer below
            stop.set()
            results.put(error)
        finally:
            results.put(_END)

    def one_trial(host: RuntimeHost, spec: TrialSpec) -> Trial | None:
        scenario, path = scenarios[spec.scenario]
        return _attempt_until_scored(
            host, spec, scenario, path, folder, assemble, max_attempts, stop, on_start
        )

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, left) or 0)]
    for thread in threads:
        thread.start()
    ended = 0
    failure: BaseException | None = None
    try:
        while ended < len(threads):
            item = results.get()
            if item is _END:
                ended += 1
            elif isinstance(item, BaseException):
                failure = failure or item
            else:
                assert isinstance(item, Trial)
                yield item
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if failure is not None:
        raise failure


def _serve(
    group: queue.SimpleQueue[TrialSpec],
    stop: threading.Event,
    make_host: Callable[[TrialSpec], RuntimeHost],
    one_trial: Callable[[RuntimeHost, TrialSpec], Trial | None],
    results: queue.SimpleQueue[object],
) -> None:
    host: RuntimeHost | None = None
    try:
        while not stop.is_set():
            try:
                spec = group.get_nowait()
            except queue.Empty:
                return
            if host is None:
                host = make_host(spec)
            trial = one_trial(host, spec)
            if trial is not None:
                results.put(trial)
    finally:
        if host is not None:
            host.close()


def _attempt_until_scored(
    host: RuntimeHost,
    spec: TrialSpec,
    scenario: Scenario,
    path: Path,
    folder: RunFolder,
    assemble: Assemble,
    max_attempts: int,
    stop: threading.Event,
    on_start: Callable[[Started], None],
) -> Trial | None:
    while not stop.is_set():
        number, attempt_dir = folder.begin(spec)
        on_start(Started(spec, number))
        began, clock = timestamp(now()), monotonic()
        try:
            raw = host.run(spec, scenario, path, attempt_dir)
        except Exception as error:  # an error nobody classified is infrastructure, never a score
            raw = RawAttempt(
                outcome="infra_failed",
                reason=_reason(error),
                started_at=began,
                duration_ms=int(1000 * (monotonic() - clock)),
                answer=None,
                exchanges=(),
                transport="none",
                faults=("".join(traceback.format_exception(error)),),
            )
        assembled = assemble(raw, spec, attempt_dir)
        events = folder.write_lines(attempt_dir, "events.jsonl", assembled.events)
        exchanges = folder.write_lines(attempt_dir, "exchanges.jsonl", raw.exchanges)
        folder.seal(attempt_dir, _record(raw, spec, number, assembled, events, exchanges))
        if (trial := folder.finished(spec, max_attempts)) is not None:
            return trial
    return None


def _record(
    raw: RawAttempt,
    spec: TrialSpec,
    number: int,
    assembled: Assembled,
    events: str,
    exchanges: str,
) -> AttemptRecord:
    attempt = Attempt(
        number=number,
        outcome=assembled.outcome,
        reason=assembled.reason,
        exit_code=raw.exit_code,
        started_at=raw.started_at,
        duration_ms=raw.duration_ms,
        isolation=raw.environment.get("isolation", "none"),
        transport=raw.transport,
        image=raw.image,
        environment=raw.environment,
    )
    return AttemptRecord(
        format="clawpro.attempt.v1",
        spec=spec,
        attempt=attempt,
        usage=assembled.usage,
        evidence=Evidence(
            answer=portable(raw.answer),
            before=raw.before,
            after=raw.after,
            stores=portable(raw.stores),
        ),
        events=events,
        exchanges=exchanges,
        secrets=raw.secrets,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, ClawproError):
        return error.summary
    return f"unclassified: {type(error).__name__}"
