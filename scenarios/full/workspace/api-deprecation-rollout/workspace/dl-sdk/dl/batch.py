"""批量接口。"""

from dl.client import create_client, from_config

_PROBE = {"base": "https://dl.example", "max_retry": None, "timeout": 2}


def probe():
    """探活用的客户端，不重试。"""
    return from_config(_PROBE)


def shorten_all(base, urls):
    """每个网址一个请求计划：(网址, 最多几次)。"""
    client = create_client(base, max_retry=1)
    return [(url, client.attempts()) for url in urls]
