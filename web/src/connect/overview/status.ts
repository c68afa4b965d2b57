import { CAPTCHA_WIDGETS } from '#src/features/display/captcha.ts';
import type { FormSettings, Schema } from '../../api/endpoints.ts';
import { and } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

/** One statement about the state of an app. */
export interface Statement {
  id: string;
  /** `no`: does not work; `info`: neither. */
  tone: 'yes' | 'no' | 'info';
  text: string;
  detail?: string;
}

interface StatusInput {
  settings: FormSettings;
  schema: Schema;
  records: number | undefined;
  now: number;
  /** Formats a point in time (ISO 8601) for the reader. */
  format: (at: string) => string;
}

/** Returns the statements about an app, the most important one first. */
export function statusOf(input: StatusInput): Statement[] {
  const { settings, schema } = input;
  const protection = { id: 'bots', ...PROTECTION[settings.botProtection] };
  return [...openness(input), ...origins(settings), protection, needs(schema)];
}

/** Whether the app refuses every submission. */
function isClosed({ closesAt }: FormSettings, now: number): boolean {
  return closesAt !== null && Date.parse(closesAt) <= now;
}

const texts = t.connect.status;

function openness({ settings, records, now, format }: StatusInput): Statement[] {
  const { closesAt, maxRecords } = settings;
  const statements: Statement[] = [];
  if (isClosed(settings, now)) {
    statements.push({ id: 'closed', tone: 'no', text: texts.closed(format(closesAt ?? '')), detail: texts.closedNote });
  } else if (closesAt !== null) {
    statements.push({ id: 'closes', tone: 'info', text: texts.closes(format(closesAt)) });
  }
  if (maxRecords !== null && records !== undefined) {
    statements.push(
      records >= maxRecords
        ? { id: 'full', tone: 'no', text: texts.full(records, maxRecords), detail: texts.fullNote }
        : { id: 'room', tone: 'info', text: texts.room(records, maxRecords) },
    );
  }
  if (statements.some(({ tone }) => tone === 'no')) return statements;
  return [{ id: 'open', tone: 'yes', text: texts.open, detail: texts.openNote }, ...statements];
}

function origins({ origins: allowed, nullOrigin }: FormSettings): Statement[] {
  const files: Statement = nullOrigin
    ? { id: 'files', tone: 'yes', text: texts.files }
    : { id: 'files', tone: 'info', text: texts.noFiles, detail: texts.noFilesNote };
  return [sites(allowed), files];
}

function sites(allowed: readonly string[]): Statement {
  const id = 'sites';
  if (allowed.includes('*')) return { id, tone: 'yes', text: texts.everySite };
  if (allowed.length === 0) return { id, tone: 'no', text: texts.noSite, detail: texts.noSiteNote };
  return { id, tone: 'yes', text: texts.sites(list(allowed)) };
}

const checkedBy = (provider: keyof typeof CAPTCHA_WIDGETS): Omit<Statement, 'id'> => ({
  tone: 'yes',
  text: texts.checkedBy(CAPTCHA_WIDGETS[provider].name),
});

const PROTECTION: Readonly<Record<FormSettings['botProtection'], Omit<Statement, 'id'>>> = {
  off: { tone: 'info', text: texts.off },
  honeypot: { tone: 'yes', text: texts.honeypot, detail: texts.honeypotNote },
  'proof-of-work': { tone: 'info', text: texts.proofOfWork, detail: texts.proofOfWorkNote },
  turnstile: checkedBy('turnstile'),
  hcaptcha: checkedBy('hcaptcha'),
  recaptcha: checkedBy('recaptcha'),
  friendly: checkedBy('friendly'),
};

function needs({ fields }: Schema): Statement {
  const required = fields.filter((field) => field.required && !field.showIf).map(({ key, label }) => label || key);
  return { id: 'needs', tone: 'info', text: texts.needs(list([t.common.email, ...required])) };
}

const MAX_LISTED = 6;

/** For example `a, b and 3 more`. */
function list(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return and(names);
  return and([...names.slice(0, MAX_LISTED - 1), texts.more(names.length - MAX_LISTED + 1)]);
}
