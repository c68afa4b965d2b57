import { afterAll, beforeAll } from 'vitest';
import { closeBrowser } from '../support/browser/browser.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/**
 * Registers the hooks that start an SMTP server and a server of a test file that sends to it.
 *
 * @param started is called with both
 */
export function withMailServer(started: (server: TestServer, smtp: TestSmtp) => void): void {
  let smtp: TestSmtp;
  let server: TestServer;
  beforeAll(async () => {
    smtp = await startSmtp();
    server = await startServer(mailEnv(smtp));
    started(server, smtp);
  });
  afterAll(async () => {
    await closeBrowser();
    await server.close();
    await smtp.close();
  });
}
