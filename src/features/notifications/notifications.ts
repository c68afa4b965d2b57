import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { component } from '../../platform/http/validation.ts';
import type { Job, JobSignal } from '../../platform/jobs/job-runner.ts';
import { createMailer } from '../../platform/mail/mailer.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Pace } from '../activity/activity.ts';
import type { MailAbilities } from '../form-settings/app-setting.ts';
import type { FindForm } from '../forms/form-pages.ts';
import type { PageAssets } from '../forms/page.ts';
import type { PlannedChange, UnchangedRecord } from '../intake/known-people.ts';
import type { Suppressions } from '../people/suppressions.ts';
import type { ConditionReader } from '../record-conditions/record-conditions.service.ts';
import type { Records } from '../records/records.ts';
import { createConfirmationPages } from './confirmation.routes.ts';
import { createConfirmationService, type WaitingChanges } from './confirmation.ts';
import { createDigestJob } from './digest-job.ts';
import { createEntryLinks, createEntryMails } from './entry-mails.ts';
import { createLinkTokens } from './link-tokens.ts';
import { createMailApps } from './mail-apps.ts';
import { createMailJob, MAIL_JOB } from './mail-job.ts';
import { createMailLog } from './mail-log.ts';
import { createMailModel, createMailQueue, createMailsOfPerson, type NewMail } from './mail-queue.ts';
import { createMailRates, type MailLimits } from './mail-rates.ts';
import { watchWaitingMails } from './mail-waits.ts';
import { mailRoutes } from './mails.routes.ts';
import { createMailService } from './mails.service.ts';
import { createMailRenderer } from './messages.ts';
import { createNotificationConsumer } from './notification-consumer.ts';
import { createRecipients } from './recipients.ts';
import { createReplies } from './reply.ts';

/** Creates the planning and sending of emails. @param deps.secret derives the keys of links */
export function createNotifications(deps: {
  config: Pick<Config, 'mail' | 'publicUrl'>;
  connection: Connection;
  apps: Apps;
  pace: Pace;
  schemas: Schemas;
  records: Pick<Records, 'reader' | 'confirmations'>;
  findForm: FindForm;
  changes: WaitingChanges;
  abilities: MailAbilities;
  pageAssets: PageAssets | undefined;
  signal: JobSignal;
  logger: Logger;
  secret: string;
  mailLimits: Partial<MailLimits> | undefined;
  limits: SharedLimits;
  clock: Pick<DatabaseClock, 'now'>;
  suppressions: Pick<Suppressions, 'among'>;
  conditions: Pick<ConditionReader, 'evaluate'>;
  cursors: Cursors;
  metrics: Metrics;
  emailOf(accountId: ObjectId): Promise<string | undefined>;
  testMailWithinMs?: number | undefined;
}) {
  const { config, connection, schemas, records, findForm, changes, abilities, pageAssets, signal, logger, secret } =
    deps;
  const { limits, mailLimits, suppressions, cursors, metrics, emailOf, testMailWithinMs } = deps;
  const wake = (): void => signal.wake(MAIL_JOB);
  const { publicUrl } = config;
  const { now } = deps.clock;
  const { reader } = records;
  const model = createMailModel(connection);
  const queue = createMailQueue(model.collection, now);
  const apps = createMailApps(deps.apps.model);
  const rates = createMailRates(deps.apps.model, mailLimits);
  const replies = createReplies({ queue, limits, mailLimits, now });
  const confirmations = createConfirmationService({
    store: records.confirmations,
    records: reader,
    changes,
    rates,
    tokens: createLinkTokens(secret, 'email confirmation'),
    findApp: schemas.findApp,
    now,
  });
  const entryTokens = createLinkTokens(secret, 'entry');
  const recipients = createRecipients(deps.conditions);
  const mailer = config.mail && createMailer(config.mail);
  const render = createMailRenderer({
    apps,
    records: reader,
    confirmations: records.confirmations,
    changes,
    fieldsOf: schemas.store.fieldsOf,
    queue,
    suppressions,
    recipients,
    publicUrl,
    linkPath: confirmations.linkPath,
    entryPath: createEntryLinks(entryTokens),
  });
  const confirmationPages = createConfirmationPages(confirmations, findForm, pageAssets);
  const jobs: Job[] = mailer
    ? [
        createMailJob({ queue, render, mailer, now, logger, metrics }),
        createDigestJob({ apps, records: reader, queue, wake, pace: deps.pace }),
      ]
    : [];
  const log = createMailLog(model.collection, now);
  const service = createMailService({
    log,
    apps,
    render,
    mail: config.mail,
    emailOf,
    limits,
    wake,
    testWithinMs: testMailWithinMs,
  });
  async function send(mail: NewMail | undefined): Promise<void> {
    if (!mail) return;
    await queue.add([mail]);
    wake();
  }
  return {
    confirmations,
    queue,
    /** The tokens of links to entries, and the emails with them. */
    entryTokens,
    entryMails: createEntryMails({ queue, rates, now, wake }),
    /** Plans the email of a change once; none when the app has used its emails of a day. */
    async planChange(change: PlannedChange): Promise<void> {
      await send(await confirmations.planChange(change));
    },
    /** Plans a confirmation email within the limits of all of them. */
    async planConfirmation({ appId, recordId, event, lang }: UnchangedRecord): Promise<void> {
      await send(await confirmations.plan(appId, recordId, event, lang));
    },
    consumer: createNotificationConsumer({ apps, confirmations, queue, rates, recipients, replies, wake }),
    /** Empty when the service sends no email. */
    jobs,
    feature: {
      routes: [
        ...routes(mailStatusEndpoints, { getMailStatus: () => abilities }),
        ...mailRoutes(service, cursors),
        ...confirmationPages.routes,
      ],
      refusals: { '/f/:sourceAppId/confirm': confirmationPages.refuse },
      models: [model],
      jobs,
      owned: [ownedBy(model.collection, 'createdAt')],
      personal: [createMailsOfPerson(model.collection, reader)],
      ...(config.mail && {
        overview: { mailsFailing: queue.countFailed },
        warnings: watchWaitingMails(log, metrics),
      }),
      close: () => mailer?.close(),
    } satisfies Feature,
  };
}

/** The endpoint of the email status (spec 4.12). */
export const mailStatusEndpoints = {
  getMailStatus: {
    method: 'get',
    path: '/auth/mail',
    auth: 'session',
    scope: 'users:read',
    load: 'light',
    tag: 'Forms',
    summary: 'Whether the service sends email',
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: component('MailStatus', {
      mail: z.boolean().meta({ description: 'Whether the service sends email (`SMTP_URL`)' }),
      links: z.boolean().meta({ description: 'Whether its emails have links to it (`PUBLIC_URL`)' }),
    }),
  },
} as const satisfies Endpoints;
