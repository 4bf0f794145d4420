# localstripe's application on a free port of 127.0.0.1, which is printed; its own command listens to the
# whole network, and keeps everything in one file of /tmp. Ends with its standard input.

import asyncio
import sys

from aiohttp import web
from localstripe import resources, server

resources.Store.dump_to_disk = lambda self: None


async def main():
    runner = web.AppRunner(server.app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
