import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import type { SessionPrincipal } from '../../core/api/principal.ts';
import { Forbidden } from '../../platform/core/errors.ts';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import { type Cursors, pageOf } from '../../platform/http/cursors.ts';
import { component, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { cell, jsonCell } from '../exports/cell-text.ts';
import { createDownload } from '../exports/exports.routes.ts';
import { BYTES } from '../exports/exports.service.ts';
import { AUDITED_CHANGES, AUDITED_READS } from './actions.ts';
import type { AuditDocument, AuditFilter, AuditLog } from './audit-log.ts';
import type { Names, ReadNames } from './names.ts';

export const ACTIONS = [...AUDITED_CHANGES, ...AUDITED_READS, 'login.failed'] as const;

const Action = z.enum(ACTIONS, code('notAuditAction')).meta({ example: 'users.exported' });

/** The actions whose target is an account. */
const CHANGES_OF_ACCOUNTS: ReadonlySet<AuditDocument['action']> = new Set([
  ...(['login', 'login.failed', 'invitation.accepted', 'member.changed', 'member.removed'] as const),
  ...(['account.changed', 'account.link.created', 'account.erased', 'account.sessions.ended'] as const),
  ...(['account.password.replaced', 'account.factors.changed'] as const),
]);

/** What has a name, by the kind of a target. */
const NAMED = {
  account: 'accounts',
  key: 'keys',
  webhook: 'webhooks',
  view: 'views',
  change: 'changes',
  import: 'imports',
  invitation: 'invitations',
} as const satisfies Record<string, keyof Names>;

type TargetKind = keyof typeof NAMED;

const TARGET_KINDS = Object.keys(NAMED) as TargetKind[];

const ACTOR = code('notActor');

const AccountName = z.string().meta({ example: 'Ada Lovelace' });
const AccountEmail = z.string().meta({ example: 'ada@example.com' });

const Shown = z.union([z.string(), z.number(), z.boolean()]).optional();

const Change = component('AuditChange', {
  path: z.string().meta({ example: 'theme.accent' }),
  before: Shown.meta({ description: 'Absent: it had no value', example: '#1f5fd6' }),
  after: Shown.meta({ description: 'Absent: it has no value', example: '#0a7d38' }),
});

const Event = component('AuditEvent', {
  id: z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
  at: Timestamp,
  sourceAppId: z.string().nullable().meta({ description: 'The app; null: all apps', example: 'newsletter' }),
  actor: z.strictObject({
    kind: z.enum(['operator', 'admin', 'key', 'command line', 'person', 'anonymous']),
    id: z.string().nullable().meta({
      description: 'The `sourceAppId` of a session, or the id of an API key or of an account',
      example: 'newsletter',
    }),
    address: z.string().nullable().meta({ example: '203.0.113.7' }),
    method: z.string().nullable().meta({
      description: 'How the session logged in: `shared` with the password of the app, or the method of an account',
      example: 'shared',
    }),
    name: AccountName.optional().meta({ description: 'Of an account or a key that still exists, as it is now' }),
    email: AccountEmail.optional(),
  }),
  action: Action,
  target: z.string().nullable().meta({ description: 'The id of what was changed' }),
  targetKind: z.enum(TARGET_KINDS).optional().meta({
    description: 'What `target` names, of the kinds that have a name',
    example: 'key',
  }),
  targetName: z.string().optional().meta({
    description:
      'The name of that API key or view, the URL of that webhook, the file name of that import (empty without one) or the email of that open invitation, if it still exists, as it is now',
    example: 'Nightly export',
  }),
  targetChange: z
    .strictObject({ users: z.int().nonnegative().meta({ example: 42 }), createdAt: Timestamp })
    .optional()
    .meta({ description: 'The change of many users that `target` names, while it is kept' }),
  targetAccount: z.strictObject({ name: AccountName, email: AccountEmail }).optional().meta({
    description: 'The account that `target` names, if it still exists',
  }),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(Change)])).meta({
    description: 'Such as numbers; `count` and `lastAt` of repeated events; `changes` of settings',
    example: { changes: [{ path: 'theme.accent', before: '#1f5fd6', after: '#0a7d38' }] },
  }),
});

const filters = {
  since: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], code('notDay'))
    .transform((at) => new Date(at))
    .optional()
    .meta({
      override: { type: 'string' },
      description: 'Only events from this time on; a date means its beginning in UTC',
      example: '2026-01-31',
    }),
  action: Action.optional(),
  actor: z
    .string(ACTOR)
    .regex(/^(?:admin|[0-9a-f]{24})$/, ACTOR)
    .optional()
    .meta({
      description: 'Only events of the account or API key of this id; `admin`: of all sessions of admins',
      example: '65a1f0c2b3d4e5f60718293a',
    }),
  sourceAppId: z.string().regex(APP_ID_PATTERN, code('notAppId')).optional().meta({
    description: 'For admins: only the events of this app',
    example: 'newsletter',
  }),
};

