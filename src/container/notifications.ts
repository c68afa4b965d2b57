import type { Pace } from '../apps/activity.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { Config } from '../core/config.ts';
import type { Logger } from '../core/logger.ts';
import type { Job } from '../jobs/job-runner.ts';
import { createMailer, type Mailer } from '../mail/mailer.ts';
import { createConfirmationService, createConfirmationTokens } from '../notifications/confirmation.ts';
import { createDigestJob } from '../notifications/digest-job.ts';
import { createMailApps } from '../notifications/mail-apps.ts';
import { createMailJob, MAIL_JOB } from '../notifications/mail-job.ts';
import { createMailRates, type MailLimits } from '../notifications/mail-rates.ts';
import { createMailRenderer } from '../notifications/messages.ts';
import { createNotificationConsumer } from '../notifications/notification-consumer.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/**
 * Creates what plans and sends emails.
 *
 * @param deps.findApp resolves with the state of an app that is in force
 * @param deps.secret derives the keys of links
 * @param deps.mailLimits lower in tests only
 */
export function createNotifications(deps: {
  config: Pick<Config, 'mail' | 'publicUrl'>;
  models: Models;
  stores: Stores;
  findApp: AppService['find'];
  pace: Pace;
  /** Runs the job of that name soon. */
  wake(job: string): void;
  logger: Logger;
  secret: string;
  mailLimits: MailLimits | undefined;
}) {
  const { config, models, stores, findApp, pace, logger, secret, mailLimits } = deps;
  const wake = (): void => deps.wake(MAIL_JOB);
  const { publicUrl } = config;
  const users = models.users.collection;
  const queue = stores.mails;
  const apps = createMailApps(models.apps.collection);
  const rates = createMailRates(models.apps.collection, mailLimits);
  const tokens = createConfirmationTokens(secret);
  const confirmations = createConfirmationService({ users, rates, tokens, findApp });
  const mailer: Mailer | undefined = config.mail && createMailer(config.mail);
  const jobs: Job[] = [];
  if (mailer) {
    const fieldsOf = async (...[appId]: Parameters<Stores['schemas']['newest']>) =>
      (await stores.schemas.newest(appId))?.schema.fields ?? [];
    const render = createMailRenderer({ apps, users, fieldsOf, queue, publicUrl, linkPath: confirmations.linkPath });
    jobs.push(createMailJob({ queue, render, mailer, logger }), createDigestJob({ apps, users, queue, wake, pace }));
  }
  return {
    confirmations,
    consumer: createNotificationConsumer({ apps, confirmations, queue, rates, wake }),
    /** Empty when the service sends no email. */
    jobs,
    close: () => mailer?.close(),
  };
}
