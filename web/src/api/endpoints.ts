import type { z } from 'zod';
import type { appEndpoints } from '#src/core/apps/apps.routes.ts';
import type { sessionEndpoints } from '#src/core/sessions/sessions.routes.ts';
import type { AccountSessionPart } from '#src/features/accounts/account-sessions.ts';
import type { logInEndpoints } from '#src/features/accounts/log-in.routes.ts';
import type { apiKeyEndpoints } from '#src/features/api-keys/api-keys.routes.ts';
import type { appAdministrationEndpoints } from '#src/features/app-administration/app-administration.routes.ts';
import type { auditEndpoints } from '#src/features/audit/audit.routes.ts';
import type { changeEndpoints } from '#src/features/changes/changes.routes.ts';
import type { ShownConsent } from '#src/features/consents/consents.ts';
import type { entryEndpoints } from '#src/features/entries/entries.routes.ts';
import type { exportEndpoints } from '#src/features/exports/exports.routes.ts';
import type { fileEndpoints } from '#src/features/file-access/files.routes.ts';
import type { formSettingsEndpoints } from '#src/features/form-settings/form-settings.routes.ts';
import type { heldEndpoints } from '#src/features/held/held.ts';
import type { importEndpoints } from '#src/features/imports/imports.routes.ts';
import type { inboxEndpoints } from '#src/features/inbox/inbox.routes.ts';
import type { accountEndpoints } from '#src/features/members/accounts.routes.ts';
import type { memberEndpoints } from '#src/features/members/members.routes.ts';
import type { ownAccountEndpoints } from '#src/features/members/own-account.routes.ts';
import type { mailEndpoints } from '#src/features/notifications/mails.routes.ts';
import type { mailStatusEndpoints } from '#src/features/notifications/notifications.ts';
import type { overviewEndpoints } from '#src/features/overview/overview.ts';
import type { editingEndpoints } from '#src/features/people/editing.ts';
import type { historyEndpoints } from '#src/features/people/history.ts';
import type { peopleEndpoints } from '#src/features/people/people.routes.ts';
import type { retentionEndpoints } from '#src/features/people/retention.ts';
import type { recordConditionEndpoints } from '#src/features/record-conditions/record-conditions.routes.ts';
import type { renameEndpoints } from '#src/features/renames/renames.routes.ts';
import type { schemaReadEndpoints } from '#src/features/schemas/schema-reads.ts';
import type { schemaVersionEndpoints } from '#src/features/schemas/schema-versions.ts';
import type { breakdownEndpoints } from '#src/features/search/breakdown.ts';
import type { indexSlotEndpoints } from '#src/features/search/indexes.ts';
import type { schemaCheckEndpoints } from '#src/features/search/schema-check.ts';
import type { searchIndexEndpoints } from '#src/features/search/search-index.ts';
import type { userStatsEndpoints } from '#src/features/search/statistics.ts';
import type { userEndpoints } from '#src/features/search/users.routes.ts';
import type { singleSignOnEndpoints } from '#src/features/single-sign-on/single-sign-on.routes.ts';
import type { lookEndpoints } from '#src/features/views/looks.ts';
import type { viewEndpoints } from '#src/features/views/views.routes.ts';
import type { deliveryEndpoints } from '#src/features/webhooks/deliveries.ts';
import type { webhookEndpoints } from '#src/features/webhooks/webhooks.routes.ts';

// Only types of the contracts: no service code is bundled, and a changed endpoint fails the check.

type Endpoints = typeof accountEndpoints &
  typeof apiKeyEndpoints &
  typeof appAdministrationEndpoints &
  Pick<typeof appEndpoints, 'deleteApp'> &
  typeof auditEndpoints &
  typeof breakdownEndpoints &
  typeof changeEndpoints &
  typeof deliveryEndpoints &
  ReturnType<typeof editingEndpoints> &
  Pick<typeof entryEndpoints, 'sendEntryLink'> &
  typeof exportEndpoints &
  typeof fileEndpoints &
  typeof historyEndpoints &
  typeof indexSlotEndpoints &
  typeof peopleEndpoints &
  typeof retentionEndpoints &
  typeof searchIndexEndpoints &
  typeof formSettingsEndpoints &
  typeof heldEndpoints &
  typeof mailEndpoints &
  typeof mailStatusEndpoints &
  typeof importEndpoints &
  typeof inboxEndpoints &
  typeof logInEndpoints &
  typeof memberEndpoints &
  typeof overviewEndpoints &
  typeof ownAccountEndpoints &
  typeof schemaCheckEndpoints &
  typeof schemaReadEndpoints &
  typeof recordConditionEndpoints &
  typeof renameEndpoints &
  typeof schemaVersionEndpoints &
  ReturnType<typeof sessionEndpoints<AccountSessionPart>> &
  typeof singleSignOnEndpoints &
  ReturnType<typeof userEndpoints> &
  typeof userStatsEndpoints &
  typeof lookEndpoints &
  typeof viewEndpoints &
  typeof webhookEndpoints;
