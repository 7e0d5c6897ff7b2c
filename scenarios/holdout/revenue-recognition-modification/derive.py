"""Inputs folder (argv[1]) -> expected.json: allocation, progress by quarter, modification, catch-up."""
import csv
import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

inputs = Path(sys.argv[1])
cent = Decimal("0.01")


def rows(name):
    with (inputs / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def money(x):
    return x.quantize(cent, ROUND_HALF_UP)


def shares(total, weights):
    """Split in proportion, rounded half up; the largest weight takes the rest of rounding."""
    whole = sum(weights.values())
    parts = {k: money(total * w / whole) for k, w in weights.items()}
    top = max(weights, key=lambda k: weights[k])
    parts[top] += total - sum(parts.values())
    return parts


terms = {r["term"]: r["value"] for r in rows("contract_terms.csv")}
alone = {}
for r in rows("standalone_prices.csv"):
    if r["from"] <= terms["signed on"] and not r["obligation"].startswith("added"):
        alone[r["obligation"]] = Decimal(r["price_eur"])
late = {}
for r in rows("standalone_prices.csv"):
    if r["from"] <= terms["modified on"]:
        late[r["obligation"]] = Decimal(r["price_eur"])
fixed = Decimal(terms["fixed price eur"])
bonus = Decimal(terms["uptime bonus eur"])
bundle = terms["bundle discount applies to"].split("+")
# The bundle's discount first, on its members; then the bonus on its own obligation.
discount = sum(alone.values()) - fixed
members = {k: alone[k] for k in alone if k in bundle}
less = shares(discount, members)
before = {k: alone[k] - less.get(k, 0) for k in alone}
quarters = ["2026Q1", "2026Q2", "2026Q3", "2026Q4"]
ends = dict(zip(quarters, ("2026-03-31", "2026-06-30", "2026-09-30", "2026-12-31")))
events = [line.split("  ", 1) for line in (inputs / "events.txt").read_text(encoding="utf-8").splitlines()]


def date_of(what):
    return next(date for date, text in events if what in text)


def quarter_of(date):
    return next(q for q in quarters if date <= ends[q])


def month_number(date):
    return int(date[:4]) * 12 + int(date[5:7])


released = date_of("confirms the uptime")
modified = terms["modified on"]
progress = {("machine", quarter_of(date_of("Acceptance at the site"))): Decimal(1)}
for r in rows("cost_ledger.csv"):
    if r["obligation"] == "installation" and not r["text"].endswith("scrap"):
        key = (r["obligation"], quarter_of(r["posted"]))
        progress[key] = progress.get(key, Decimal(0)) + Decimal(r["eur"])
start = month_number(date_of("Service starts"))
for q in quarters:
    last = month_number(ends[q])
    progress["service", q] = max(0, min(3, last - start + 1))
changed_quarter = next(q for q in quarters if modified <= ends[q])
extra = Decimal(terms["modification price eur"])

# MACHINE: point in time.
revenue = {q: {"machine": Decimal(0), "installation": Decimal(0), "service": Decimal(0)} for q in quarters}
for q in quarters:
    if progress.get(("machine", q)):
        revenue[q]["machine"] = before["machine"]
# INSTALLATION: cost to cost, cumulative; the modification enlarges the same obligation.
# The modification's price is split between the added installation and the added service months.
split = shares(extra, {"installation": late["added installation"], "service": late["added service"]})
price, budget, done = before["installation"], Decimal(terms["installation cost budget eur"]), Decimal(0)
spent = Decimal(0)
catch_up = Decimal(0)
for q in quarters:
    if q == changed_quarter:
        # Cumulative effect at the date of the change, on the costs of the quarters before.
        price += split["installation"]
        budget += Decimal(terms["added installation cost eur"])
        new = money(price * spent / budget)
        catch_up = new - done
        done = new
    spent += progress.get(("installation", q), Decimal(0))
    total = money(price * spent / budget)
    revenue[q]["installation"] = total - done + (catch_up if q == changed_quarter else 0)
    done = total
# SERVICE: by month; prospective from the month after the modification.
months = int(terms["service months"])
rest_price, rest_months, given = before["service"], months, Decimal(0)
added = int(terms["added service months"])
given_months = 0
constrained = True
for q in quarters:
    n = int(progress.get(("service", q), 0))
    if q == changed_quarter:
        # Months that begin after the change have the new price.
        old = n - (month_number(ends[q]) - month_number(modified))
        first = money(rest_price * old / rest_months)
        rest_price, rest_months = rest_price - first + split["service"], rest_months - old + added
        second = money(rest_price * (n - old) / rest_months)
        revenue[q]["service"] = first + second
        rest_price, rest_months = rest_price - second, rest_months - (n - old)
        given_months += n
    else:
        part = money(rest_price * n / rest_months)
        revenue[q]["service"] = part
        rest_price, rest_months = rest_price - part, rest_months - n
        given_months += n
    if constrained and released <= ends[q]:
        # The bonus belongs to the service: months already served at once, the rest over the rest.
        constrained = False
        now = money(bonus * given_months / (given_months + rest_months))
        revenue[q]["service"] += now
        rest_price += bonus - now
after = {
    "machine": before["machine"],
    "installation": before["installation"] + split["installation"],
    "service": before["service"] + split["service"],
}
print(json.dumps({
    "allocation_before": {k: float(v) for k, v in before.items()},
    "allocation_after": {k: float(v) for k, v in after.items()},
    "revenue": [
        {"quarter": q, **{k: float(v) for k, v in revenue[q].items()}, "total": float(sum(revenue[q].values()))}
        for q in quarters
    ],
    "installation_catch_up_eur": float(catch_up),
}, indent=1))
