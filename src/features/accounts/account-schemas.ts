import { z } from 'zod';
import { AppName } from '../../core/api/parameters.ts';
import { AppRole } from '../../platform/core/roles.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem } from '../../platform/core/secrets.ts';
import { component } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';

const MAX_NAME_LENGTH = 100;

export const AccountName = z
  .string(code('notText'))
  .trim()
  .min(1, code('empty'))
  .max(MAX_NAME_LENGTH, code('tooLong', { max: MAX_NAME_LENGTH }))
  .meta({ example: 'Ada Lovelace' });

/** A password that somebody chooses. */
export const ChosenPassword = z
  .string(code('notText'))
  .min(MIN_PASSWORD_LENGTH, code('tooShort', { min: MIN_PASSWORD_LENGTH }))
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ example: 'correct horse battery staple' });

export const Email = z.string(code('notText')).max(1_000, code('tooLongText')).meta({ example: 'ada@example.com' });
export const MemberRole = AppRole.meta({ id: 'MemberRole', example: 'editor' });

export const Account = component('Account', {
  id: z.string().meta({ example: '65f0c0ffee65f0c0ffee65f0' }),
  email: z.string().meta({ example: 'ada@example.com' }),
  name: z.string().meta({ example: 'Ada Lovelace' }),
  admin: z.boolean(),
});

export const Memberships = z.array(
  z.strictObject({ sourceAppId: z.string().meta({ example: 'newsletter' }), name: AppName, role: MemberRole }),
);

export const LoggedIn = z
  .strictObject({ ok: z.literal(true), account: Account, memberships: Memberships })
  .meta({ id: 'LoggedInAccount' });

/** 202: the password was correct, and the session can do nothing but finish the log-in. */
export const SecondRequired = z
  .strictObject({ ok: z.literal(false), second: z.array(z.enum(['totp', 'passkey'])).meta({ example: ['totp'] }) })
  .meta({ id: 'SecondFactorRequired' });
