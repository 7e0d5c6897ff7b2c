"""the runtime's Telegram channel <-> chats of one trial: a stand-in for the Bot API.

Assumed of the Bot API (version 7): `POST /bot<token>/<method>`, arguments as JSON, form or query;
`{"ok": true, "result": ...}`, or `{"ok": false, "error_code": 400, "description": ...}`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from clawpro_artifact.adapters.clock import now
from clawpro_artifact.adapters.surfaces.server import Reply, Request

BOT = {"id": 4242, "is_bot": True, "first_name": "Agent", "username": "agent_bot"}
LONGEST_POLL_S = 5.0
_TEXT = ("text", "caption")
# Methods that put a message into a chat, by the field that holds what is not text.
_SENDING = {
    "sendMessage": "",
    "sendPhoto": "photo",
    "sendDocument": "document",
    "sendVoice": "voice",
    "sendAudio": "audio",
    "sendVideo": "video",
    "sendPoll": "question",
}


@dataclass
class Chats:
    """One trial's chats; `rows` are the bot's messages in the order of sending."""

    known: dict[str, dict[str, Any]]
    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)


class ChatService:
    """The Bot API for one host; `begin` and `end` bound a trial. Ids only grow."""

    def __init__(self) -> None:
        self._chats: Chats | None = None
        self._updates: list[dict[str, Any]] = []
        self._message = 100
        self._update = 1000
        self._wake = threading.Condition()

    def begin(self, setup: dict[str, Any]) -> None:
        """`setup`: {chats: [{id, title, type}], incoming: [{chat, from, text}]}."""
        known = {str(c["id"]): c for c in setup.get("chats", [])}
        with self._wake:
            self._chats = Chats(known)
            self._updates.clear()
        for row in setup.get("incoming", []):
            self.deliver(str(row["chat"]), str(row.get("from", "")), str(row["text"]))

    def deliver(self, chat: str, sender: str, text: str) -> None:
        """A message of somebody to the bot; KeyError for a chat that is not declared."""
        with self._wake:
            assert self._chats is not None, "no trial"
            about = self._chats.known[chat]
            self._message += 1
            self._update += 1
            message = {
                "message_id": self._message,
                "date": int(now().timestamp()),
                "chat": _chat(chat, about),
                "from": {"id": _sender(chat, sender, about), "is_bot": False,
                         "first_name": sender or str(about.get("title", ""))},
                "text": text,
            }  # fmt: skip
            self._updates.append({"update_id": self._update, "message": message})
            self._wake.notify_all()

    def end(self) -> dict[str, Any]:
        """{sent: [{chat, text, ...}] as it stands, withdrawn: [...], refused: [...]}."""
        with self._wake:
            chats, self._chats = self._chats, None
            self._updates.clear()
            self._wake.notify_all()
        if chats is None:
            return {"sent": [], "withdrawn": [], "refused": []}
        stays = [_shown(r) for r in chats.rows if not r["deleted"]]
        gone = [_shown(r) for r in chats.rows if r["deleted"]]
        return {"sent": stays, "withdrawn": gone, "refused": chats.refused}

    def answer(self, request: Request) -> Reply:
        """One Bot API call."""
        parts = urlsplit(request.target).path.split("/")
        method = parts[2] if len(parts) > 2 and parts[1].startswith("bot") else ""
        value = self._call(method, arguments(request))
        status = 200 if value["ok"] else int(value["error_code"])
        body = json.dumps(value, ensure_ascii=False).encode()
        return Reply(status, body, {"content-type": "application/json"})

    def _call(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        if method == "getUpdates":
            return _ok(self._poll(given))
        if method == "getMe":
            flags = {"can_join_groups": True, "can_read_all_group_messages": True}
            return _ok({**BOT, **flags, "supports_inline_queries": False})
        if method == "getWebhookInfo":
            return _ok({"url": "", "has_custom_certificate": False, "pending_update_count": 0})
        with self._wake:
            if self._chats is None:
                return _ok(True)
            if method in _SENDING:
                return self._send(method, given, self._chats)
            if method == "getChat":
                chat = str(given.get("chat_id"))
                about = self._chats.known.get(chat)
                return _ok(_chat(chat, about)) if about else _unknown_chat()
            if method in ("editMessageText", "editMessageCaption", "deleteMessage"):
                return self._change(method, given, self._chats)
        return _ok(True)

    def _poll(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        offset = int(given.get("offset") or 0)
        wait = min(float(given.get("timeout") or 0), LONGEST_POLL_S)
        with self._wake:
            if offset > 0:
                self._updates[:] = [u for u in self._updates if u["update_id"] >= offset]
            if not self._updates:
                self._wake.wait(wait)
            return list(self._updates)

    def _send(self, method: str, given: dict[str, Any], chats: Chats) -> dict[str, Any]:
        chat = str(given.get("chat_id"))
        text = next((str(given[k]) for k in _TEXT if given.get(k)), "")
        about = chats.known.get(chat)
        if about is None:
            chats.refused.append({"chat": chat, "text": text})
            return _unknown_chat()
        self._message += 1
        row: dict[str, Any] = {
            "chat": chat,
            "text": text,
            "id": self._message,
            "edits": [],
            "deleted": False,
        }
        if _SENDING[method]:
            row["attached"] = method.removeprefix("send").lower()
        reply = given.get("reply_parameters") or {}
        answered = given.get("reply_to_message_id") or (
            reply.get("message_id") if isinstance(reply, dict) else None
        )
        if answered:
            row["reply_to"] = int(answered)
        chats.rows.append(row)
        return _ok(self._message_of(row, about))

    def _change(self, method: str, given: dict[str, Any], chats: Chats) -> dict[str, Any]:
        key = (str(given.get("chat_id")), str(given.get("message_id")))
        row = next((r for r in chats.rows if (r["chat"], str(r["id"])) == key), None)
        if row is None or row["deleted"]:
            return _error("Bad Request: message not found")
        if method == "deleteMessage":
            row["deleted"] = True
            return _ok(True)
        row["edits"].append(row["text"])
        row["text"] = next((str(given[k]) for k in _TEXT if given.get(k)), "")
        return _ok(self._message_of(row, chats.known[row["chat"]]))

    @staticmethod
    def _message_of(row: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
        date = int(now().timestamp())
        chat = _chat(row["chat"], about)
        return {"message_id": row["id"], "date": date, "chat": chat, "from": BOT,
                "text": row["text"]}  # fmt: skip


def arguments(request: Request) -> dict[str, Any]:
    """Arguments of a Bot API call, however they were sent; file parts by their name only."""
    found: dict[str, Any] = dict(parse_qsl(urlsplit(request.target).query))
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/json"):
        try:
            value = json.loads(request.body or b"{}")
        except ValueError:
            return found
        return found | value if isinstance(value, dict) else found
    if kind.startswith("multipart/form-data"):
        head = f"content-type: {kind}\r\n\r\n".encode()
        for part in BytesParser(policy=HTTP).parsebytes(head + request.body).iter_parts():
            name = part.get_param("name", header="content-disposition")
            if part.get_filename() is None and name is not None:
                found[str(name)] = _plain(part.get_payload(decode=True))
        return found
    return found | dict(parse_qsl(request.body.decode("utf-8", "replace")))


def _plain(data: Any) -> Any:
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    return json.loads(text) if text[:1] == "{" and text[-1:] == "}" else text


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    found = {k: v for k, v in row.items() if k != "deleted"}
    if not found["edits"]:
        del found["edits"]
    return found


def _chat(chat: str, about: dict[str, Any]) -> dict[str, Any]:
    kind = str(about.get("type", "private"))
    name = "first_name" if kind == "private" else "title"
    return {"id": int(chat), "type": kind, name: str(about.get("title", ""))}


def _sender(chat: str, sender: str, about: dict[str, Any]) -> int:
    """In a private chat the person has the chat's id; in a group each name has one of its own."""
    if about.get("type", "private") == "private":
        return int(chat)
    return 10_000_000 + int(hashlib.sha256(sender.encode()).hexdigest()[:6], 16)


def _ok(result: Any) -> dict[str, Any]:
    return {"ok": True, "result": result}


def _error(description: str) -> dict[str, Any]:
    return {"ok": False, "error_code": 400, "description": description}


def _unknown_chat() -> dict[str, Any]:
    return _error("Bad Request: chat not found")
