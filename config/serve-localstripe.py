# localstripe's application on a port of 127.0.0.1; its own command listens to the whole network, and keeps
# everything in one file of /tmp.
#
#   target/tools/localstripe/bin/python config/serve-localstripe.py [PORT]
#
# Without a port it takes a free one, prints it, and ends with its standard input.

import asyncio
import sys

from aiohttp import web
from localstripe import resources, server

resources.Store.dump_to_disk = lambda self: None


# localstripe lists payment intents in the order in which they came, and only all of them. Stripe lists the
# newest first, and those of a time where it is asked to.
def list_intents(cls, url, limit=None, starting_after=None, created=None):
    created = created or {}
    first, last = int(created.get("gte", 0)), int(created.get("lte", 2**63))
    page = resources.List(url, limit=limit, starting_after=starting_after)
    known = [it for key, it in resources.store.items() if key.startswith("payment_intent:")]
    page._list = [it for it in reversed(known) if first <= it.created <= last]
    return page


resources.PaymentIntent._api_list_all = classmethod(list_intents)


async def main():
    runner = web.AppRunner(server.app)
    await runner.setup()
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    await web.TCPSite(runner, "127.0.0.1", port).start()
    if port:
        await asyncio.Event().wait()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
