// Runs the missing migrations of the database in MONGODB_URI. With SIGNAL it sends itself this
// signal before statement number AT, or before update number AT of the collection in UPDATE_OF.
import { loadConfig } from '../../dist/core/config.js';
import { createLogger } from '../../dist/core/logger.js';
import { connectDatabase } from '../../dist/database/client.js';
import { createServices } from '../../dist/services.js';

const { MONGODB_URI = '', SIGNAL, AT, UPDATE_OF } = process.env;
const uri = new URL(MONGODB_URI);
uri.searchParams.set('monitorCommands', 'true');
const connection = await connectDatabase(uri.href);
let statements = 0;
connection.getClient().on('commandStarted', ({ command }) => {
  if (UPDATE_OF !== undefined && command.update !== UPDATE_OF) return;
  statements += 1;
  if (SIGNAL && statements === Number(AT)) process.kill(process.pid, SIGNAL);
});
const config = loadConfig({ SESSION_SECRET: 'a secret of the tests' });
const services = createServices(config, connection, createLogger({ logLevel: 'silent' }));
await services.migrator.expand();
process.stdout.write(`statements: ${statements}\n`);
await services.stop();
await connection.close();
