import type { AuditAction, AuditEvent } from '../api/endpoints.ts';
import { authorId, authorName } from '../components/content/author.ts';
import { dateTime } from '../components/content/time.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';

export const ALL_ACTIONS = Object.keys(t.audit.actions) as AuditAction[];

export function isAction(text: string): text is AuditAction {
  return Object.hasOwn(t.audit.actions, text);
}

export function actorName(actor: AuditEvent['actor']): string {
  const { kind, id } = actor;
  switch (kind) {
    case 'operator':
    case 'admin':
    case 'key': {
      const named = authorName(authorOf(actor));
      if (named !== undefined) return named;
      return kind === 'admin' ? t.audit.administrator(id) : t.audit.operator(id);
    }
    case 'command line':
      return t.audit.commandLine;
    case 'person':
      return t.audit.ofEntry;
    default:
      return t.audit.unknown;
  }
}

/** The id of the account or the key that acted. */
export const actorId = (actor: AuditEvent['actor']): string | undefined => authorId(authorOf(actor));

/** The id of the account that acted, also of a deleted one. */
export const accountOf = (actor: AuditEvent['actor']): string | undefined => authorOf(actor).account;

/** A session with the password of an app is neither an account nor a key. */
function authorOf({ kind, id, method, name }: AuditEvent['actor']) {
  const actor = id ?? undefined;
  if (kind === 'key') return { key: actor, name };
  return { account: method && method !== 'shared' ? actor : undefined, name };
}

const METHODS: Record<string, string> = t.audit.methods;

/** How the session of an actor logged in; undefined without a session. */
export function methodText({ method }: AuditEvent['actor']): string | undefined {
  return method === null ? undefined : (METHODS[method] ?? t.audit.otherMethod(method));
}

/** What was changed, with its id as the title of a name; undefined for the actor, and the app. */
export function targetText(event: AuditEvent): { text: string; title?: string } | undefined {
  const { target, actor, sourceAppId } = event;
  if (target === null || target === sourceAppId || target === actor.id) return undefined;
  const text = targetName(event);
  return text === undefined ? { text: withKind(event.action, target) } : { text, title: target };
}

const KINDS: Partial<Record<string, string>> = t.audit.targets;

/** An id after the word for what it names, for example `Submission 01924c9e-…`. */
function withKind(action: AuditAction, id: string): string {
  const [subject = ''] = action.split('.', 1);
  return KINDS[subject] === undefined ? id : `${KINDS[subject]} ${id}`;
}

/** The actions whose target is a record that may still exist. */
const OF_RECORDS: ReadonlySet<AuditAction> = new Set(['user.changed', 'user.email', 'user.reverted']);

/** The id of the record that an event concerns; undefined for none, or for one that was erased. */
export function recordOf({ action, target, detail: { record } }: AuditEvent): string | undefined {
  if (OF_RECORDS.has(action)) return target ?? undefined;
  return typeof record === 'string' ? record : undefined;
}

function targetName(event: AuditEvent): string | undefined {
  const { targetKind, targetName: name, targetAccount: account, targetChange: change } = event;
  switch (targetKind) {
    case 'account':
      return account ? `${account.name} (${account.email})` : t.common.deletedAccount;
    case 'key':
      return name ?? t.common.deletedKey;
    case 'webhook':
      return name ?? t.common.deletedWebhook;
    case 'change':
      return change ? t.audit.changeOf(change.users, dateTime.format(new Date(change.createdAt))) : t.audit.gone.change;
    case 'import':
      return name === '' ? t.audit.unnamedFile : (name ?? t.audit.gone.import);
    case 'view':
    case 'invitation':
      return name ?? t.audit.gone[targetKind];
    default:
      return undefined;
  }
}

/**
 * The details in words, for example `12 times · format: csv`: without the parts of a sum that are
 * zero, and without the users of a change that names them.
 */
export function detailText({ detail, targetChange }: AuditEvent): string {
  const { count: times, lastAt: _, changes: __, moreChanges: ___, record: ____, ...rest } = detail;
  const named = Object.entries(rest).filter(([name]) => !(targetChange && name === 'users'));
  const isSum = named.some(([, value]) => typeof value === 'number' && value > 0);
  const parts = named
    .filter(([, value]) => value !== 0 || !isSum)
    .map(([name, value]) => factOf(name, value) ?? `${NAMES[name] ?? name}: ${wordOf(name, value)}`);
  return [...(typeof times === 'number' ? [t.audit.times(times)] : []), ...parts].join(' · ');
}

/** What an event of settings changed, such as `30 → 60`, and how many changes are left out. */
export function changesOf({ detail: { changes, moreChanges } }: AuditEvent) {
  const listed = Array.isArray(changes) ? changes : [];
  return {
    changes: listed.map(({ path, before, after }) => ({
      path,
      text: `${sideOf(path, before)} → ${sideOf(path, after)}`,
    })),
    more: typeof moreChanges === 'number' ? moreChanges : 0,
  };
}

const sideOf = (path: string, value: string | number | boolean | undefined): string =>
  value === undefined ? '–' : wordOf(path, value);

const NAMES: Record<string, string> = t.audit.details;
const FACTS: Record<string, { yes: string; no: string }> = t.audit.facts;

/** What a detail says that is true or false; undefined for another one. */
function factOf(name: string, value: AuditEvent['detail'][string]): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return FACTS[name]?.[value ? 'yes' : 'no'];
}

function wordOf(name: string, value: AuditEvent['detail'][string]): string {
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (typeof value === 'number') return formatNumber(value);
  return (name === 'role' && ROLES[String(value)]) || String(value);
}

const ROLES: Record<string, string> = t.members.roles;
