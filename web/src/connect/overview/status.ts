import type { FormSettings, Schema } from '../../api/endpoints.ts';

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
    const text = `The form is closed since ${format(closesAt ?? '')}`;
    statements.push({ id: 'closed', tone: 'no', text, detail: 'Every submission is refused.' });
  } else if (closesAt !== null) {
    statements.push({ id: 'closes', tone: 'info', text: `The form closes on ${format(closesAt)}` });
  }
  if (maxRecords !== null && records !== undefined) {
    const isFull = records >= maxRecords;
    const text = `${records.toLocaleString()} of at most ${maxRecords.toLocaleString()} records are stored`;
    statements.push(
      isFull
        ? {
            id: 'full',
            tone: 'no',
            text: `The form is full: ${text}`,
            detail: 'Submissions of new people are refused.',
          }
        : { id: 'room', tone: 'info', text },
    );
  }
  if (!statements.some(({ tone }) => tone === 'no')) {
    statements.unshift({
      id: 'open',
      tone: 'yes',
      text: 'The form is open',
      detail: 'Its page and programs can submit.',
    });
  }
  return statements;
}

function origins({ origins: allowed, nullOrigin }: FormSettings): Statement[] {
  const files: Statement = nullOrigin
    ? { id: 'files', tone: 'yes', text: 'Pages opened from a file can submit' }
    : {
        id: 'files',
        tone: 'info',
        text: 'Pages opened from a file cannot submit',
        detail: 'To try a form that you saved on your computer, allow files below.',
      };
  return [sites(allowed), files];
}

function sites(allowed: readonly string[]): Statement {
  if (allowed.includes('*')) return { id: 'sites', tone: 'yes', text: 'Pages on every website can submit' };
  if (allowed.length === 0) {
    const detail = 'Add the address of your website below.';
    return { id: 'sites', tone: 'no', text: 'Pages on your website cannot submit yet', detail };
  }
  return { id: 'sites', tone: 'yes', text: `Pages on ${list(allowed)} can submit` };
}

function protection({ botProtection }: FormSettings): Statement[] {
  const id = 'bots';
  switch (botProtection) {
    case 'off':
      return [{ id, tone: 'info', text: 'Bot protection is off' }];
    case 'honeypot':
      return [
        {
          id,
          tone: 'yes',
          text: 'A hidden field catches simple bots',
          detail: 'What they send is held until somebody releases or deletes it.',
        },
      ];
    case 'proof-of-work':
      return [
        {
          id,
          tone: 'info',
          text: 'Bot protection needs JavaScript',
          detail:
            'Forms that are sent without JavaScript are held until you release them, and people read that. Programs without proof of work are refused.',
        },
      ];
  }
}

function needs({ fields }: Schema): Statement[] {
  const required = fields.filter(({ required: isRequired }) => isRequired).map(({ key, label }) => label || key);
  return [{ id: 'needs', tone: 'info', text: `Required in each submission: ${list(['Email', ...required])}` }];
}

const MAX_LISTED = 6;
const lists = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** For example `a, b and 3 more`. */
function list(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return lists.format(names);
  return lists.format([...names.slice(0, MAX_LISTED - 1), `${names.length - MAX_LISTED + 1} more`]);
}
