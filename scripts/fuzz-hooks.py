"""Hooks of schemathesis for `npm run test:fuzz`."""

from urllib.parse import quote, urlencode

import schemathesis

# Below the 16 kB of a request's head that Node.js accepts.
MAX_LENGTH = 12_000


@schemathesis.hook
def filter_query(context, query):
    """Leaves out queries that Node.js refuses before the service reads them (431 without a body)."""
    return len(urlencode(dict(query or {}), doseq=True)) <= MAX_LENGTH


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    """Leaves out paths that Node.js refuses before the service reads them (431 without a body)."""
    return all(len(quote(str(value), safe="")) <= MAX_LENGTH for value in (path_parameters or {}).values())
