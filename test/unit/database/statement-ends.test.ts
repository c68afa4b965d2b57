// @module-tag long

import { MongoClient } from 'mongodb';
import { expect, inject, it } from 'vitest';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { limitStatementTime } from '../../../src/platform/database/collections.ts';
import { startProxy } from '../../support/peers/proxy.ts';

it('ends a large statement that the driver never settles, and frees its connection', async () => {
  const proxy = await startProxy(new URL(inject('mongodbUri')));
  const uri = new URL(inject('mongodbUri'));
  uri.port = String(proxy.port);
  const soon = { connectTimeoutMS: 1_000, heartbeatFrequencyMS: 1_000 };
  const client = new MongoClient(uri.href, { ...soon, retryWrites: false, maxPoolSize: 1 });
  let closings = 0;
  client.on('connectionPoolCleared', ({ interruptInUseConnections }) => {
    if (interruptInUseConnections) closings += 1;
  });
  try {
    await client.db('ends').command({ ping: 1 });
    const statements = limitStatementTime(client.db('ends').collection('ends'), 5_000);
    proxy.stall();
    const inserted = statements.insertOne({ text: 'x'.repeat(8 * 1024 * 1024) });
    await expect(inserted).rejects.toBeInstanceOf(Unavailable);
    expect(closings).toBe(1);
    proxy.restore();
    // The pool has its one connection back.
    await statements.insertOne({ text: 'later' });
    await client.db('ends').dropDatabase();
  } finally {
    await client.close();
    await proxy.close();
  }
});