const shared = {
  method: 'get',
  auth: 'session',
  scope: 'manage',
  tag: 'Audit',
} as const;

/** The endpoints of the audit log (spec 4.9). */
export const auditEndpoints = {
  listAuditEvents: {
    ...shared,
    path: '/auth/audit',
    summary: 'Who changed what, and who looked at many records',
    description:
      "Newest first. Operators see the events of their app. Admins see all events, or those of the app that `sourceAppId` names, which may be deleted. No event contains personal data of an app's users.",
    query: z.strictObject({
      ...filters,
      limit: PageLimit,
      cursor: z.string(code('notOneText')).max(1_000, code('tooLongText')).optional().meta({
        description: 'The `next` of the previous page of the same query',
        example: 'AbC123',
      }),
    }),
    response: z.strictObject({ events: z.array(Event), next: z.string().optional().meta({ example: 'AbC123' }) }),
  },
  exportAuditEvents: {
    ...shared,
    path: '/auth/audit/export',
    load: 'long',
    audit: 'audit.exported',
    summary: 'The audit log as a file',
    description:
      'The events that `GET /auth/audit` lists with the same filters, newest first, streamed, one in each line.',
    query: z.strictObject({
      format: z
        .enum(['csv', 'ndjson'], code('notImportFormat'))
        .default('csv')
        .meta({ description: 'Default: `csv`', example: 'csv' }),
      ...filters,
    }),
    slow: true,
    response: Event,
    downloads: ['text/csv', 'application/x-ndjson'],
    responseHeaders: { 'Content-Disposition': 'An attachment, named after the app and the date' },
    errors: [429],
  },
} as const satisfies Endpoints;

export const auditRoutes = (audit: AuditLog, cursors: Cursors, readNames: ReadNames): Route[] =>
  routes(auditEndpoints, {
    listAuditEvents: async ({ principal, query: { since, action, actor, sourceAppId, limit, cursor } }) => {
      const bound = ['audit', principal.own?.id ?? principal.account?.id, since, action, actor, sourceAppId];
      const before = cursors.read<{ before: string }>(cursor, bound)?.before;
      const filter = { ...visibleTo(principal, sourceAppId), action, actor, since };
      const { page: events, last } = pageOf(await audit.page(filter, limit + 1, before), limit);
      const next = last && { next: cursors.write({ before: last._id }, bound) };
      return { events: await named(events, readNames), ...next };
    },

    exportAuditEvents: ({ principal, query: { format, sourceAppId, ...filter }, closed, audit: note }) => {
      const visible = visibleTo(principal, sourceAppId);
      // The export of an admin names no app unless it has one.
      note({ detail: { format }, ...(!visible.app && sourceAppId === undefined && { app: null }) });
      const pages = pagesOf(audit, readNames, { ...visible, ...filter }, closed());
      const app = visible.app?.sourceAppId ?? sourceAppId;
      const content = Readable.from(format === 'csv' ? asCsv(pages) : asLines(pages), BYTES);
      return createDownload(app === undefined ? 'audit' : `${app}-audit`, format, content);
    },
  });

type ShownEvent = ReturnType<typeof present>;

/** Presents the events of a page with the present names. */
async function named(events: readonly AuditDocument[], readNames: ReadNames): Promise<ShownEvent[]> {
  const targets = events.flatMap((event) => targetOf(event) ?? []);
  const idsOf = (kind: TargetKind) => targets.filter((one) => one.kind === kind).map(({ id }) => id);
  const names = await readNames({
    accounts: [...events.flatMap((event) => actorAccount(event) ?? []), ...idsOf('account')],
    keys: [...events.flatMap((event) => actorKey(event) ?? []), ...idsOf('key')],
    webhooks: idsOf('webhook'),
    views: idsOf('view'),
    changes: idsOf('change'),
    imports: idsOf('import'),
    invitations: idsOf('invitation'),
  });
  return events.map((event) => present(event, names));
}

const EXPORT_PAGE = 100;

/** Yields the events, newest first, page by page, until the client has left. */
async function* pagesOf(
  audit: Pick<AuditLog, 'page'>,
  readNames: ReadNames,
  filter: AuditFilter,
  closed: AbortSignal,
): AsyncGenerator<ShownEvent[]> {
  for (let before: string | undefined; !closed.aborted; ) {
    const events = await audit.page(filter, EXPORT_PAGE, before);
    if (events.length > 0) yield await named(events, readNames);
    if (events.length < EXPORT_PAGE) return;
    before = events.at(-1)?._id;
  }
}