type Spec = Endpoints[keyof Endpoints];

type NameOf<One extends Spec> = One extends Spec ? `${Uppercase<One['method']>} ${One['path']}` : never;

/** The method and path of an endpoint, for example `GET /auth/users/:id`. */
export type EndpointName = NameOf<Spec>;

type SpecOf<Name extends EndpointName, One extends Spec = Spec> = One extends Spec
  ? NameOf<One> extends Name
    ? One
    : never
  : never;

type Part<One, Name extends string> = One extends { [Key in Name]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

type BodyInput<One> = One extends { body: { schema: infer Schema extends z.ZodType } } ? z.input<Schema> : undefined;

/** Query values; numbers are converted to text, and a list repeats its parameter. */
type Query<Values> = Values extends object
  ? { [Key in keyof Values]?: string | number | readonly string[] | undefined }
  : undefined;

type Accepted<One> = One extends { accepted?: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : never
  : never;

export type ResponseBody<Name extends EndpointName> = z.output<SpecOf<Name>['response']> | Accepted<SpecOf<Name>>;

/** The parts of a request. Parts that the contract does not declare are `undefined`. */
export interface Request<Name extends EndpointName> {
  params?: Part<SpecOf<Name>, 'params'>;
  query?: Query<Part<SpecOf<Name>, 'query'>>;
  body?: BodyInput<SpecOf<Name>>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type UserRecord = ResponseBody<'GET /auth/users'>['users'][number];
export type DetailedRecord = ResponseBody<'GET /auth/users/:id'> & { consents?: ConsentEntry[] | undefined };
export type ChangeOfUsers = ResponseBody<'GET /auth/changes/:id'>;
export type HistoryEntry = ResponseBody<'GET /auth/users/:id/history'>['entries'][number];
export type ConsentEntry = ShownConsent;
export type NewApp = NonNullable<Request<'POST /auth/apps'>['body']>;
export type AppOverview = ResponseBody<'GET /auth/overview'>['apps'][number];
export type AppRecord = ResponseBody<'GET /auth/apps'>['apps'][number];
export type ApiKey = ResponseBody<'GET /auth/keys'>['keys'][number];
export type KeyScope = ApiKey['scopes'][number];
export type AuditEvent = ResponseBody<'GET /auth/audit'>['events'][number];
export type AuditAction = AuditEvent['action'];
export type FormSettings = ResponseBody<'GET /auth/apps/:sourceAppId/form'>;
export type Import = ResponseBody<'GET /auth/imports'>['imports'][number];
export type ImportSettings = NonNullable<Request<'POST /auth/imports'>['body']>;
export type KeptSubmission = ResponseBody<'GET /auth/submissions'>['submissions'][number];
export type HeldSubmission = ResponseBody<'GET /auth/held'>['held'][number];
export type Schema = ResponseBody<'GET /auth/apps/:sourceAppId/schema'>;
export type Field = Schema['fields'][number];
export type Kind = Field['kind'];
export type SavedView = ResponseBody<'GET /auth/views'>['views'][number];
export type Webhook = ResponseBody<'GET /auth/webhooks'>['webhooks'][number];
export type Delivery = ResponseBody<'GET /auth/webhooks/:id/deliveries'>['deliveries'][number];
export type Mail = ResponseBody<'GET /auth/mails'>['mails'][number];
export type SessionAnswer = ResponseBody<'GET /auth/session'>;
export type SecondFactorKind = Extract<ResponseBody<'POST /auth/login'>, { ok: false }>['second'][number];
export type LogInWays = ResponseBody<'GET /auth/login'>;
export type OwnPasskey = ResponseBody<'GET /auth/account/passkeys'>['passkeys'][number];
export type OwnAccount = ResponseBody<'GET /auth/account'>;
export type Account = OwnAccount['account'];
export type Membership = OwnAccount['memberships'][number];
export type MemberRole = Membership['role'];
export type Member = ResponseBody<'GET /auth/apps/:sourceAppId/members'>['members'][number];
export type Invitation = ResponseBody<'GET /auth/apps/:sourceAppId/invitations'>['invitations'][number];
export type InvitationPreview = ResponseBody<'POST /auth/invitations/preview'>;
export type ListedAccount = ResponseBody<'GET /auth/accounts'>['accounts'][number];
