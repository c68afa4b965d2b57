import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { FormEntries, FormEntry } from '../../api/body/form-entries.ts';
import type { Refuse } from '../../api/endpoint.ts';
import { Redirect } from '../../api/reply.ts';
import type { AppError, Issue } from '../../core/errors.ts';
import { withTimeout } from '../../core/timeouts.ts';
import type { Lease, SchemaLeases } from '../../schemas/schema-leases.ts';
import type { FormPages, FormView, SentForm } from '../pages/form-view.ts';
import { attemptOf, type FormAttempt } from './form-attempt.ts';
import { meaningOf, readForm } from './form-names.ts';

/** Larger entries are not shown again, in characters: writing the page would take too long. */
const MAX_SHOWN = 256 * 1024;
/** How long a page waits for the schema, so that also 503 is answered within 3 seconds. */
const SCHEMA_WAIT_MS = 300;

export type FormRefusals = ReturnType<typeof createFormRefusals>;

/**
 * Answers browsers whose submission was refused (spec 4.5): with the form and its entries once they
 * were read, else with a page that says what to do.
 */
export function createFormRefusals(deps: { leases: Pick<SchemaLeases, 'hold'>; pages: FormPages }) {
  const { leases, pages } = deps;
  const attempts = new WeakMap<Request, FormAttempt>();

  const refuse: Refuse = async (error, req) => {
    const { status, message } = error;
    const entries = req.form;
    const attempt = attempts.get(req) ?? (await attemptAgain(req));
    if (!entries || !attempt || status === 404 || sizeOf(entries) > MAX_SHOWN)
      return pages.refusal({ status, message });
    if (status === 400 && attempt.error !== undefined) return new Redirect(attempt.error);
    return pages.form(viewOf(error, entries, attempt));
  };

  /** For a request that was refused before its handler ran, although its body was read. */
  async function attemptAgain(req: Request): Promise<FormAttempt | undefined> {
    const header = req.headers['idempotency-key'];
    if (!req.form || req.appId === undefined) return undefined;
    const lease = await withTimeout<Lease | undefined>(
      leases.hold(req.appId),
      SCHEMA_WAIT_MS,
      () => new Error('late'),
    ).catch(() => undefined);
    return lease && attemptOf(req, req.form, lease, typeof header === 'string' ? header : undefined);
  }

  return {
    refuse,

    /** Remembers what a form asked for, in case that it is refused. */
    note(req: Request, attempt: FormAttempt): void {
      attempts.set(req, attempt);
    },
  };
}

function viewOf({ status, message, issues = [] }: AppError, entries: FormEntries, attempt: FormAttempt): FormView {
  const { lease, settings, options } = attempt;
  // After a failure of the service the submission may be stored: its key makes a repeat harmless.
  const isUnknown = status >= 500;
  return {
    sourceAppId: lease.app.sourceAppId,
    settings,
    fields: lease.schema.fields,
    sent: sentForm(entries, attempt, issues),
    issues,
    refusal: { status, message },
    key: (isUnknown ? options.idempotencyKey : undefined) ?? randomUUID(),
  };
}

/**
 * The entries as they were sent, to show or to send them again. What the service has taken out of
 * the form is left out: the key, the solution of a challenge and honeypots; so is a control that
 * was refused, which nobody could correct.
 */
function sentForm(entries: FormEntries, attempt: FormAttempt, issues: readonly Issue[]): SentForm {
  const keys = new Set(attempt.lease.validator.fieldKeys);
  const { email, controls } = readForm(entries, keys);
  const data = new Map<string, FormEntry[]>();
  const others: FormEntry[] = [];
  for (const entry of entries.list) {
    const meaning = meaningOf(entry[0], keys);
    if (meaning.use === 'data') {
      const known = data.get(meaning.key);
      if (known) known.push(entry);
      else data.set(meaning.key, [entry]);
    } else if (meaning.use === 'ignored' || meaning.use === 'reply-to') others.push(entry);
  }
  others.push(...controlEntries(attempt, controls.timeZone, issues));
  return { email, data, others, files: entries.files };
}

/**
 * The controls of a form that is sent again. Redirects are absolute: the page that shows the form
 * belongs to another origin than the site whose paths they may be.
 */
function controlEntries(
  { ownNext, ignoredNext, error }: FormAttempt,
  timeZone: string | undefined,
  issues: readonly Issue[],
): FormEntry[] {
  const isRefused = issues.some(({ path }) => path === '_tz');
  const controls = { _next: ownNext ?? ignoredNext?.text, _error: error, _tz: isRefused ? undefined : timeZone };
  return Object.entries(controls).flatMap(([name, value]): FormEntry[] => (value === undefined ? [] : [[name, value]]));
}

function sizeOf({ list }: FormEntries): number {
  return list.reduce((size, [name, value]) => size + name.length + value.length, 0);
}
