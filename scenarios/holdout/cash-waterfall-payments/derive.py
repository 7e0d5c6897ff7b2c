"""Inputs folder (argv[1]) -> expected.json: all combinations of the options, the best that is allowed."""
import csv
import datetime
import itertools
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])
cent = Decimal("0.01")
day = datetime.date.fromisoformat
one = datetime.timedelta(1)


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def money(x):
    return x.quantize(cent, ROUND_HALF_UP)


terms = {r["term"]: r["value"] for r in rows("facility.csv")}
closed = {r["date"] for r in rows("bank_holidays.csv") if r["place"] == terms["place of the account"]}
START, END = "2026-11-09", "2026-11-20"
calendar = [str(day(START) + one * i) for i in range(12)]


def banking(date):
    return day(date).weekday() < 5 and date not in closed


def last_banking(date):
    while not banking(date):
        date = str(day(date) - one)
    return date


def next_banking(date):
    date = str(day(date) + one)
    while not banking(date):
        date = str(day(date) + one)
    return date


frozen = {r["register_no"]: r["listed_on"] for r in rows("freeze_list.csv")}
payees = {r["payee"]: r for r in rows("payees.csv")}
opening = Decimal(0)
for a in rows("accounts.csv"):
    if a["lock"] == "none":
        opening += Decimal(a["settled_eur"])
inflow = {}
for r in rows("receipts.csv"):
    if r["status"] == "confirmed":
        settles = next_banking(r["booked"])
        inflow[settles] = inflow.get(settles, Decimal(0)) + Decimal(r["amount_eur"])
payments = rows("payments.csv")
choices = {}
for p in payments:
    amount = Decimal(p["amount_eur"])
    origin = payees[p["claim_of"] or p["payee"]]
    own = payees[p["payee"]]
    blocked = own["register_no"] in frozen or (
        p["claim_of"] and origin["register_no"] in frozen and p["assigned_on"] >= frozen[origin["register_no"]]
    )
    if blocked:
        choices[p["payment"]] = [("blocked", "", Decimal(0), Decimal(0))]
        continue
    options = []
    if p["discount_until"] and last_banking(p["discount_until"]) >= START:
        cut = money(amount * Decimal(p["discount_pct"]) / 100)
        options.append(("discount", last_banking(p["discount_until"]), amount - cut, cut))
    if p["due"] <= END:
        options.append(("due", last_banking(p["due"]), amount, Decimal(0)))
    else:
        options.append(("later", "", Decimal(0), Decimal(0)))
    if p["late_until"] and p["priority"] != "1":
        fee = money(amount * Decimal(p["late_fee_pct"]) / 100)
        options.append(("late", last_banking(p["late_until"]), amount + fee, -fee))
    choices[p["payment"]] = options
limit, floor = -Decimal(terms["overdraft limit eur"]), Decimal(terms["covenant floor eur"])
rate = Decimal(terms["overdraft interest pct per day"]) / 100
best, ties = None, 0
for pick in itertools.product(*choices.values()):
    out = {}
    for _, date, amount, _ in pick:
        out[date] = out.get(date, Decimal(0)) + amount
    balance, interest, headroom, good, ends = opening, Decimal(0), None, True, []
    for date in calendar:
        balance += inflow.get(date, Decimal(0)) - out.get(date, Decimal(0))
        interest += money(max(Decimal(0), -balance) * rate)
        bound = floor if day(date).weekday() == 4 else limit
        if balance < bound:
            good = False
            break
        if banking(date):
            room = balance - bound
            headroom = room if headroom is None else min(headroom, room)
            ends.append((date, balance))
    if not good:
        continue
    value = sum(p[3] for p in pick) - interest
    if best is None or value > best[0]:
        best, ties = (value, pick, interest, headroom, ends), 0
    elif value == best[0]:
        ties += 1
if ties:
    raise SystemExit("tie")
value, pick, interest, headroom, ends = best
print(json.dumps({
    "payments": [
        {"payment": n, "option": o, "date": d, "amount_eur": float(a)} for n, (o, d, a, _) in zip(choices, pick)
    ],
    "balances": [{"date": d, "settled_eur": float(b)} for d, b in ends],
    "interest_eur": float(interest),
    "net_saving_eur": float(value),
    "least_headroom_eur": float(headroom),
}, indent=1))
