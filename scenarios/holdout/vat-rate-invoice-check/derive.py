"""Inputs folder (argv[1]) -> expected.json: invoice by invoice under the memo."""
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


vendors = {r["销方"]: r for r in rows("供应商.csv")}
sales = {(r["销方"], r["月份"]): Decimal(r["不含税销售额"]) for r in rows("月销售额.csv")}
use = {r["发票"]: r for r in rows("用途.csv")}
invoices = rows("发票.csv")


def rate_of(category, date):
    fits = [r for r in rows("税率.csv") if r["类别"] == category and r["起"] <= date and (not r["止"] or date <= r["止"])]
    return Decimal(fits[0]["税率"])


def status_of(seller, date):
    v = vendors[seller]
    return "一般" if v["一般纳税人起"] and v["一般纳税人起"] <= date else "小规模"


def main_category(r):
    """Mixed sale: one deal, goods with service; the seller's main business decides."""
    if r["混合销售"] == "是":
        return vendors[r["销方"]]["主营类别"]
    return r["类别"]


result = []
total = Decimal(0)
by_number = {r["发票"]: r for r in invoices}
for r in invoices:
    date = r["纳税义务日期"]
    origin = by_number.get(r["红冲原票"])
    if origin:
        # A red invoice takes rate and status of the invoice that it reverses.
        date, source = origin["纳税义务日期"], origin
    else:
        source = r
    status = status_of(r["销方"], date)
    if status == "小规模":
        below = sales[r["销方"], date[:7]] <= Decimal("100000")
        rate = Decimal(0) if below and r["票种"] == "普票" and not origin else Decimal("1")
        if origin:
            rate = Decimal(0) if below and origin["票种"] == "普票" else Decimal("1")
    else:
        rate = rate_of(main_category(source), date)
    if r["计价"] == "含税":
        net = money(Decimal(r["金额"]) / (1 + rate / 100))
        tax = Decimal(r["金额"]) - net
    else:
        net = Decimal(r["金额"])
        tax = money(net * rate / 100)
    shown_rate, shown = Decimal(r["票面税率"]), Decimal(r["票面税额"])
    if shown_rate != rate:
        error = "税率错误"
        if status == "小规模" and shown_rate > 1:
            error = "身份错误"
    elif shown != tax:
        error = "税额错误"
    else:
        error = "无"
    deductible = Decimal(0)
    if error == "无" and r["票种"] == "专票":
        share = Decimal(use[r["发票"]]["集体福利占比"]) / 100
        deductible = tax - money(tax * share)
        if use[r["发票"]]["类型"] == "固定资产" and share < 1:
            deductible = tax
    total += deductible
    result.append({"invoice": r["发票"], "rate_pct": float(rate), "tax_yuan": float(tax), "error": error, "deductible_yuan": float(deductible)})
print(json.dumps({"invoices": result, "deductible_total_yuan": float(total)}, ensure_ascii=False, indent=1))
