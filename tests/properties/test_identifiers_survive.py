"""Over-redaction is a fault: identifiers, digests and references come out as they went in."""

from __future__ import annotations

import base64
import hashlib
import string
import uuid

from hypothesis import given
from hypothesis import strategies as st

from clawpro_artifact.sanitizing.redactor import Redactor, Secret

REDACTOR = Redactor((Secret("cpk-Zq83hsk2x9Wm4Lp0", "canary-db", "db"),), b"k" * 32, "t")
AN = string.ascii_letters + string.digits
IDENTIFIERS = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda u: u.hex),
    st.binary(max_size=8).map(lambda b: hashlib.sha256(b).hexdigest()),
    st.binary(max_size=8).map(lambda b: "sha256:" + hashlib.sha256(b).hexdigest()),
    st.binary(max_size=8).map(lambda b: hashlib.sha1(b).hexdigest()),
    st.binary(max_size=8).map(
        lambda b: "sha512-" + base64.b64encode(hashlib.sha512(b).digest()).decode()
    ),
    st.text(AN, min_size=24, max_size=24).map("call_".__add__),
    st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26),
    st.text(string.digits, min_size=10, max_size=19),
)
# Words that announce a secret elsewhere, but not with these names.
AROUND = st.sampled_from(
    ["{}", "id={}", '{{"id": "{}"}}', "etag: {}", "commit {}", "token_id: {}", "session_id={}",
     "/files/{}/raw", "https://cdn.example/{}?v=2", "secret_arn: x/{}", "integrity {}",
     "password_hash = {}", "next_page_token={}", "see `{}` for the token"]
)  # fmt: skip


@given(st.lists(st.tuples(AROUND, IDENTIFIERS), min_size=1, max_size=6))
def test_identifiers_and_digests_are_never_damaged(rows):
    text = "\n".join(around.format(name) for around, name in rows)
    assert REDACTOR.text(text, "x") == text
    assert REDACTOR.data(text.encode(), "x") == text.encode()


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_secret_in_any_text_goes_and_its_surroundings_stay(before, after):
    text = f"{before}cpk-Zq83hsk2x9Wm4Lp0{after}"
    assert REDACTOR.text(text, "x") == f"{before}[[canary:db]]{after}"


def test_personal_data_stays_unless_a_policy_asks():
    text = "mail a.b@corp.example, +49 30 1234567, 10.1.2.3, /home/anna/x, 12 Main Street"
    assert REDACTOR.text(text, "x") == text
    kinds = ("mail", "phone", "ip-address", "home-path", "street-address")
    done = Redactor((), b"k" * 32, "t", kinds).text(text, "x")
    for value in ("a.b@corp.example", "1234567", "10.1.2.3", "anna", "Main Street"):
        assert value not in done
    assert uuid.UUID(int=0).hex not in done
