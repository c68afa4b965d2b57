// Runs the migrations of note-migrations.mjs in the database of MONGODB_URI, with CONTRACT their
// contractions too. With SIGNAL it prints a line and sends itself this signal before statement
// number AT, or before update number AT of the collection in UPDATE_OF.
import { writeSync } from 'node:fs';
import { connectDatabase } from '../../../dist/platform/database/client.js';
import { createJobLocks, createJobModel } from '../../../dist/platform/jobs/job-locks.js';
import { createUpgrades } from '../../../dist/platform/migrations/upgrades.js';
import { noteMigrations } from './note-migrations.mjs';

const { MONGODB_URI = '', CONTRACT, SIGNAL, AT, UPDATE_OF } = process.env;
const uri = new URL(MONGODB_URI);
uri.searchParams.set('monitorCommands', 'true');
const connection = await connectDatabase(uri.href);
let statements = 0;
connection.getClient().on('commandStarted', ({ command }) => {
  if (UPDATE_OF !== undefined && command.update !== UPDATE_OF) return;
  statements += 1;
  if (!SIGNAL || statements !== Number(AT)) return;
  writeSync(1, `before statement ${AT}\n`);
  process.kill(process.pid, SIGNAL);
});
const { migrator } = createUpgrades({
  connection,
  locks: createJobLocks(createJobModel(connection).collection),
  migrations: noteMigrations(connection.getClient().db(connection.name).collection('notes')),
  server: { workers: 1, sessionSecret: 'a secret of the tests', publicUrl: null, sendsMail: false, filesBucket: null },
  clockAheadMs: () => 0,
  isNew: async () => false,
  throttle: async () => undefined,
  progress: () => undefined,
});
await migrator.expand();
if (CONTRACT) await migrator.contract();
process.stdout.write(`statements: ${statements}\n`);
await connection.close();
