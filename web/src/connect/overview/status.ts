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

export interface StatusInput {
  settings: FormSettings;
  schema: Schema;
  records: number | undefined;
  now: number;
  /** Formats a point in time (ISO 8601) for the reader. */
  format: (at: string) => string;
}

/** Returns the statements about an app, the most important one first. */
export function statusOf(input: StatusInput): Statement[] {
  return [...openness(input), ...origins(input.settings), ...protection(input.settings), ...needs(input.schema)];
}

/** Whether the app refuses every submission. */
export function isClosed({ closesAt }: FormSettings, now: number): boolean {
  return closesAt !== null && Date.parse(closesAt) <= now;
}

function openness({ settings, records, now, format }: StatusInput): Statement[] {
  const { closesAt, maxRecords } = settings;
  const statements: Statement[] = [];
  if (isClosed(settings, now)) {
    const text = t.connect.status.closed(format(closesAt ?? ''));
    statements.push({ id: 'closed', tone: 'no', text, detail: t.connect.status.closedNote });
  } else if (closesAt !== null) {
    statements.push({ id: 'closes', tone: 'info', text: t.connect.status.closes(format(closesAt)) });
  }
  if (maxRecords !== null && records !== undefined) {
    const isFull = records >= maxRecords;
    statements.push(
      isFull
        ? {
            id: 'full',
            tone: 'no',
            text: t.connect.status.full(records, maxRecords),
            detail: t.connect.status.fullNote,
          }
        : { id: 'room', tone: 'info', text: t.connect.status.room(records, maxRecords) },
    );
  }
  if (!statements.some(({ tone }) => tone === 'no')) {
    statements.unshift({
      id: 'open',
      tone: 'yes',
      text: t.connect.status.open,
      detail: t.connect.status.openNote,
    });
  }
  return statements;
}

function origins({ origins: allowed, nullOrigin }: FormSettings): Statement[] {
  const files: Statement = nullOrigin
    ? { id: 'files', tone: 'yes', text: t.connect.status.files }
    : {
        id: 'files',
        tone: 'info',
        text: t.connect.status.noFiles,
        detail: t.connect.status.noFilesNote,
      };
  return [sites(allowed), files];
}

function sites(allowed: readonly string[]): Statement {
  if (allowed.includes('*')) return { id: 'sites', tone: 'yes', text: t.connect.status.everySite };
  if (allowed.length === 0) {
    return { id: 'sites', tone: 'no', text: t.connect.status.noSite, detail: t.connect.status.noSiteNote };
  }
  return { id: 'sites', tone: 'yes', text: t.connect.status.sites(list(allowed)) };
}

function protection({ botProtection }: FormSettings): Statement[] {
  const id = 'bots';
  switch (botProtection) {
    case 'off':
      return [{ id, tone: 'info', text: t.connect.status.off }];
    case 'honeypot':
      return [
        {
          id,
          tone: 'yes',
          text: t.connect.status.honeypot,
          detail: t.connect.status.honeypotNote,
        },
      ];
    case 'proof-of-work':
      return [
        {
          id,
          tone: 'info',
          text: t.connect.status.proofOfWork,
          detail: t.connect.status.proofOfWorkNote,
        },
      ];
  }
}

function needs({ fields }: Schema): Statement[] {
  const required = fields.filter(({ required: isRequired }) => isRequired).map(({ key, label }) => label || key);
  return [{ id: 'needs', tone: 'info', text: t.connect.status.needs(list([t.common.email, ...required])) }];
}

const MAX_LISTED = 6;

/** For example `a, b and 3 more`. */
function list(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return and(names);
  return and([...names.slice(0, MAX_LISTED - 1), t.connect.status.more(names.length - MAX_LISTED + 1)]);
}
