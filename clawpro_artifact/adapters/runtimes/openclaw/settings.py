"""runtime version + surfaces -> the configuration file that OpenClaw reads, and its environment.

Every key was tried on the version it is given to; what a version does not know it is not given
(`shared/reference/openclaw.md` and docs/decisions/0004).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from clawpro_artifact.model.image import SPACE

MODEL_PORT = 18080
CHAT_PORT = 18081
WEB_PORT = 18082
GATEWAY_PORT = 18789
PROVIDER = "boundary"
MODEL = "model"
STATE = "/work/state"
PEOPLE = "people"
PRIVATE_SESSION = f"agent:main:direct:{PEOPLE}"
# Ids that private chats of a scenario may have: the links are fixed when a host starts.
PRIVATE_CHATS = ("777", *(str(n) for n in range(7001, 7100)))
HOME = "/work/home"
# The version that took `memory.search` and dropped `agents.defaults.memorySearch`.
_NEW_KEYS = (2026, 8, 0)


def numbers(version: str) -> tuple[int, ...]:
    """2026.9.6 -> (2026, 9, 6)."""
    return tuple(int(part) for part in version.split("."))


def document(
    version: str, surfaces: Collection[str], token: str, *, as_it_comes: bool = False
) -> dict[str, Any]:
    """`openclaw.json` for one host.

    `as_it_comes` leaves plugins, the tools profile and tool search as the runtime has them by
    default: for an inventory, not for trials.
    """
    zero = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {
        "id": MODEL,
        "name": MODEL,
        "reasoning": False,
        "input": ["text"],
        "cost": zero,
        "contextWindow": 128000,
        "maxTokens": 8192,
    }
    provider = {
        "baseUrl": f"http://127.0.0.1:{MODEL_PORT}/v1",
        "apiKey": "unused",
        "api": "openai-completions",
        "models": [model],
    }
    defaults: dict[str, Any] = {
        "workspace": SPACE,
        "skipBootstrap": True,
        "model": {"primary": f"{PROVIDER}/{MODEL}"},
        "heartbeat": {"every": "0m"},
    }
    found: dict[str, Any] = {
        "models": {"mode": "merge", "providers": {PROVIDER: provider}},
        "agents": {"defaults": defaults},
        "gateway": {
            "mode": "local",
            "auth": {"mode": "token", "token": token},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "update": {"checkOnStart": False},
        "discovery": {"mdns": {"mode": "off"}},
        "plugins": {"allow": plugins(surfaces)},
        "tools": {"profile": "full"},
    }
    if numbers(version) >= _NEW_KEYS:
        found["telemetry"] = {"enabled": False}
        found["models"]["catalogRefresh"] = {"enabled": False}
        found["memory"] = {"search": {"provider": "none"}}
        if not as_it_comes:
            found["tools"]["toolSearch"] = False
        fetch = {"ssrfPolicy": {"dangerouslyAllowPrivateNetwork": True}}
        found["tools"]["web"] = {"fetch": fetch}
    else:
        found["models"]["pricing"] = {"enabled": False}
        defaults["memorySearch"] = {"provider": "none"}
    if as_it_comes:
        del found["plugins"], found["tools"]["profile"]
    if "messaging" in surfaces:
        found["channels"] = {"telegram": _telegram()}
        # All private chats are one conversation, as by default, but not the main session: that
        # one cannot be deleted, and a warm host would have to be given up after each message.
        links = {PEOPLE: [f"telegram:{chat}" for chat in PRIVATE_CHATS]}
        found["session"] = {"dmScope": "per-peer", "identityLinks": links}
    if "browsing" in surfaces:
        found["tools"].setdefault("web", {}).setdefault("fetch", {})["useTrustedEnvProxy"] = True
        found["browser"] = _browser()
    return found


def _telegram() -> dict[str, Any]:
    """The bundled channel, told to talk to our stand-in; the token opens nothing anywhere."""
    return {
        "enabled": True,
        "botToken": "4242:STAND-IN",
        "apiRoot": f"http://127.0.0.1:{CHAT_PORT}",
        "dmPolicy": "open",
        "allowFrom": ["*"],
        "groupPolicy": "open",
        "groups": {"*": {"requireMention": False}},
    }


def _browser() -> dict[str, Any]:
    return {
        "enabled": True,
        "headless": True,
        "noSandbox": True,
        "executablePath": "/usr/bin/chromium",
        "ssrfPolicy": {"dangerouslyAllowPrivateNetwork": True},
    }


def plugins(surfaces: Collection[str]) -> list[str]:
    """Only what the declared surfaces need is loaded."""
    names = ["memory-core"]
    if "messaging" in surfaces:
        names.append("telegram")
    if "browsing" in surfaces:
        names.append("browser")
    return names


def environment(
    token: str, relays: Mapping[int, str], control_socket: str, surfaces: Collection[str]
) -> dict[str, str]:
    """Environment of the container; nothing in it is worth anything outside.

    `relays` maps a port on loopback to the socket that it leads to.
    """
    proxy = f"http://127.0.0.1:{WEB_PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    web = dict.fromkeys(names, proxy) if "browsing" in surfaces else {}
    direct = "127.0.0.1,localhost"
    return {
        **web,
        **({"NO_PROXY": direct, "no_proxy": direct} if web else {}),
        "HOME": HOME,
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "OPENCLAW_STATE_DIR": STATE,
        "OPENCLAW_CONFIG_PATH": f"{STATE}/openclaw.json",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_OFFLINE": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_EXEC_SHELL_SNAPSHOT": "0",
        "DO_NOT_TRACK": "1",
        "CLAWPRO_RELAYS": " ".join(f"{port}={path}" for port, path in relays.items()),
        "CLAWPRO_GATEWAY_PORT": str(GATEWAY_PORT),
        "CLAWPRO_GATEWAY_TOKEN": token,
        "CLAWPRO_CONTROL_SOCKET": control_socket,
        "CLAWPRO_MIN_PROTOCOL": "3",
        "CLAWPRO_MAX_PROTOCOL": "4",
    }
