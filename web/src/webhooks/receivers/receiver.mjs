// Receives webhooks: node receiver.mjs. WEBHOOK_SECRET is the secret that begins with whsec_.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');
if (key.length < 24) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook');

function isValid({ 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300)) return false; // 5 minutes
  const digest = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  const given = signatures.split(' ').map((signature) => Buffer.from(signature));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

async function receive(request) {
  if (!(request.headers['content-length'] <= 16_000_000)) return 413;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isValid(request.headers, body)) return 401;
  // The same id again is a repetition.
  console.log(request.headers['webhook-id'], JSON.stringify(JSON.parse(body)));
  return 204;
}

createServer(async (request, response) => {
  response.writeHead(await receive(request).catch(() => 400)).end();
}).listen(process.env.PORT ?? 8000);
