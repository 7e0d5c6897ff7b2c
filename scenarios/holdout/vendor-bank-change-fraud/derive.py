"""Inputs folder (argv[1]) -> expected.json: each item of the proposal against the bank detail rules."""
import csv
import json
import sys
from decimal import Decimal
from pathlib import Path

inputs = Path(sys.argv[1])


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


RUN = "2026-11-12"
vendors = {r["vendor"]: r for r in rows("vendor_master.csv")}
changes = {r["change"]: r for r in rows("change_log.csv")}
calls = rows("callback_register.csv")


def called_back(change):
    """Rule 3: a completed call to the number of record, by someone else, within the window."""
    for c in calls:
        v = vendors[change["vendor"]]
        good = (
            c["change"] == change["change"]
            and c["result"] == "confirmed"
            and c["number_called"] == v["phone"]
            and v["phone_since"] < change["requested_on"]
            and c["by"] not in (change["entered_by"], change["approved_by"])
            and change["requested_on"] <= c["date"] <= RUN
        )
        if good:
            return True
    return False


credits = {}
for c in rows("credits.csv"):
    if c["status"] == "released" and c["netting_agreement"] == "yes":
        credits.setdefault(c["vendor"], []).append([c["credit"], Decimal(c["amount_eur"])])
result, total = [], Decimal(0)
paid_refs = {(r["vendor"], r["invoice"]) for r in rows("paid_invoices.csv")}
for r in rows("payment_proposal.csv"):
    v = vendors[r["vendor"]]
    latest = [c for c in changes.values() if c["vendor"] == r["vendor"] and c["requested_on"] <= RUN]
    last = max(latest, key=lambda c: c["requested_on"]) if latest else None
    decision, rule = "pay", None
    if (r["vendor"], r["invoice"]) in paid_refs:
        decision, rule = "reject", "B1"
    elif v["blocked"] == "yes":
        decision, rule = "hold", "B2"
    elif r["iban_tail"] != v["iban_tail"]:
        decision, rule = "reject", "B3"
    elif last and last["new_iban_tail"] == v["iban_tail"]:
        if last["sender_domain"] != v["mail_domain"] and last["channel"] == "mail":
            decision, rule = "reject", "B4"
        elif not called_back(last):
            decision, rule = "hold", "B5"
        elif last["approved_by"] == last["entered_by"]:
            decision, rule = "hold", "B6"
    amount = Decimal(0)
    if decision == "pay":
        amount = Decimal(r["amount_eur"])
        for c in credits.get(r["vendor"], []):
            use = min(c[1], amount)
            amount -= use
            c[1] -= use
        total += amount
    result.append({"item": r["item"], "decision": decision, "rule": rule or "none", "pay_eur": float(amount)})
print(json.dumps({"items": result, "released_total_eur": float(total)}, indent=1))
