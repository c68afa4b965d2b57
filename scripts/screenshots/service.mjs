import { createApp } from '../../dist/app.js';
import { createEmbed } from '../../dist/http/embed.js';
import { listen } from '../../dist/http/listener.js';
import { loadConfig } from '../../dist/platform/core/config.js';
import { createLogger } from '../../dist/platform/core/logger.js';
import { connectDatabase } from '../../dist/platform/database/client.js';
import { createOrderedIds } from '../../dist/platform/database/ordered-ids.js';
import { startEmbedded } from '../../dist/platform/embedded/embedded.js';
import { createServices } from '../../dist/services.js';
import { call, logIn } from '../client.mjs';
import { APP, createSubmissions, FORM_SETTINGS, HELD, SCHEMAS, SURVEY_SETTINGS } from './sample-data.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
export const ADMIN = { sourceAppId: 'admin', password: 'a-password-for-the-screenshots' };

/** Starts the service on a separate embedded mongod and submits the sample data through its API. */
export async function startFilledService(dataDir, progress) {
  const settings = loadConfig({ ...process.env, LOG_LEVEL: 'silent', ADMIN_PASSWORD: ADMIN.password });
  const config = { ...settings, sessionSecret: 'secret-of-the-screenshots' };
  const logger = createLogger(config);
  const embedded = await startEmbedded({ dataDir, mongod: config.mongod }, { progress, logger });
  const uri = new URL(embedded.uri);
  uri.pathname = '/screenshots';
  const connection = await connectDatabase(uri.href);
  const embed = createEmbed();
  const services = createServices(config, connection, logger, { pageAssets: embed.assets });
  await services.prepare();
  await services.apps.ensureAdmin(ADMIN.sourceAppId, ADMIN.password);
  const app = createApp({ config, logger, services, embed });
  const listener = await listen(app, 0, '127.0.0.1');
  const operator = await fill(listener.url, connection);
  return {
    url: listener.url,
    operator,
    admin: ADMIN,
    async stop() {
      await listener.close();
      await services.stop();
      await connection.close();
      await embedded.stop();
    },
  };
}

async function fill(url, connection) {
  const send = await logIn(url, ADMIN.sourceAppId, ADMIN.password);
  const passwords = {};
  for (const [sourceAppId, versions] of Object.entries(SCHEMAS)) {
    passwords[sourceAppId] = (await send('POST', '/auth/apps', { sourceAppId })).password;
    for (const schema of versions) await send('PUT', `/auth/apps/${sourceAppId}/schema`, schema);
  }
  for (const { app, submissions } of createSubmissions()) {
    for (const body of submissions) await call(url, 'POST', '/v1/users', body, { headers: { 'x-app-id': app } });
  }
  await send('PUT', `/auth/apps/${APP}/form`, FORM_SETTINGS);
  await send('PUT', '/auth/apps/survey/form', SURVEY_SETTINGS);
  await sendFromPages(url);
  await spreadOverTime(connection);
  return { sourceAppId: APP, password: passwords[APP] };
}

/** Sends a form of a site that is not allowed, and forms whose honeypot a program filled in. */
async function sendFromPages(url) {
  const submit = (entries, headers) =>
    fetch(`${url}/v1/forms/${APP}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(entries),
      redirect: 'manual',
    });
  await submit({ email: 'ada@example.com' }, { Origin: 'https://shop.example.com' });
  for (const entries of HELD) await submit({ ...entries, _gotcha: 'filled' }, {});
}

/** Spreads the creation times over the last 30 days for the chart. The API cannot set them. */
async function spreadOverTime(connection) {
  const users = connection.getClient().db(connection.name).collection('users');
  const newId = createOrderedIds();
  const records = await users.find().sort({ _id: 1 }).toArray();
  for (const [index, { _id, ...record }] of records.entries()) {
    const age = 29.4 * (1 - Math.sqrt((index + 1) / records.length)) + ((index * 7) % 11) / 40;
    const createdAt = new Date(Date.now() - age * DAY_MS);
    await users.deleteOne({ _id });
    await users.insertOne({ ...record, _id: newId(createdAt), createdAt, updatedAt: createdAt });
  }
}
