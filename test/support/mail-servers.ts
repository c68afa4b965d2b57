import { afterAll, beforeAll } from 'vitest';
import { startServer, type TestServer } from './server.ts';
import { mailEnv, startSmtp, type TestSmtp } from './smtp.ts';

/** Two servers on one database that send emails to an SMTP server. */
export interface MailServers {
  smtp: TestSmtp;
  a: TestServer;
  b: TestServer;
}

/** Registers the hooks that start and stop the servers of a test file. */
export function withMailServers(): MailServers {
  const context = {} as MailServers;
  beforeAll(async () => {
    context.smtp = await startSmtp();
    context.a = await startServer(mailEnv(context.smtp));
    context.b = await startServer(mailEnv(context.smtp), context.a.database);
  });
  afterAll(async () => {
    await context.b.close();
    await context.a.close();
    await context.smtp.close();
  });
  return context;
}
