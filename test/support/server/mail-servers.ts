import { mailEnv, startSmtp, type TestSmtp } from '../peers/smtp.ts';
import { startServer, type TestServer } from './server.ts';

/** Two servers on one database that send their emails to an SMTP server. */
export interface MailServers {
  smtp: TestSmtp;
  a: TestServer;
  b: TestServer;
  close(): Promise<void>;
}

export async function startMailServers(): Promise<MailServers> {
  const smtp = await startSmtp();
  const a = await startServer(mailEnv(smtp));
  const b = await startServer(mailEnv(smtp), a.database);
  return {
    smtp,
    a,
    b,
    async close() {
      await b.close();
      await a.close();
      await smtp.close();
    },
  };
}
