"""客户端。"""


class Client:
    """一个服务地址和它的重试设置。"""

    def __init__(self, base, max_retry, timeout):
        self.base = base.rstrip("/")
        self._max_retry = max_retry
        self.timeout = timeout

    @property
    def max_retry(self):
        """失败后再试的次数。"""
        return self._max_retry

    def attempts(self):
        """一次请求最多发出几次。"""
        return 1 + self._max_retry


def create_client(base, *, max_retry=3, timeout=10):
    """建一个客户端；max_retry 为 None 表示不重试。"""
    return Client(base, max_retry or 0, timeout)


_KEYS = {"base", "max_retry", "timeout"}


def from_config(config):
    """从配置字典建客户端；不认识的键抛 ValueError。"""
    unknown = sorted(set(config) - _KEYS)
    if unknown:
        raise ValueError("unknown keys: " + ", ".join(unknown))
    return create_client(**config)
