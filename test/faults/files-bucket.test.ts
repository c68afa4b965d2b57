// @module-tag fault

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import type { FileDocument } from '../../src/features/files/files.model.ts';
import { hashOf } from '../../src/features/files/incoming.ts';
import { startS3 } from '../support/peers/s3.ts';
import { rounds } from '../support/run/rounds.ts';
import { CV, pdfOf } from '../support/server/uploads.ts';
import { inspect, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(20, 3);
const SENDERS = 4;
const HOUR_MS = 3_600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Acknowledged {
  token: string;
  sha256: string;
}

/** Uploads files of 1 byte to 1 MB one after another until `stop`; resolves with those answered. */
function startUploads(url: string): { acknowledged: Acknowledged[]; stop(): Promise<unknown> } {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  const send = async (sender: number): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      const content = pdfOf(10 + ((n * 7_919 + sender * 104_729) % 1_000_000), n % 251);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const headers = { 'x-forwarded-for': `10.0.${sender}.${n % 250}` };
      try {
        const path = `${url}/v1/forms/forms/files?field=cv&name=cv.pdf`;
        const response = await fetch(path, { method: 'POST', headers, body: new Uint8Array(content) });
        if (response.status === 201) {
          const body = (await response.json()) as Acknowledged;
          expect(body.sha256).toBe(sha256);
          acknowledged.push({ token: body.token, sha256 });
        } else await response.arrayBuffer();
      } catch {
        await sleep(20); // the server was killed
      }
    }
  };
  const sending = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  return {
    acknowledged,
    stop: () => {
      isOver = true;
      return sending;
    },
  };
}

it(`keeps every acknowledged file of a bucket through ${ROUNDS} kills of the server, and removes the others (spec 4.14.4)`, async () => {
  const s3 = await startS3();
  cleanups.push(() => s3.close());
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  const service = await Service.create({
    MONGODB_URI: database.uri,
    FILES_URL: s3.url('faults'),
    TRUST_PROXY: '1',
    AWS_ACCESS_KEY_ID: 'tests',
    AWS_SECRET_ACCESS_KEY: 'secret of tests',
  });
  await service.start();
  cleanups.push(() => service.stop());
  const admin = await service.admin();
  await admin.post('/auth/apps', { sourceAppId: 'forms' }).expect(200);
  await admin.putSchema('forms', { fields: [CV] }).expect(200);
  const uploads = startUploads(service.url);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = uploads.acknowledged.length;
    await expect.poll(() => uploads.acknowledged.length).toBeGreaterThan(before);
    await sleep(Math.random() * 700);
    await service.kill();
    await service.start();
    logProgress(`kill ${round} of ${ROUNDS}, ${uploads.acknowledged.length - before} files acknowledged in this round`);
  }
  await uploads.stop();
  const { acknowledged } = uploads;
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS);

  const files = (db: Db) => db.collection<FileDocument>('files.files');
  const stored = await inspect(database.uri, (db) => files(db).find().toArray());
  const byToken = new Map(
    stored.map((file) => [Buffer.from(file.metadata.token?.buffer ?? []).toString('hex'), file] as const),
  );
  for (const { token, sha256 } of acknowledged) {
    const file = byToken.get(Buffer.from(hashOf(token).buffer).toString('hex'));
    expect(file?.metadata).toMatchObject({ state: 'whole', store: 's3', sha256 });
    const content = await s3.read(`faults/${file?._id.toHexString(true)}`);
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  }
  logProgress(`${acknowledged.length} acknowledged, ${stored.length} documents, ${(await s3.keys()).length} objects`);

  // Nothing names them: when their hour is over, nothing is left anywhere.
  await inspect(database.uri, async (db) => {
    const past = new Date(Date.now() - HOUR_MS);
    const times = { 'metadata.expiresAt': past, 'metadata.checkAt': past };
    const marked = { 'metadata.claim.until': past };
    await files(db).updateMany({ 'metadata.state': { $ne: 'removing' } }, { $set: times });
    await files(db).updateMany({ 'metadata.state': 'removing' }, { $set: { 'metadata.checkAt': past, ...marked } });
  });
  await expect.poll(() => s3.keys(), { timeout: 60_000 }).toEqual([]);
  await expect
    .poll(() => inspect(database.uri, (db) => db.collection('files.chunks').countDocuments()), { timeout: 60_000 })
    .toBe(0);
});
