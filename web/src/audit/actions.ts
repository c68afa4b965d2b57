import type { AuditAction, AuditEvent } from '../api/endpoints.ts';
import { count } from '../components/count.ts';

export const ACTIONS: Record<AuditAction, string> = {
  login: 'Logged in',
  'login.failed': 'Log-in failed',
  'app.created': 'App created',
  'app.deleted': 'App deleted',
  'password.replaced': 'Password replaced',
  'schema.checked': 'Schema checked',
  'schema.replaced': 'Schema replaced',
  'form.replaced': 'Form settings changed',
  'retention.replaced': 'Retention changed',
  'search.replaced': 'Search changed',
  'users.listed': 'Users listed',
  'users.exported': 'Users exported',
  'history.replaced': 'History settings changed',
  'user.changed': 'User changed',
  'user.reverted': 'Change of a user undone',
  'user.erased': 'User erased',
  'users.erased': 'Users erased',
  'users.changed': 'Users changed',
  'change.undone': 'Change of users undone',
  'change.stopped': 'Change of users stopped',
  'person.exported': 'Person exported',
  'person.erased': 'Person erased',
  'held.listed': 'Held submissions listed',
  'held.released': 'Held submission released',
  'held.deleted': 'Held submission deleted',
  'view.created': 'View created',
  'view.changed': 'View changed',
  'view.deleted': 'View deleted',
  'key.created': 'API key created',
  'key.deleted': 'API key deleted',
  'import.created': 'Import created',
  'import.uploaded': 'Import file received',
  'import.started': 'Import started',
  'import.deleted': 'Import deleted',
  'import.rejects.exported': 'Rejected lines exported',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.tested': 'Webhook tested',
  'webhook.secret.replaced': 'Webhook secret replaced',
  'webhook.replayed': 'Events sent again',
  'account.created': 'Account invited',
  'account.changed': 'Account changed',
  'account.link.created': 'Log-in link created',
  'account.erased': 'Account erased',
  'account.password.replaced': 'Password of an account replaced',
  'account.factors.changed': 'Second factor changed',
  'account.sessions.ended': 'Sessions ended',
  'invitation.created': 'Member invited',
  'invitation.accepted': 'Invitation accepted',
  'invitation.deleted': 'Invitation withdrawn',
  'member.changed': 'Role of a member changed',
  'member.removed': 'Member removed',
  'access.replaced': 'Shared log-in changed',
};

export const ALL_ACTIONS = Object.keys(ACTIONS) as AuditAction[];

export function isAction(text: string): text is AuditAction {
  return Object.hasOwn(ACTIONS, text);
}

export function actorName({ kind, id, method, name }: AuditEvent['actor']): string {
  if (name !== undefined) return name;
  switch (kind) {
    case 'operator':
    case 'admin':
      if (method && method !== 'shared') return `Account ${id}`;
      return kind === 'admin' ? `Administrator ${id}` : `Operator ${id}`;
    case 'key':
      return `API key ${id}`;
    case 'command line':
      return 'Command line';
    default:
      return 'Unknown';
  }
}

const METHODS: Record<string, string> = {
  password: 'by password',
  link: 'with a link',
  invitation: 'with an invitation',
  passkey: 'with a passkey',
  oidc: 'with single sign-on',
  shared: 'shared password',
};

/** How the session of an actor logged in; undefined without a session. */
export function methodText({ method }: AuditEvent['actor']): string | undefined {
  return method === null ? undefined : (METHODS[method] ?? `with ${method}`);
}

/** What was changed; undefined for the actor, and for the app of the event. */
export function targetText({ target, targetAccount, actor, sourceAppId }: AuditEvent): string | undefined {
  if (target === null || target === sourceAppId || target === actor.id) return undefined;
  return targetAccount ? `${targetAccount.name} (${targetAccount.email})` : target;
}

/** The details in words, for example `12 times · format csv`. */
export function detailText({ count: times, lastAt: _, ...rest }: AuditEvent['detail']): string {
  const parts = Object.entries(rest).map(([name, value]) => `${NAMES[name] ?? name}: ${wordOf(value)}`);
  return [...(typeof times === 'number' ? [count(times, 'time')] : []), ...parts].join(' · ');
}

const NAMES: Record<string, string> = { deletedUsers: 'users', suppress: 'not imported again' };

const wordOf = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
