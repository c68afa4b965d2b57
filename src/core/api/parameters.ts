import { z } from 'zod';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import { passwordProblem } from '../../platform/core/secrets.ts';
import { code } from '../../platform/languages/problems.ts';

export const SourceAppId = z.string().regex(APP_ID_PATTERN, code('notAppId')).meta({ example: 'newsletter' });
export const Role = z.enum(['user', 'admin']).meta({ example: 'user' });

/** The format is not checked: an invalid id names no app and gives 404. */
export const AppPath = z.object({ sourceAppId: z.string().meta({ example: 'newsletter' }) });

/** What people read in place of the id. */
export const AppName = z.string().optional().meta({ description: 'Absent for an app without a name' });

/** The query parameter with which admins name another app (principal.ts). */
export const ScopeParameter = SourceAppId.optional().meta({
  description: 'The app to work on, for admins. Default: the app of the caller',
  example: 'newsletter',
});

/** The id of a record. */
export const UserId = z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' });

export const EXAMPLE_PASSWORD = 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g';

export const SentPassword = z
  .string(code('notText'))
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ example: EXAMPLE_PASSWORD });
