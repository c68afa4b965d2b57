# Receives webhooks: python3 receiver.py. WEBHOOK_SECRET is the secret that begins with whsec_.
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
if len(KEY) < 24:
    raise SystemExit("Set WEBHOOK_SECRET to the secret of the webhook")


def is_valid(headers, body):
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit() and abs(time.time() - int(sent_at)) <= 300):  # 5 minutes
        return False
    signed = f"{message_id}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit() and int(length) <= 16_000_000):
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_valid(self.headers, body):
            return self.answer(401)
        # The same id again is a repetition.
        print(self.headers["webhook-id"], json.dumps(json.loads(body)), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", 8000))), Receiver).serve_forever()
