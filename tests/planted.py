"""seed -> planted secrets (kind x encoding) and clean texts, for the sanitizer's matrix.

Kinds: every shape of credential, values that only their context tells, exact values that only the
run knows. The values are random; none was ever issued. Formats are the issuers' documented ones.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import urllib.parse
import uuid
from collections.abc import Callable, Iterator

AN = string.ascii_letters + string.digits
UP = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
B32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BECH = "023456789ACDEFGHJKLMNPQRSTUVWXYZ"
URL = AN + "-_"


def _jwt(r: random.Random) -> str:
    head, body = (
        base64.urlsafe_b64encode(json.dumps(x).encode()).decode().rstrip("=")
        for x in ({"alg": "HS256", "typ": "JWT"}, {"sub": str(r.random()), "iat": 1516239022})
    )
    return f"{head}.{body}.{_some(r, URL, 43)}"


def _pem(r: random.Random) -> str:
    body = "\n".join(_some(r, AN + "+/", 64) for _ in range(4))
    return f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"


def _some(r: random.Random, alphabet: str, n: int) -> str:
    return "".join(r.choices(alphabet, k=n))


# Kind -> its prefix, alphabet and length of the rest; or a function.
SHAPES: dict[str, Callable[[random.Random], str]] = {
    "aws": lambda r: "AKIA" + _some(r, B32, 16),
    "aws-session": lambda r: "ASIA" + _some(r, B32, 16),
    "github": lambda r: "ghp_" + _some(r, AN, 36),
    "github-server": lambda r: "ghs_" + _some(r, AN, 36),
    "github-pat": lambda r: f"github_pat_{_some(r, AN, 22)}_{_some(r, AN, 59)}",
    "gitlab": lambda r: "glpat-" + _some(r, URL, 20),
    "slack-bot": lambda r: f"xoxb-{_some(r, string.digits, 12)}-{_some(r, AN, 24)}",
    "slack-app": lambda r: (
        f"xapp-1-{_some(r, UP, 11)}-{_some(r, string.digits, 13)}-" + _some(r, HEX, 64)
    ),
    "slack-hook": lambda r: (
        f"https://hooks.slack.com/services/T{_some(r, UP, 8)}/B{_some(r, UP, 8)}/{_some(r, AN, 24)}"
    ),
    "anthropic": lambda r: "sk-ant-api03-" + _some(r, URL, 93),
    "openai": lambda r: "sk-proj-" + _some(r, AN, 74),
    "openai-old": lambda r: f"sk-{_some(r, AN, 20)}T3BlbkFJ{_some(r, AN, 20)}",
    "openrouter": lambda r: "sk-or-v1-" + _some(r, HEX, 64),
    "google": lambda r: "AIza" + _some(r, URL, 35),
    "google-oauth": lambda r: "ya29." + _some(r, URL, 60),
    "google-secret": lambda r: "GOCSPX-" + _some(r, URL, 28),
    "stripe": lambda r: "sk_live_" + _some(r, AN, 24),
    "stripe-hook": lambda r: "whsec_" + _some(r, AN, 32),
    "npm": lambda r: "npm_" + _some(r, AN, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + _some(r, URL, 60),
    "hugging-face": lambda r: "hf_" + _some(r, string.ascii_letters, 34),
    "jwt": _jwt,
    "pem": _pem,
    "age": lambda r: "AGE-SECRET-KEY-1" + _some(r, BECH, 58),
    "square": lambda r: "sq0csp-" + _some(r, URL, 43),
    "shopify": lambda r: "shpat_" + _some(r, HEX, 32),
    "sendgrid": lambda r: f"SG.{_some(r, URL, 22)}.{_some(r, URL, 43)}",
    "mailgun": lambda r: "key-" + _some(r, HEX, 32),
    "rubygems": lambda r: "rubygems_" + _some(r, HEX, 48),
    "docker": lambda r: "dckr_pat_" + _some(r, URL, 27),
    "replicate": lambda r: "r8_" + _some(r, AN, 37),
    "groq": lambda r: "gsk_" + _some(r, AN, 52),
    "perplexity": lambda r: "pplx-" + _some(r, AN, 48),
    "digitalocean": lambda r: "dop_v1_" + _some(r, HEX, 64),
    "databricks": lambda r: "dapi" + _some(r, HEX, 32),
    "doppler": lambda r: "dp.pt." + _some(r, AN, 43),
    "vault": lambda r: "hvs." + _some(r, URL, 96),
    "pulumi": lambda r: "pul-" + _some(r, HEX, 40),
    "linear": lambda r: "lin_api_" + _some(r, AN, 40),
    "notion": lambda r: "ntn_" + _some(r, string.digits, 11) + _some(r, AN, 35),
    "postman": lambda r: f"PMAK-{_some(r, HEX, 24)}-{_some(r, HEX, 34)}",
    "new-relic": lambda r: "NRAK-" + _some(r, UP, 27),
    "grafana": lambda r: f"glsa_{_some(r, AN, 32)}_{_some(r, HEX, 8)}",
    "figma": lambda r: "figd_" + _some(r, URL, 40),
    "tailscale": lambda r: f"tskey-auth-{_some(r, AN, 12)}-{_some(r, AN, 32)}",
}
# Told by what stands before it: (text before, value).
CONTEXTS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "password": lambda r: ("password = ", _mixed(r, 20)),
    "api key": lambda r: ('{"api_key": "', _mixed(r, 32)),
    "environment": lambda r: ("export DB_PASSWORD=", _mixed(r, 24)),
    "bearer": lambda r: ("Authorization: Bearer ", _mixed(r, 40)),
    "basic": lambda r: (
        "Authorization: Basic ", base64.b64encode(f"bob:{_mixed(r, 16)}".encode()).decode(),
    ),
    "url": lambda r: ("postgres://app:", _mixed(r, 18)),
}  # fmt: skip
# Values that only the run knows: no shape, no context.
EXACT: dict[str, Callable[[random.Random], str]] = {
    "token": lambda r: _mixed(r, 28),
    "words": lambda r: "-".join(r.sample(_WORDS, 4)),
    "with quotes": lambda r: _mixed(r, 10) + '"\\/é ' + _mixed(r, 6),
    "digits": lambda r: _some(r, string.digits, 16),
    "hex": lambda r: _some(r, HEX, 40),
    "mail": lambda r: f"{_some(r, string.ascii_lowercase, 9)}@mail.example",
    "short": lambda r: _some(r, AN, 8),
}


def _mixed(r: random.Random, n: int) -> str:
    return "aB3" + _some(r, AN, n - 3)


def _offset(n: int, encode: Callable[[bytes], bytes]) -> Callable[[str], str]:
    return lambda v: encode(b"xyz"[:n] + v.encode() + b" and more").decode()


def _wrapped(value: str) -> str:
    return base64.encodebytes(b"some text " * 6 + value.encode() + b" more" * 9).decode()


def _folded_hex(value: str) -> str:
    text = (b"q" * 20 + value.encode()).hex()
    return "\n".join(text[i : i + 60] for i in range(0, len(text), 60))


def _streamed(value: str) -> str:
    half = len(value) // 2
    return "".join(
        "data: " + json.dumps({"choices": [{"delta": {"content": part}}]}) + "\n\n"
        for part in ("see ", value[:half], value[half:], " ok")
    )


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda v: v,
    "base64": lambda v: base64.b64encode(v.encode()).decode(),
    "base64 at 1": _offset(1, base64.b64encode),
    "base64 at 2": _offset(2, base64.b64encode),
    "base64url": _offset(0, base64.urlsafe_b64encode),
    "base64 wrapped": _wrapped,
    "hex": lambda v: v.encode().hex(),
    "HEX": lambda v: v.encode().hex().upper(),
    "hex folded": _folded_hex,
    "hex dump": lambda v: v.encode().hex(" "),
    "url, all": lambda v: "".join(f"%{b:02X}" for b in v.encode()),
    "url": lambda v: urllib.parse.quote(v, safe=""),
    "json": lambda v: json.dumps(v),
    "json in json": lambda v: json.dumps(json.dumps({"k": v})),
    "reversed": lambda v: v[::-1],
    "streamed": _streamed,
}


def traces_of(value: str) -> set[str]:
    """What of a value must be nowhere: its middle half, under every encoding and alignment."""
    quarter = len(value) // 4
    middle = value[quarter : len(value) - quarter].encode()
    found = {value, value[::-1], middle.decode(), middle.decode()[::-1], middle.hex(),
             middle.hex().upper(), middle.hex(" "),
             "".join(f"%{b:02X}" for b in middle)}  # fmt: skip
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for n in range(3):
            found.add(encode(b"\0" * n + middle).decode().rstrip("=")[4:-4])
    return {text for text in found if len(text) >= 8}


def planted(seed: int) -> Iterator[tuple[str, str, str, str, str]]:
    """(class, kind, encoding, value, text); a text holds exactly one secret."""
    r = random.Random(seed)
    for kind, make in SHAPES.items():
        for encoding, encode in ENCODINGS.items():
            value = make(r)
            yield "shape", kind, encoding, value, f"<<{encode(value)}>>"
    for kind, pair in CONTEXTS.items():
        before, value = pair(r)
        yield "context", kind, "plain", value, f"{before}{value}{_after(kind)}"
        text = json.dumps({"log": f"{before}{value}{_after(kind)}"})
        yield "context", kind, "json", value, text


def _after(kind: str) -> str:
    return {"url": "@db.example:5432/app", "api key": '"}'}.get(kind, "")


def exact(seed: int) -> Iterator[tuple[str, str, str, str]]:
    """(kind, encoding, value, text) for values that the run knows."""
    r = random.Random(seed)
    for kind, make in EXACT.items():
        for encoding, encode in ENCODINGS.items():
            value = make(r)
            yield kind, encoding, value, f"<<{encode(value)}>>"


_WORDS = (
    "harbor", "lantern", "copper", "meadow", "walnut", "signal", "ribbon", "canyon", "velvet",
    "marble", "thunder", "orchid", "pepper", "saddle", "timber", "willow", "cobalt", "ember",
    "falcon", "glacier",
)  # fmt: skip


def clean_texts(seed: int, count: int) -> list[str]:
    """Texts as agents read and write them, without any secret, full of what looks like one."""
    r = random.Random(seed)
    makers = (
        _uuids, _digests, _git_log, _python, _javascript, _lock_file, _config, _json_rows, _image,
        _traceback, _url_list, _prose, _shell, _sql, _headers, _ids,
    )  # fmt: skip
    return [makers[i % len(makers)](r) for i in range(count)]


def _uuid(r: random.Random) -> str:
    return str(uuid.UUID(int=r.getrandbits(128), version=4))


def _sha(r: random.Random, name: str = "sha256") -> str:
    return hashlib.new(name, r.randbytes(8)).hexdigest()


def _uuids(r: random.Random) -> str:
    return "\n".join(f"request {_uuid(r)} -> session_id={_uuid(r)}" for _ in range(5))


def _digests(r: random.Random) -> str:
    return "\n".join(f"{_sha(r)}  file-{i}.bin\nsha512:{_sha(r, 'sha512')}" for i in range(4))


def _git_log(r: random.Random) -> str:
    return "\n".join(
        f"commit {_sha(r, 'sha1')}\nAuthor: A <a@mail.example>\n\n    Rotate the secret token"
        for _ in range(3)
    )


def _python(r: random.Random) -> str:
    name = "_".join(r.sample(_WORDS, 3))
    return (
        f"def {name}(token: str, api_key: str = os.environ['API_KEY']) -> bool:\n"
        f"    password = getpass.getpass('password: ')\n    secret_name = \"{name}_value\"\n"
        f"    return hmac.compare_digest(token, self.{name}.access_token)\n"
        f"ACCESS_TOKEN_URL = 'https://auth.example/oauth/{name}/token'\n"
        f"assert token == expected_{name}_token_value\n"
    )


def _javascript(r: random.Random) -> str:
    a, b = r.sample(_WORDS, 2)
    return (
        f"const {a}Token = await this.{b}Service.fetchToken(request.headers.authorization);\n"
        f"config.apiKey = process.env.{a.upper()}_API_KEY;\n"
        f'// id: {_sha(r)[:24]} etag: W/"{_sha(r)[:32]}"\n'
    )


def _lock_file(r: random.Random) -> str:
    digest = base64.b64encode(hashlib.sha512(r.randbytes(8)).digest()).decode()
    name = r.choice(_WORDS)
    return f'"node_modules/{name}": {{"version": "1.2.3", "integrity": "sha512-{digest}"}}'


def _config(r: random.Random) -> str:
    return (
        f"password: ${{DB_PASSWORD}}\napi_key: <your-api-key>\ntoken: changeme\n"
        f"secret_arn: arn:aws:secretsmanager:eu:123456789012:secret:{r.choice(_WORDS)}\n"
        f"secret_file: /run/secrets/{r.choice(_WORDS)}_2024\nmax_token_count: 128000\n"
        f"trace_id: {_sha(r)[:32]}\n"
    )


def _json_rows(r: random.Random) -> str:
    rows = [
        {"id": _uuid(r), "etag": _sha(r), "token_count": r.randrange(9999), "ref": _sha(r, "sha1"),
         "cursor": base64.b64encode(f"id:{r.randrange(10**9)}".encode()).decode(),
         "next_page_token": _some(r, AN, 24)}
        for _ in range(4)
    ]  # fmt: skip
    return json.dumps(rows, indent=1)


def _image(r: random.Random) -> str:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + r.randbytes(300)).decode()
    return f"![plot](data:image/png;base64,{data})"


def _traceback(r: random.Random) -> str:
    name = r.choice(_WORDS)
    return (
        f'File "/usr/lib/python3/{name}/token.py", line {r.randrange(900)}, in parse_{name}\n'
        f"ValueError: unexpected token at 0x{_sha(r)[:12]} in <{name}.Lexer object>\n"
    )


def _url_list(r: random.Random) -> str:
    return "\n".join(
        f"https://cdn.example:8443/{r.choice(_WORDS)}/{_sha(r)[:20]}.js?v={_some(r, AN, 12)}#{i}"
        for i in range(5)
    )


def _prose(r: random.Random) -> str:
    return " ".join(r.choices([*_WORDS, "the", "secret", "password", "token", "is", "of"], k=90))


def _shell(r: random.Random) -> str:
    return (
        f"curl -H 'Authorization: Bearer $TOKEN' https://api.example/{_uuid(r)}\n"
        f"docker run --name {r.choice(_WORDS)}-{_sha(r)[:12]} app@sha256:{_sha(r)}\n"
        f"gh auth login --with-token < token.txt; echo PASSWORD=***\n"
    )


def _sql(r: random.Random) -> str:
    return (
        f"INSERT INTO sessions (id, password_hash) VALUES ('{_uuid(r)}', "
        f"'pbkdf2_sha256$600000${_some(r, AN, 22)}$');\nSELECT token_id FROM tokens;"
    )


def _headers(r: random.Random) -> str:
    return (
        f'x-request-id: {_uuid(r)}\netag: "{_sha(r)}"\ntraceparent: 00-{_sha(r)[:32]}-'
        f"{_sha(r)[:16]}-01\nx-amz-version-id: {_some(r, AN + '._', 32)}\n"
    )


def _ids(r: random.Random) -> str:
    ulid = _some(r, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26)
    return f"call_{_some(r, AN, 24)} chatcmpl-{_some(r, AN, 29)} 01{ulid} msg_{_some(r, AN, 22)}"
