import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, UserId } from '../../core/api/parameters.ts';
import { type Cursors, pageOf } from '../../platform/http/cursors.ts';
import { component, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { MailPlace } from './mail-log.ts';
import type { MailService } from './mails.service.ts';
import { presentMail, SHOWN_PURPOSES, SHOWN_STATES } from './shown-mail.ts';

const MAIL_ID = 'reply:01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57:1';
const REFUSED = 'the mailbox is unknown: 5.1.1 […]: Recipient address rejected';

const Failure = z.string().meta({
  description: 'In words, with what the mail server said: at most 300 characters, without addresses',
  example: REFUSED,
});

const Mail = component('Mail', {
  id: z.string().meta({ example: MAIL_ID }),
  purpose: z.enum(SHOWN_PURPOSES),
  to: z.enum(['person', 'operators']),
  userId: UserId.optional().meta({ description: 'The record that it is about' }),
  at: Timestamp.meta({ description: 'When it was planned' }),
  state: z.enum(SHOWN_STATES),
  nextAt: Timestamp.optional().meta({ description: 'While it waits: the time of the next attempt' }),
  attempts: z
    .array(
      z
        .strictObject({
          at: Timestamp,
          status: z.int().optional().meta({ description: 'The answer of the mail server', example: 550 }),
          error: Failure.optional(),
        })
        .meta({ id: 'MailAttempt' }),
    )
    .meta({ description: 'The last five, oldest first' }),
});

/** Spec 4.12. */
export const mailEndpoints = {
  listMails: {
    method: 'get',
    path: '/auth/mails',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    load: 'read',
    tag: 'Emails',
    summary: 'The emails of an app',
    description: 'A page, newest first, without addresses and values. Emails are kept for 30 days.',
    query: z.strictObject({
      sourceAppId: ScopeParameter,
      state: z.enum(SHOWN_STATES, code('notOneOf', { values: SHOWN_STATES.join(', ') })).optional(),
      purpose: z.enum(SHOWN_PURPOSES, code('notOneOf', { values: SHOWN_PURPOSES.join(', ') })).optional(),
      limit: PageLimit,
      cursor: z.string(code('notOneText')).max(1_000, code('tooLongText')).optional().meta({
        description: 'The `next` of the page before',
        example: 'AbC123',
      }),
    }),
    response: z.strictObject({ mails: z.array(Mail), next: z.string().optional().meta({ example: 'AbC123' }) }),
  },
  retryMail: {
    audit: 'mail.retried',
    method: 'post',
    path: '/auth/mails/:id/retry',
    auth: 'session or key',
    scope: 'users:write',
    scoped: true,
    load: 'light',
    tag: 'Emails',
    summary: 'Send a failed email again',
    description: 'It waits for an attempt now. 409: it has not failed, or its record or setting is gone.',
    params: z.object({ id: z.string().meta({ example: MAIL_ID }) }),
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: Mail,
    errors: [409],
  },
  testMail: {
    audit: 'mail.tested',
    method: 'post',
    path: '/auth/mail/test',
    auth: 'session',
    scope: 'manage',
    scoped: true,
    load: 'long',
    tag: 'Emails',
    summary: 'Send a test email',
    description:
      'To the account that calls, otherwise to the first address of `notify`. Answers within 15 seconds. At most 5 in a minute.',
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    slow: true,
    response: z.strictObject({ ok: z.boolean(), ms: z.int().meta({ example: 412 }), error: Failure.optional() }),
    errors: [409],
  },
} as const satisfies Endpoints;

export const mailRoutes = (mails: MailService, cursors: Cursors): Route[] =>
  routes(mailEndpoints, {
    listMails: async ({ app, query: { state, purpose, limit, cursor } }) => {
      const bound = ['mails', app.id.toHexString(), state, purpose];
      const after = cursors.read<MailPlace>(cursor, bound);
      const { page, last } = pageOf(await mails.page(app.id, { state, purpose }, { after, limit: limit + 1 }), limit);
      const next = last && cursors.write({ createdAt: last.createdAt, _id: last._id } satisfies MailPlace, bound);
      return { mails: page.map(presentMail), ...(next !== undefined && { next }) };
    },

    retryMail: async ({ app, params, until }) => presentMail(await mails.retry(app, params.id, until)),

    testMail: ({ app, principal }) => mails.test(app, principal),
  });
