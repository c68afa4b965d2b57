import { z } from 'zod';
import { type Endpoints, jsonBody } from '../api/endpoint.ts';
import { OptionalPageLimit, Timestamp } from '../api/validation.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from '../core/identifiers.ts';
import { passwordProblem } from '../core/secrets.ts';

export const SourceAppId = z.string().regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`).meta({ example: 'newsletter' });
const NewSourceAppId = SourceAppId.regex(REACHABLE_APP_ID, UNREACHABLE_APP_ID).meta({ example: 'newsletter' });
export const Role = z.enum(['user', 'admin']).meta({ example: 'user' });

/** The format is not checked: an invalid id names no app and gives 404. */
export const AppPath = z.object({ sourceAppId: z.string().meta({ example: 'newsletter' }) });

/** The query parameter with which admins name another app (app-scope.ts). */
export const ScopeParameter = SourceAppId.optional().meta({
  description: 'The app to work on, for admins. Default: the app of the caller',
  example: 'newsletter',
});

const EXAMPLE_PASSWORD = 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g';

const Password = z.string().min(24).meta({ example: EXAMPLE_PASSWORD });

export const SentPassword = z
  .string('must be a string')
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ example: EXAMPLE_PASSWORD });

const APP_ORDERS = ['sourceAppId', 'createdAt', 'lastSubmissionAt'] as const;
export type AppOrder = (typeof APP_ORDERS)[number];

const AppRecord = z.strictObject({ sourceAppId: SourceAppId, role: Role, createdAt: Timestamp }).meta({ id: 'App' });

export const appEndpoints = {
  listApps: {
    method: 'get',
    path: '/auth/apps',
    auth: 'session',
    role: 'admin',
    tag: 'Apps',
    summary: 'List all apps',
    description:
      'All apps, by `sourceAppId`. With a parameter: a page in the order of `sort`, with `next` when there are more.',
    query: z.object({
      q: z.string('must be one text').max(80, 'must have at most 80 characters').optional().meta({
        description: 'A part of the `sourceAppId`, in any case',
        example: 'news',
      }),
      limit: OptionalPageLimit,
      sort: z
        .enum(APP_ORDERS, `must be ${APP_ORDERS.join(', ')}`)
        .optional()
        .meta({
          description: 'The order of a page. Default: `sourceAppId`',
          example: 'createdAt',
        }),
      order: z.enum(['asc', 'desc'], 'must be asc or desc').optional().meta({
        description: 'Default: `desc` for times, `asc` for `sourceAppId`',
        example: 'desc',
      }),
      cursor: z.string('must be one text').max(1_000, 'is too long').optional().meta({
        description: 'The `next` of the previous page of the same query',
        example: 'AbC123',
      }),
    }),
    response: z.strictObject({ apps: z.array(AppRecord), next: z.string().optional().meta({ example: 'AbC123' }) }),
    errors: [],
  },
  createApp: {
    method: 'post',
    path: '/auth/apps',
    auth: 'session',
    load: 'light',
    role: 'admin',
    audit: 'app.created',
    tag: 'Apps',
    summary: 'Create an app',
    description:
      'Only this response contains the generated password; the service stores a hash and cannot return it again. The app starts with the default schema.',
    body: jsonBody(z.strictObject({ sourceAppId: NewSourceAppId }), 'Invalid sourceAppId'),
    // Hashing may wait for logins, and an app without its password is useless.
    slow: true,
    response: z.strictObject({ sourceAppId: SourceAppId, role: Role, password: Password }),
    errors: [409],
  },
  rotatePassword: {
    method: 'post',
    path: '/auth/apps/:sourceAppId/password',
    auth: 'session',
    load: 'light',
    role: 'admin',
    audit: 'password.replaced',
    tag: 'Apps',
    summary: 'Give an app a new password',
    description:
      'Only this response contains the generated password. The previous password and all sessions created with it become invalid immediately, including the session of this request when it changes the password of its own app. In that case `currentPassword` is required, so that a stolen session cannot take over the account; failures count as failed logins.',
    params: AppPath,
    body: jsonBody(z.strictObject({ currentPassword: SentPassword.optional() }).optional(), 'Invalid password change'),
    // After a 503 hashing would still replace the password, and the new one would be lost.
    slow: true,
    response: z.strictObject({ sourceAppId: SourceAppId, password: Password }),
    errors: [404, 429],
  },
  deleteApp: {
    method: 'delete',
    path: '/auth/apps/:sourceAppId',
    auth: 'session',
    load: 'long',
    role: 'admin',
    audit: 'app.deleted',
    tag: 'Apps',
    summary: 'Delete an app and all its users',
    description:
      'Permanent. After the response no record of the app exists or can appear, including from submissions in flight. Admin apps cannot be deleted.',
    params: AppPath,
    slow: true,
    response: z.strictObject({ ok: z.literal(true), deletedUsers: z.int().nonnegative().meta({ example: 42 }) }),
    errors: [400, 404],
  },
} as const satisfies Endpoints;
