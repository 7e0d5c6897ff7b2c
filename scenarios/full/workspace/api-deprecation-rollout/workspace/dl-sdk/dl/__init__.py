"""短链服务客户端。"""

from dl.batch import shorten_all
from dl.client import Client, create_client, from_config

__all__ = ["Client", "create_client", "from_config", "shorten_all"]
