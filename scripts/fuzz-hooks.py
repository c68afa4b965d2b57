"""Hooks and checks of schemathesis for `npm run test:fuzz`."""

import json
from urllib.parse import quote, urlencode
from zlib import crc32

import requests
import schemathesis

# Below the 16 kB of a request's head that Node.js accepts.
MAX_LENGTH = 12_000

# An object where a string or a list belongs; its length cannot be compared.
UNMEASURABLE = {"length": {"valueOf": 1, "toString": 1}}
# The check sends one request for so many of others.
PROBED = 4


@schemathesis.hook
def filter_case(context, case):
    """Leaves out heads that Node.js refuses before the service reads them (431 without a body)."""
    path = sum(len(quote(str(value), safe="")) for value in (case.path_parameters or {}).values())
    query = len(urlencode(dict(case.query or {}), doseq=True))
    headers = sum(len(str(value)) for value in (case.headers or {}).values())
    return path + query + headers <= MAX_LENGTH


@schemathesis.check
def values_with_lengths(ctx, response, case):
    """Sends a body again with `UNMEASURABLE` in one of its places: not a server error."""
    sent = response.request
    if sent.headers.get("Content-Type") != "application/json" or not isinstance(sent.body, bytes):
        return
    seed = crc32(sent.body)
    if seed % PROBED:
        return
    try:
        body = json.loads(sent.body)
    except ValueError:
        # Invalid input of the fuzzer.
        return
    places = list(places_in(body))
    if not places:
        return
    holder, key = places[seed // PROBED % len(places)]
    holder[key] = UNMEASURABLE
    again = sent.copy()
    again.prepare_body(json.dumps(body).encode(), None)
    with requests.Session() as session:
        status = session.send(again, timeout=20, allow_redirects=False).status_code
    assert status != 500, f"{status} for {json.dumps(body)}"


def places_in(value):
    """Yields each place of a JSON value, as what holds it and its key there."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(members):
        yield value, key
        yield from places_in(inner)
