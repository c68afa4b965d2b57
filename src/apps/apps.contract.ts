import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';
import { Timestamp } from '../api/validation.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from '../core/app-id.ts';
import { passwordProblem } from '../core/password.ts';

/** Spec 2.2. */
export const SourceAppId = z.string().regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`).meta({ example: 'newsletter' });
const NewSourceAppId = SourceAppId.regex(REACHABLE_APP_ID, UNREACHABLE_APP_ID).meta({ example: 'newsletter' });
export const Role = z.enum(['user', 'admin']).meta({ example: 'user' });

/** An app named by a path. One of a wrong form cannot exist, so it is a 404 like any other that does not. */
export const AppPath = z.object({ sourceAppId: z.string().meta({ example: 'newsletter' }) });

const EXAMPLE_PASSWORD = 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g';

/** A password that the service generated. */
const Password = z.string().min(24).meta({ example: EXAMPLE_PASSWORD });

/** A password that a client sends to be checked. */
export const SentPassword = z
  .string('must be a text')
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ example: EXAMPLE_PASSWORD });

const AppRecord = z.strictObject({ sourceAppId: SourceAppId, role: Role, createdAt: Timestamp }).meta({ id: 'App' });

export const appEndpoints = {
  listApps: {
    method: 'get',
    path: '/auth/apps',
    access: 'admin',
    tag: 'Apps',
    summary: 'List all apps',
    description: 'All apps, by `sourceAppId`.',
    response: z.strictObject({ apps: z.array(AppRecord) }),
    errors: [],
  },
  createApp: {
    method: 'post',
    path: '/auth/apps',
    access: 'admin',
    tag: 'Apps',
    summary: 'Create an app',
    description:
      'The generated password is in this answer only; it is stored as a hash and cannot be shown again. The app starts with the default schema.',
    body: z.strictObject({ sourceAppId: NewSourceAppId }),
    bodyMessage: 'Invalid sourceAppId',
    // Hashing waits behind log-ins, and an app whose password nobody was told is of no use.
    slow: true,
    response: z.strictObject({ sourceAppId: SourceAppId, role: Role, password: Password }),
    errors: [409],
  },
  rotatePassword: {
    method: 'post',
    path: '/auth/apps/:sourceAppId/password',
    access: 'admin',
    tag: 'Apps',
    summary: 'Give an app a new password',
    description:
      'The generated password is in this answer only. The old one is worth nothing any more, and the sessions made with it are over at once; so is the one that asks, if the app is its own. For the own app `currentPassword` is required, so that a session alone cannot take the account over; failures count like failed log-ins.',
    params: AppPath,
    body: z.strictObject({ currentPassword: SentPassword.optional() }).optional(),
    bodyMessage: 'Invalid password change',
    // A 503 would lose the password: hashing goes on after it and replaces the old one in any case.
    slow: true,
    response: z.strictObject({ sourceAppId: SourceAppId, password: Password }),
    errors: [404, 429],
  },
  deleteApp: {
    method: 'delete',
    path: '/auth/apps/:sourceAppId',
    access: 'admin',
    tag: 'Apps',
    summary: 'Delete an app and all its users',
    description:
      'Permanent. When this has answered, no record of the app exists or can appear, even from submissions that were on their way. Admin apps cannot be deleted.',
    params: AppPath,
    slow: true,
    response: z.strictObject({ ok: z.literal(true), deletedUsers: z.int().nonnegative().meta({ example: 42 }) }),
    errors: [400, 404],
  },
} as const satisfies Endpoints;
