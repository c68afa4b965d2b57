import { randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { ScopedApp, SessionPrincipal } from '../../core/api/principal.ts';
import type { Config } from '../../platform/core/config.ts';
import { Conflict, NotFound, TooManyRequests } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { renderContent } from '../../platform/mail/content.ts';
import { mailFailureOf } from '../../platform/mail/failure.ts';
import { createMailer } from '../../platform/mail/mailer.ts';
import { formTitle, type MailApps } from './mail-apps.ts';
import type { MailLog } from './mail-log.ts';
import type { MailDocument } from './mail-queue.ts';
import type { RenderMail } from './messages.ts';

/** With the wait for a turn before it, a test takes at most 15 seconds (spec 4.12). */
const TEST_WITHIN_MS = 9_500;
/** The tests of one caller for an app in a minute. */
const MAX_TESTS = 5;
const TEST_WINDOW_MS = 60_000;

export type MailService = ReturnType<typeof createMailService>;

/** What operators do with emails (spec 4.12). */
export function createMailService(deps: {
  log: MailLog;
  apps: Pick<MailApps, 'ofId'>;
  render: RenderMail;
  mail: Config['mail'];
  /** Resolves with the address of an account. */
  emailOf(accountId: ObjectId): Promise<string | undefined>;
  limits: SharedLimits;
  wake(): void;
  /** Shorter in tests only. */
  testWithinMs?: number | undefined;
}) {
  const { log, apps, render, mail, emailOf, limits, wake, testWithinMs = TEST_WITHIN_MS } = deps;
  const tests = limits.create('test emails', MAX_TESTS, TEST_WINDOW_MS);

  return {
    page: log.page,

    /**
     * Makes a failed email wait for an attempt now; resolves with it.
     * @throws {NotFound} @throws {Conflict} when it has not failed, also because another request
     * repeated it, or when there is no reason to send it any more
     */
    async retry(app: ScopedApp, id: string, until: Until): Promise<MailDocument> {
      const found = await log.find(app.id, id);
      if (!found) throw new NotFound('mailNotFound');
      if (found.state !== 'failed') throw new Conflict('mailNotFailed');
      if (!(await render(found))) throw new Conflict('mailWithoutReason');
      const repeated = await log.repeat(found, await until());
      if (!repeated) throw new Conflict('mailNotFailed');
      wake();
      return repeated;
    },

    /**
     * Sends a test email on a connection of its own, to the account that calls, otherwise to the
     * first address of `notify`; resolves with the result.
     * @throws {Conflict} without an address @throws {TooManyRequests}
     */
    async test(app: ScopedApp, { account }: Pick<SessionPrincipal, 'account'>) {
      const found = await apps.ofId(app.id);
      const to = account ? await emailOf(account.id) : found?.form?.notify?.emails[0];
      if (!mail) throw new Conflict('sendsNoMail');
      if (to === undefined) throw new Conflict('noTestAddress');
      const caller = account?.id.toHexString() ?? '';
      const { waitMs } = await tests.take(`${app.id.toHexString()} ${caller}`);
      if (waitMs > 0) throw new TooManyRequests('tooManyTestMails', Math.ceil(waitMs / 1_000));
      const title = formTitle({ sourceAppId: app.sourceAppId, form: found?.form });
      const text = `This is a test email of ${title}. If you read it, the service can send emails to you.`;
      const subject = `Test email: ${title}`;
      const mailer = createMailer(mail, testWithinMs);
      const begun = performance.now();
      const ms = (): number => Math.round(performance.now() - begun);
      try {
        await mailer.send(randomUUID(), { to, subject, ...renderContent('Test email', [{ text }]) });
        return { ok: true, ms: ms() };
      } catch (error) {
        return { ok: false, ms: ms(), error: mailFailureOf(error).shown.error };
      } finally {
        mailer.close();
      }
    },
  };
}
