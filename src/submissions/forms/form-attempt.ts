import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { FormEntries } from '../../api/body/form-entries.ts';
import { isOwnOrigin, prefersPage } from '../../api/negotiation.ts';
import { DEFAULT_FORM_SETTINGS, type FormSettings } from '../../apps/form-settings/form-settings.ts';
import { InvalidInput } from '../../core/errors.ts';
import { parsePageUrl } from '../../core/web-origin.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { KEY_FORMAT, KEY_PATTERN } from '../submissions.contract.ts';
import type { SubmissionOptions } from '../submissions.service.ts';
import { type FormControls, readForm } from './form-names.ts';
import { type IgnoredRedirect, ignoredRedirect, REDIRECT_FORMAT, redirectTarget } from './redirect.ts';

/** What a form asks for beside its data, checked as far as it could be. */
export interface FormAttempt {
  lease: Lease;
  settings: FormSettings;
  /** Where a browser goes after a success, if the form or the app names a URL. */
  next?: string;
  /** The URL that the form itself named for that, if it is allowed. */
  ownNext?: string;
  /** The address that the form named for that, if it is not. */
  ignoredNext?: IgnoredRedirect;
  /** Where a browser goes when the submission is invalid. */
  error?: string;
  options: SubmissionOptions;
  /** Why the controls are refused. */
  problem?: InvalidInput;
}

/**
 * Reads the controls of a form (spec 4.5).
 * @param keyHeader the `Idempotency-Key` of the request
 */
export function attemptOf(
  req: Request,
  entries: FormEntries,
  lease: Lease,
  keyHeader: string | undefined,
): FormAttempt {
  const { app, validator } = lease;
  const settings = app.form ?? DEFAULT_FORM_SETTINGS;
  const { controls, isTrapped } = readForm(entries, new Set(validator.fieldKeys));
  const { origin } = req.headers;
  const own = origin !== undefined && isOwnOrigin(origin, req);
  const context = { sourceAppId: app.sourceAppId, settings, origin, isOwnOrigin: own };
  const [ownNext, error] = [controls.next, controls.error].map((url) => url && redirectTarget(url, context));
  const ignoredNext = controls.next && !ownNext ? ignoredRedirect(controls.next, context) : undefined;
  const next = ownNext ?? settings.next;
  const key = keyOf(controls.key, keyHeader);
  const issues = [
    ...(controls.error && !error ? [{ path: '_error', message: REDIRECT_FORMAT }] : []),
    ...(key.problem === undefined ? [] : [{ path: '_key', message: key.problem }]),
    ...(isUtf8(controls) ? [] : [{ path: '_charset_', message: 'must be utf-8' }]),
  ];
  return {
    lease,
    settings,
    ...(next && { next }),
    ...(ownNext && { ownNext }),
    ...(ignoredNext && { ignoredNext }),
    ...(error && { error }),
    options: {
      via: 'form',
      // A browser that gets 503 sends the same key again, so a form without one gets one here.
      idempotencyKey: key.value ?? (prefersPage(req) ? randomUUID() : undefined),
      proof: controls.altcha ?? altchaHeader(req),
      address: req.ip,
      isTrapped: isTrapped && settings.botProtection !== 'off',
      page: req.headers.referer === undefined ? undefined : parsePageUrl(req.headers.referer),
    },
    ...(issues.length > 0 && { problem: new InvalidInput('Invalid submission', issues) }),
  };
}

const isUtf8 = ({ charset = 'utf-8' }: FormControls): boolean => /^utf-?8$/i.test(charset.trim());

/**
 * The key of the entry `_key` and of the header, which must not differ. A quoted key is the same.
 */
function keyOf(entry: string | undefined, header: string | undefined): { value?: string; problem?: string } {
  const keys = [entry, header].filter((key) => key !== undefined).map((key) => key.replace(/^"(.*)"$/, '$1'));
  if (keys.some((key) => !KEY_PATTERN.test(key))) return { problem: KEY_FORMAT };
  const [value, other = value] = keys;
  if (value !== other) return { problem: 'must be the same as the header Idempotency-Key' };
  return value === undefined ? {} : { value };
}

function altchaHeader({ headers }: Request): string | undefined {
  const header = headers['x-altcha'];
  return typeof header === 'string' ? header : undefined;
}
