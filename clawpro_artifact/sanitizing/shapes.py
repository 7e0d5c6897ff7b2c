"""the shapes of credentials that the sanitizer removes: those the verifier refuses, and more.

The verifier's table (`formats.secretpatterns`) is short because it pays for every literal in every
byte of a bundle; here one automaton finds all literals in one pass. Sources: the issuers'
documented formats (prefix, alphabet, length). Every match starts with its literal.
"""

from __future__ import annotations

import re
from typing import Final

from clawpro_artifact.formats import secretpatterns

VERSION: Final = "clawpro.shapes.v1"
_MORE: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "age-secret-key": (("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    "slack-app-token": (("xapp-",), r"xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[0-9a-f]{32,}"),
    "discord-hook": (
        (
            "discord.com/api/",
            "discordapp.com/api/",
        ),
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}",
    ),
    "openrouter-key": (("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{64}"),
    "google-oauth-token": (("ya29.",), r"ya29\.[0-9A-Za-z_-]{40,}"),
    "google-oauth-secret": (("GOCSPX-",), r"GOCSPX-[0-9A-Za-z_-]{28}"),
    "stripe-hook": (("whsec_",), r"whsec_[A-Za-z0-9+/]{32,}"),
    "square-token": (
        (
            "sq0csp-",
            "sq0atp-",
        ),
        r"(?:sq0csp-[0-9A-Za-z_-]{43}|sq0atp-[0-9A-Za-z_-]{22})",
    ),
    "shopify-token": (
        (
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
        ),
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    ),
    "sendgrid-key": (("SG.",), r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    "mailgun-key": (("key-",), r"(?<![0-9A-Za-z_-])key-[0-9a-f]{32}(?![0-9A-Za-z])"),
    "rubygems-key": (("rubygems_",), r"rubygems_[0-9a-f]{48}"),
    "docker-token": (("dckr_pat_",), r"dckr_pat_[A-Za-z0-9_-]{27}"),
    "replicate-token": (("r8_",), r"(?<![0-9A-Za-z_-])r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
    "groq-key": (("gsk_",), r"gsk_[A-Za-z0-9]{52}"),
    "perplexity-key": (("pplx-",), r"pplx-[A-Za-z0-9]{48}"),
    "digitalocean-token": (
        (
            "doo_v1_",
            "dop_v1_",
            "dor_v1_",
        ),
        r"do[opr]_v1_[0-9a-f]{64}",
    ),
    "databricks-token": (("dapi",), r"(?<![0-9A-Za-z_-])dapi[0-9a-f]{32}(?![0-9A-Za-z])"),
    "doppler-token": (("dp.pt.",), r"dp\.pt\.[A-Za-z0-9]{40,44}"),
    "vault-token": (("hvs.",), r"hvs\.[A-Za-z0-9_-]{90,}"),
    "pulumi-token": (("pul-",), r"(?<![0-9A-Za-z_-])pul-[0-9a-f]{40}(?![0-9A-Za-z])"),
    "linear-key": (("lin_api_",), r"lin_api_[A-Za-z0-9]{40}"),
    "notion-token": (("ntn_",), r"ntn_[0-9]{11}[A-Za-z0-9]{35}"),
    "atlassian-token": (("ATATT3",), r"ATATT3[A-Za-z0-9_=-]{100,}"),
    "postman-key": (("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    "new-relic-key": (("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    "grafana-token": (("glsa_",), r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    "sentry-token": (
        (
            "sntrys_",
            "sntryu_",
        ),
        r"sntry[su]_[A-Za-z0-9+/=_-]{60,}",
    ),
    "figma-token": (("figd_",), r"figd_[A-Za-z0-9_-]{40}"),
    "tailscale-key": (("tskey-",), r"tskey-[a-z]{3,8}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
}
# With what each shape of the verifier's table begins.
_CORE: Final[dict[str, tuple[str, ...]]] = {
    "private-key": ("-----BEGIN ",),
    "slack-token": (
        "xoxa-",
        "xoxb-",
        "xoxe-",
        "xoxo-",
        "xoxp-",
        "xoxr-",
        "xoxs-",
    ),
    "stripe-key": (
        "sk_live_",
        "rk_live_",
    ),
    "anthropic-key": ("sk-ant-",),
    "openai-key": (
        "sk-proj-",
        "sk-svcacct-",
        "sk-admin-",
    ),
    "openai-legacy-key": ("sk-",),
    "aws-key": (
        "AKIA",
        "ASIA",
    ),
    "github-token": (
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
    ),
    "github-pat": ("github_pat_",),
    "gitlab-token": (
        "glpat-",
        "gldt-",
        "glptt-",
        "glrt-",
        "glsoat-",
        "glcbt-",
    ),
    "slack-hook": ("hooks.slack.",),
    "google-key": ("AIza",),
    "npm-token": ("npm_",),
    "pypi-token": ("pypi-Ag",),
    "hugging-face-token": ("hf_",),
    "json-web-token": ("eyJ",),
}
# The verifier's pattern stops after the first line, the sanitizer takes the key with it.
_PEM_END: Final = r"(?:.{0,16384}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?"


def _shapes() -> dict[str, tuple[tuple[str, ...], re.Pattern[str]]]:
    found = {
        name: (_CORE[name], pattern.decode()) for name, pattern in secretpatterns.PATTERNS.items()
    }
    literals, pattern = found["private-key"]
    found["private-key"] = (literals, pattern + _PEM_END)
    found |= _MORE
    return {n: (lit, re.compile(p, re.DOTALL | re.ASCII)) for n, (lit, p) in found.items()}


# Kind -> the literals with which a match begins, and the pattern of the whole.
SHAPES: Final = _shapes()
