import type { AuditAction, AuditEvent } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

export const ALL_ACTIONS = Object.keys(t.audit.actions) as AuditAction[];

export function isAction(text: string): text is AuditAction {
  return Object.hasOwn(t.audit.actions, text);
}

export function actorName({ kind, id, method, name }: AuditEvent['actor']): string {
  if (name !== undefined) return name;
  switch (kind) {
    case 'operator':
    case 'admin':
      if (method && method !== 'shared') return t.audit.account(id);
      return kind === 'admin' ? t.audit.administrator(id) : t.audit.operator(id);
    case 'key':
      return t.audit.apiKey(id);
    case 'command line':
      return t.audit.commandLine;
    default:
      return t.audit.unknown;
  }
}

const METHODS: Record<string, string> = t.audit.methods;

/** How the session of an actor logged in; undefined without a session. */
export function methodText({ method }: AuditEvent['actor']): string | undefined {
  return method === null ? undefined : (METHODS[method] ?? t.audit.otherMethod(method));
}

/** What was changed; undefined for the actor, and for the app of the event. */
export function targetText({ target, targetAccount, actor, sourceAppId }: AuditEvent): string | undefined {
  if (target === null || target === sourceAppId || target === actor.id) return undefined;
  return targetAccount ? `${targetAccount.name} (${targetAccount.email})` : target;
}

/** The details in words, for example `12 times · format csv`. */
export function detailText({ count: times, lastAt: _, ...rest }: AuditEvent['detail']): string {
  const parts = Object.entries(rest).map(([name, value]) => `${NAMES[name] ?? name}: ${wordOf(name, value)}`);
  return [...(typeof times === 'number' ? [t.audit.times(times)] : []), ...parts].join(' · ');
}

const NAMES: Record<string, string> = t.audit.details;

function wordOf(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  return (name === 'role' && ROLES[value]) || String(value);
}

const ROLES: Record<string, string> = t.members.roles;
