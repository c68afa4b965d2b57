// The baseline: a minimal fast implementation with node:http and the driver, one findOneAndUpdate
// per request, without any check.
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

const client = await new MongoClient(process.env.MONGODB_URI, {
  writeConcern: { w: 'majority', journal: true },
}).connect();
const users = client.db().collection('baseline');
await users.createIndex({ app: 1, email: 1 }, { unique: true });
// The listing uses a separate collection and index, so that they do not slow submissions down.
const listed = client.db().collection('baseline_listed');
await listed.createIndex({ app: 1, email: 1 }, { unique: true });
await listed.createIndex({ app: 1, _id: -1 });
const schema = JSON.stringify(JSON.parse(process.env.BASELINE_SCHEMA ?? '{}'));

createServer(async (req, res) => {
  const json = await respond(req);
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  res.end(json);
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
});

async function respond(req) {
  if (req.url === '/v1/schema') return schema;
  if (req.url === '/auth/users')
    return JSON.stringify({ users: await listed.find({ app: 'list' }).sort({ _id: -1 }).toArray() });
  const { email, data } = JSON.parse(await readBody(req));
  const { visits, ...fields } = data;
  const now = new Date();
  const set = Object.fromEntries(Object.entries(fields).map(([key, value]) => [`data.${key}`, value]));
  const app = req.headers['x-app-id'];
  const record = await (app === 'list' ? listed : users).findOneAndUpdate(
    { app, email },
    {
      $set: { ...set, updatedAt: now },
      $setOnInsert: { createdAt: now },
      ...(visits && {
        $push: { 'data.visits': { $each: visits.map((value) => ({ value, timestamp: now.toISOString() })) } },
      }),
    },
    { upsert: true, returnDocument: 'after', projection: { createdAt: 1, updatedAt: 1 } },
  );
  return JSON.stringify({ id: record._id, createdAt: record.createdAt, updatedAt: record.updatedAt });
}

function readBody(req) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks).toString()));
    req.on('error', reject);
  });
}
