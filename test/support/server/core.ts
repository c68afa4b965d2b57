import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { type Feature, modelsOf } from '../../../src/core/feature.ts';
import { createCore } from '../../../src/core.ts';
import { createEmbed } from '../../../src/http/embed.ts';
import { listen } from '../../../src/http/listener.ts';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { connectDatabase } from '../../../src/platform/database/client.ts';
import { ensureIndexes } from '../../../src/platform/database/indexes.ts';
import { dropLater, randomName } from '../database/databases.ts';
import { installValidators } from '../database/validators.ts';
import { Client } from './client.ts';
import { ADMIN_PASSWORD, PASSWORD_COST } from './server.ts';

/** Starts the core without any feature, on a new database. */
export async function startCore(env: Record<string, string> = {}) {
  const config = { ...loadConfig({ LOG_LEVEL: 'silent', ...env }), sessionSecret: 'the secret of the tests' };
  const logger = createLogger(config);
  const uri = new URL(inject('mongodbUri'));
  uri.pathname = `/${randomName()}`;
  dropLater(uri.pathname.slice(1));
  const connection = await connectDatabase(uri.href);
  const core = createCore(config, connection, logger, { timings: { passwordCost: PASSWORD_COST, leaseMs: 25 } });
  const features: Feature[] = Object.values(core.features);
  const models = [core.limits.model, ...modelsOf(features)];
  const database = await new MongoClient(uri.href).connect();
  await installValidators(
    database.db(),
    models.map(({ schema }) => schema),
  );
  await ensureIndexes(connection, models);
  await core.clock.start();
  await core.start();
  await core.apps.service.ensureAdmin('admin', ADMIN_PASSWORD);
  const app = createApp({ config, logger, services: { core, features }, embed: createEmbed() });
  const listener = await listen(app, 0, '127.0.0.1');
  return {
    client: new Client(listener.url),
    admin: await new Client(listener.url).logIn('admin', ADMIN_PASSWORD),
    db: database.db(),
    async close() {
      await listener.close();
      core.clock.stop();
      for (const { close } of features) await close?.();
      await connection.close();
      await database.close();
    },
  };
}
