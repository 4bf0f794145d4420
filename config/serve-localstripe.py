# localstripe's application on a port of 127.0.0.1; its own command listens to the whole network, and keeps
# everything in one file of /tmp.
#
#   target/tools/localstripe/bin/python config/serve-localstripe.py [PORT]
#
# Without a port it takes a free one, prints it, and ends with its standard input.

import asyncio
import sys

from aiohttp import web
from localstripe import errors, resources, server

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


# Stripe says of a card's error that it is one, which may be shown to a buyer; localstripe never does.
say = errors.UserError.to_response
why_failed = resources.PaymentIntent.last_payment_error.fget


def say_of_card(error):
    if error.code == 402:
        error.body["error"]["type"] = "card_error"
    return say(error)


def last_payment_error(intent):
    error = why_failed(intent)
    return {**error, "type": "card_error"} if error and "charge" in error else error


errors.UserError.to_response = say_of_card
resources.PaymentIntent.last_payment_error = property(last_payment_error)


# Stripe lists a refund that failed, and counts it out; localstripe's never do. Here somebody says that one does.
async def fail_refund(request):
    refund = resources.Refund._api_retrieve(request.match_info["id"])
    refund.status, refund.failure_reason = "failed", "lost_or_stolen_card"
    return server.json_response(refund._export())


resources.Charge.amount_refunded = property(
    lambda charge: sum(it.amount for it in charge.refunds._list if it.status != "failed")
)
server.app.router.add_post("/v1/refunds/{id}/_fail", fail_refund)


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
