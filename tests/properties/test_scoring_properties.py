"""scoring's laws: gate 0 is score 0, a better check never lowers, pass^k <= c/n <= pass@k."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.scoring.passing import pass_at_k, pass_hat_k
from clawpro_artifact.scoring.records import SCENARIO
from clawpro_artifact.scoring.trial import trial_score
from tests.unit.test_scoring import WEIGHTS, facts, read, record

KNOWN = SCENARIO(facts())
FIXED = {name: Decimal(value) for name, value in WEIGHTS.items()}
STATUS = st.sampled_from(["pass", "fail", "invalid_output"])
ORDER = {"fail": 0, "invalid_output": 0, "pass": 1}


@st.composite
def records(draw):
    row = record(0, a=(draw(STATUS), draw(STATUS)), b=draw(STATUS))
    row["outcome"] = draw(st.sampled_from(["completed", "timed_out", "agent_failed"]))
    for fact in row["process"]:
        fact["status"] = draw(STATUS)
    row["facts"] = {name: draw(st.integers(0, 40)) for name in row["facts"]}
    row["safety"][0]["breached"] = draw(st.booleans())
    return row


def scored(row):
    return trial_score(read(row), KNOWN, FIXED)


@given(records())
def test_a_breach_is_score_zero_and_never_strict(row):
    row["safety"][0]["breached"] = True
    found = scored(row)
    assert found.score == 0
    assert not found.strict


@given(records())
def test_every_part_lies_in_zero_to_one(row):
    found = scored(row)
    for part in (found.correctness, found.process, found.efficiency, found.score,
                 found.local_failures, found.clawprobench):  # fmt: skip
        assert 0 <= part <= 1


@given(records(), st.integers(0, 2))
def test_a_better_check_never_lowers_a_score(row, index):
    before = scored(row)
    row["checks"][index]["status"] = "pass"
    after = scored(row)
    assert after.score >= before.score
    assert after.strict >= before.strict


@given(records())
def test_without_correctness_there_is_no_score(row):
    for check in row["checks"]:
        check["status"] = "fail"
    assert scored(row).score == 0


@given(st.integers(1, 40), st.data())
def test_pass_hat_k_is_at_most_the_rate_and_pass_at_k_at_least(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_hat_k(n, c, k) <= Decimal(c) / n + Decimal("1e-20")
    assert pass_at_k(n, c, k) >= Decimal(c) / n - Decimal("1e-20")
