import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import type { SubmissionOptions } from '../../core/users/acceptance.ts';
import { type AppError, InvalidInput } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import { parsePageUrl, parseRedirectUrl, parseWebUrl } from '../../platform/core/web-origin.ts';
import type { Refuse } from '../../platform/http/error-handlers.ts';
import { Redirect } from '../../platform/http/reply.ts';
import { isVisit, prefersPage } from '../../platform/http/validation.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { type Issue, type Reason, say } from '../../platform/languages/reasons.ts';
import type { FormEntries, FormEntry } from '../form-bodies/form-body.ts';
import { DEFAULT_FORM_SETTINGS, type FormSettings } from '../form-settings/form-settings.ts';
import { KEY_PATTERN, withoutQuotes } from '../intake/intake.routes.ts';
import { shownFields } from './form-fields.ts';
import type { FormFiles } from './form-files.ts';
import type { FormView, SentForm } from './form-html.ts';
import type { FormPages } from './form-pages.ts';
import { type FormControls, type KnownFiles, NO_FILES, parseName, readForm } from './form-submission.ts';
import { type FormLook, formPath } from './page.ts';
import { issueIn, languageToKeep, refusalIn, type VisitorLanguage, visitorLanguage } from './visitor-language.ts';

/** The request for a redirect. */
interface RedirectContext {
  sourceAppId: string;
  settings: Pick<FormSettings, 'origins'>;
  origin: string | undefined;
  /** Whether that is the service's own origin, as for the hosted form. */
  isOwnOrigin: boolean;
}

const MAX_PATH_LENGTH = 2_000;

/**
 * Returns the URL to which a form may send the browser (`_next`, `_error`, spec 4.5), or undefined.
 * `*` in the origins of an app lists no origin: everybody could redirect people to any site.
 */