/** The columns of a CSV file, and how an event fills them. */
const COLUMNS: Readonly<Record<string, (event: ShownEvent) => string | null | undefined>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  sourceAppId: ({ sourceAppId }) => sourceAppId,
  action: ({ action }) => action,
  actorKind: ({ actor }) => actor.kind,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  actorEmail: ({ actor }) => actor.email,
  actorMethod: ({ actor }) => actor.method,
  actorAddress: ({ actor }) => actor.address,
  target: ({ target }) => target,
  targetKind: ({ targetKind }) => targetKind,
  targetName: ({ targetName, targetAccount }) => targetName ?? targetAccount?.name,
};

async function* asCsv(pages: AsyncIterable<ShownEvent[]>): AsyncGenerator<string> {
  yield `${[...Object.keys(COLUMNS), 'detail'].join(',')}\r\n`;
  for await (const events of pages) yield events.map(toRow).join('');
}

function toRow(event: ShownEvent): string {
  const cells = Object.values(COLUMNS).map((of) => cell(of(event) ?? ''));
  return `${[...cells, jsonCell(JSON.stringify(event.detail))].join(',')}\r\n`;
}

async function* asLines(pages: AsyncIterable<ShownEvent[]>): AsyncGenerator<string> {
  for await (const events of pages) yield events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** The id of the account that acted; an app can have the same name. */
function actorAccount({ actor: { kind, id, method } }: AuditDocument): string | undefined {
  const isAccount = (kind === 'operator' || kind === 'admin') && method !== undefined && method !== 'shared';
  return isAccount ? (id ?? undefined) : undefined;
}

const actorKey = ({ actor: { kind, id } }: AuditDocument): string | undefined =>
  kind === 'key' ? (id ?? undefined) : undefined;

interface Target {
  kind: TargetKind;
  id: string;
}

/** The kind of a target, by the first word of the action. */
const KINDS_OF_ACTIONS: Readonly<Record<string, TargetKind>> = {
  key: 'key',
  view: 'view',
  change: 'change',
  import: 'import',
  invitation: 'invitation',
};

/** What a list says of a target. */
type NamedTarget = Pick<z.input<typeof Event>, 'targetKind' | 'targetName' | 'targetChange' | 'targetAccount'>;

/** What an event changed, of the kinds that have a name. */
function targetOf({ action, target }: AuditDocument): Target | undefined {
  if (target === null) return undefined;
  if (CHANGES_OF_ACCOUNTS.has(action)) return { kind: 'account', id: target };
  // The id of a delivery ends with that of its webhook.
  if (action.startsWith('webhook.')) return { kind: 'webhook', id: target.slice(target.lastIndexOf(':') + 1) };
  if (action === 'users.changed') return { kind: 'change', id: target };
  if (action === 'account.created') return { kind: 'invitation', id: target };
  const kind = KINDS_OF_ACTIONS[action.slice(0, action.indexOf('.'))];
  return kind && { kind, id: target };
}

/** Operators list events of the incarnation of their app; admins by name, also of deleted apps. */
function visibleTo(principal: SessionPrincipal, sourceAppId: string | undefined): AuditFilter {
  if (principal.role === 'admin') return { sourceAppId };
  const { app } = principal;
  if (sourceAppId !== undefined && sourceAppId !== app.sourceAppId) throw new Forbidden('adminRequired');
  return { app };
}

function present(event: AuditDocument, names: Names) {
  const { _id, at, sourceAppId, actor, action, target, detail, count, lastAt } = event;
  const { kind, id, address, method = null } = actor;
  const repeated = lastAt && { count, lastAt: lastAt.toISOString() };
  return {
    id: _id,
    at: at.toISOString(),
    sourceAppId,
    action,
    target,
    actor: { kind, id, address, method, ...nameOfActor(event, names) },
    ...nameOfTarget(event, names),
    detail: { ...detail, ...repeated },
  };
}

function nameOfActor(
  event: AuditDocument,
  { accounts, keys }: Names,
): Pick<z.input<typeof Event>['actor'], 'name' | 'email'> | undefined {
  const account = accounts.get(actorAccount(event) ?? '');
  if (account) return { name: account.name, email: account.email };
  const name = keys.get(actorKey(event) ?? '');
  return name === undefined ? undefined : { name };
}

function nameOfTarget(event: AuditDocument, names: Names): NamedTarget | undefined {
  const target = targetOf(event);
  if (!target) return undefined;
  const { kind: targetKind, id } = target;
  if (targetKind === 'account') {
    const account = names.accounts.get(id);
    return { targetKind, ...(account && { targetAccount: { name: account.name, email: account.email } }) };
  }
  if (targetKind === 'change') {
    const change = names.changes.get(id);
    if (!change) return { targetKind };
    return { targetKind, targetChange: { users: change.users, createdAt: change.createdAt.toISOString() } };
  }
  const targetName = names[NAMED[targetKind]].get(id);
  return { targetKind, ...(targetName !== undefined && { targetName }) };
}