function redirectTarget(text: string, context: RedirectContext): string | undefined {
  const { sourceAppId, settings, isOwnOrigin } = context;
  const url = isPath(text) ? urlOfPath(text, context) : parseRedirectUrl(text);
  if (!url) return undefined;
  if (settings.origins.includes(url.origin)) return url.href;
  // The hosted form may name its own pages only.
  const form = formPath(sourceAppId);
  const isOfForm = url.pathname === form || url.pathname.startsWith(`${form}/`);
  return isPath(text) && isOwnOrigin && isOfForm ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

/** A redirect that is not allowed. */
interface IgnoredRedirect {
  /** The URL for a form that is sent again, from another origin. */
  text: string;
  /** The origin that operators see; `null` for a text without one. */
  origin: string;
}

function ignoredRedirect(text: string, context: RedirectContext): IgnoredRedirect {
  const url = isPath(text) ? urlOfPath(text, context) : parseWebUrl(text);
  return { text: url?.href ?? text, origin: url?.origin ?? 'null' };
}

const isPath = (text: string): boolean => text.startsWith('/');

/** The URL of a path on the site that sends the form. */
function urlOfPath(path: string, { origin }: RedirectContext): URL | undefined {
  if (path.length > MAX_PATH_LENGTH || path.startsWith('//') || /[\\\s\p{Cc}]/u.test(path)) return undefined;
  if (origin === undefined || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  return url.origin === origin ? url : undefined;
}

/** The controls of a form, validated as far as possible. */
interface FormAttempt {
  lease: Lease;
  settings: FormSettings;
  visitor: VisitorLanguage;
  /** The URL after a success, from the form or the settings of the app. */
  next: string | undefined;
  /** The allowed URL after a success that the form named. */
  ownNext: string | undefined;
  ignoredNext: IgnoredRedirect | undefined;
  /** The URL for an invalid submission. */
  error: string | undefined;
  options: SubmissionOptions;
  /** The problems of the controls. */
  problem: InvalidInput | undefined;
}

/** Reads the controls of a form (spec 4.5). */
export function parseAttempt(req: Request, entries: FormEntries, lease: Lease): FormAttempt {
  const { app, validator } = lease;
  const settings = app.form ?? DEFAULT_FORM_SETTINGS;
  const { controls, isTrapped } = readForm(entries, new Set(validator.fieldKeys));
  const { origin, referer } = req.headers;
  const context = { sourceAppId: app.sourceAppId, settings, origin, isOwnOrigin: req.hasOwnOrigin === true };
  const ownNext = controls.next && redirectTarget(controls.next, context);
  const error = controls.error && redirectTarget(controls.error, context);
  const key = parseKey(controls.key, req.get('idempotency-key'));
  const visitor = visitorLanguage(req, settings, controls.lang);
  const issues = [
    ...(controls.error && !error ? [{ path: '_error', ...say('redirect') }] : []),
    ...(typeof key === 'object' ? [{ path: '_key', ...key.problem }] : []),
    ...(isUtf8(controls) ? [] : [{ path: '_charset_', ...say('notUtf8') }]),
  ];
  return {
    lease,
    settings,
    visitor,
    next: ownNext ?? settings.next,
    ownNext,
    ignoredNext: controls.next && !ownNext ? ignoredRedirect(controls.next, context) : undefined,
    error,
    options: {
      via: 'form',
      // A browser that gets 503 sends the same key again, so a form without one gets one here.
      idempotencyKey: typeof key === 'string' ? key : prefersPage(req) ? randomUUID() : undefined,
      proof: controls.altcha ?? req.get('x-altcha'),
      captcha: req.get('x-captcha') ?? controls,
      host: req.hostname,
      address: req.ip,
      isTrapped: isTrapped && settings.botProtection !== 'off',
      page: referer === undefined ? undefined : parsePageUrl(referer),
      lang: languageToKeep(visitor, settings),
    },
    problem: issues.length > 0 ? new InvalidInput('invalidSubmission', issues) : undefined,
  };
}

const isUtf8 = ({ charset = 'utf-8' }: FormControls): boolean => /^utf-?8$/i.test(charset.trim());

/**
 * The key of the entry `_key` and of the header, which must be equal, with or without quotes;
 * undefined without either.
 */
function parseKey(entry: string | undefined, header: string | undefined): string | undefined | { problem: Reason } {
  const keys = [entry, header].filter((key) => key !== undefined).map(withoutQuotes);
  if (keys.some((key) => !KEY_PATTERN.test(key))) return { problem: say('keyFormat') };
  const [value, other = value] = keys;
  if (value !== other) return { problem: say('keyMismatch') };
  return value;
}

/** The most characters that a page shows again. Writing more takes too long. */
const MAX_SHOWN = 256 * 1024;
/** How long a page waits for the schema, so that a 503 is also sent within 3 seconds. */
const SCHEMA_WAIT_MS = 300;

interface PageContext {
  attempt?: FormAttempt | undefined;
  language: Language;
  look?: FormLook | undefined;
}

export type FormRefusals = ReturnType<typeof createFormRefusals>;

/** Answers after a refusal (spec 4.5): browsers with the form and its entries, or with advice. */
export function createFormRefusals(deps: {
  leases: Pick<SchemaLeases, 'hold'>;
  pages: FormPages;
  files: Pick<FormFiles, 'known'>;
  /** The most bytes of a file. */
  fileLimit: number;
}) {
  const { leases, pages, files, fileLimit } = deps;
  const attempts = new WeakMap<Request, FormAttempt>();

  /** Answers for `/v1/forms`. */
  const refuse: Refuse = async (error, req) => {
    const { status } = error;
    const entries = req.form;
    const { attempt, language, look } = await contextOf(req);
    const isPage = req.method === 'POST' ? prefersPage(req) && !isUpload(req) : isVisit(req);
    if (!isPage) return refusalIn(language, error);
    if (!entries || !attempt || status === 404 || entriesSize(entries) > MAX_SHOWN)
      return pages.refusal(error, language, look);
    if (status === 400 && attempt.error !== undefined) return new Redirect(attempt.error);
    // The files of an earlier page are left out while the database is away.
    const known = await files.known(entries, attempt.lease).catch(() => NO_FILES);
    return pages.form(refusedView(error, entries, attempt, { known, fileLimit }));
  };

  /** Also for a request that was refused before its handler ran, or before its body was read. */
  async function contextOf(req: Request): Promise<PageContext> {
    const known = attempts.get(req);
    if (known) return { attempt: known, language: known.visitor.language, look: lookOf(known.lease) };
    const lease = await leaseOf(req);
    const attempt = lease && req.form && parseAttempt(req, req.form, lease);
    const settings = lease && (lease.app.form ?? DEFAULT_FORM_SETTINGS);
    const { language } = attempt?.visitor ?? visitorLanguage(req, settings);
    return { attempt, language, look: lease && lookOf(lease) };
  }

  async function leaseOf({ appId }: Request): Promise<Lease | undefined> {
    if (appId === undefined) return undefined;
    const lease = withTimeout<Lease | undefined>(leases.hold(appId), SCHEMA_WAIT_MS, () => new Error('late'));
    return lease.catch(() => undefined);
  }

  return {
    refuse,

    /** Answers for the pages of forms: only a browser gets a page. */
    async refusePage(error: AppError, req: Request) {
      if (!prefersPage(req)) return undefined;
      const { language, look } = await contextOf(req);
      return pages.refusal(error, language, look);
    },

    /** Keeps the controls of a request for a refusal. */
    note(req: Request, attempt: FormAttempt): void {
      attempts.set(req, attempt);
    },
  };
}

const lookOf = ({ app }: Lease): FormLook => ({
  sourceAppId: app.sourceAppId,
  settings: app.form ?? DEFAULT_FORM_SETTINGS,
});

/** A program sends a file for a form, whatever its type is. */
const isUpload = ({ path }: Request): boolean => /^\/[^/]+\/files$/.test(path);

function refusedView(
  error: AppError,
  entries: FormEntries,
  attempt: FormAttempt,
  { known, fileLimit }: { known: KnownFiles; fileLimit: number },
): FormView {
  const { status, issues = [] } = error;
  const { lease, settings, options, visitor } = attempt;
  const { language } = visitor;
  // After a failure of the service the submission may be stored: its key makes a repeat harmless.
  const isUnknown = status >= 500;
  return {
    sourceAppId: lease.app.sourceAppId,
    settings,
    fields: shownFields(lease, fileLimit),
    // A file whose token is used up can only be in a repeat. It is not shown: that of a known
    // person may be gone already (spec 4.5.5).
    sent: sentForm(entries, attempt, issues, isUnknown ? known : unused(known)),
    language,
    issues: issues.map((issue) => issueIn(language, issue)),
    refusal: error,
    key: (isUnknown ? options.idempotencyKey : undefined) ?? randomUUID(),
  };
}

/**
 * The entries, to show or to send them again, without the key, the solution of a challenge and
 * honeypots, and without a refused control, which nobody could correct.
 */
function sentForm(entries: FormEntries, attempt: FormAttempt, issues: readonly Issue[], known: KnownFiles): SentForm {
  const keys = new Set(attempt.lease.validator.fieldKeys);
  const { email, controls } = readForm(entries, keys);
  const data = new Map<string, FormEntry[]>();
  const others: FormEntry[] = [];
  for (const entry of entries.list) {
    const meaning = parseName(entry[0], keys);
    if (meaning.use === 'data') {
      const known = data.get(meaning.key);
      if (known) known.push(entry);
      else data.set(meaning.key, [entry]);
    } else if (meaning.use === 'ignored' || meaning.use === 'replyTo') others.push(entry);
  }
  others.push(...controlEntries(attempt, controls.timeZone, issues));
  return { email, data, others, files: entries.files, kept: withoutRefused(known, data, issues) };
}

const unused = (known: KnownFiles): KnownFiles => new Map([...known].filter(([, { isUsed }]) => !isUsed));

/** The files that can be sent again. */
function withoutRefused(known: KnownFiles, data: SentForm['data'], issues: readonly Issue[]): KnownFiles {
  const refused = issues.flatMap(({ path, code }) => {
    const [, key = '', at] = (code === 'fileToken' && /^data\.(\w+)\.(\d+)$/.exec(path)) || [];
    const tokens = (data.get(key) ?? []).flatMap(([, text]) => (text === '' ? [] : [text]));
    return tokens[Number(at)] ?? [];
  });
  return new Map([...known].filter(([token]) => !refused.includes(token)));
}

/** The controls of a form that is sent again, with absolute redirects, from another origin. */
function controlEntries(
  { ownNext, ignoredNext, error }: FormAttempt,
  timeZone: string | undefined,
  issues: readonly Issue[],
): FormEntry[] {
  const isRefused = issues.some(({ path }) => path === '_tz');
  const controls = { _next: ownNext ?? ignoredNext?.text, _error: error, _tz: isRefused ? undefined : timeZone };
  return Object.entries(controls).flatMap(([name, value]): FormEntry[] => (value === undefined ? [] : [[name, value]]));
}

function entriesSize({ list }: FormEntries): number {
  return list.reduce((size, [name, value]) => size + name.length + value.length, 0);
}
