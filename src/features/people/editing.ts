import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { AppPrincipal } from '../../core/api/principal.ts';
import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { component, JsonObject, parseTags } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { HistoryAuthor } from '../history/history-entries.ts';
import type { Records } from '../records/records.ts';
import { type DetailedUser, RECORD_ETAG, UserPath } from '../search/users.routes.ts';

/** More than the fields and the extra keys of a record. */
export const MAX_UNSET = 300;
const MAX_REMOVED_ITEMS = 1_000;

export const Key = z.string(code('notText')).regex(FIELD_KEY_PATTERN, code('notKey')).meta({ example: 'phone' });

const Edit = z
  .strictObject({
    set: JsonObject.default({}).meta({ description: 'Values that replace the stored ones', example: { name: 'Ada' } }),
    unset: z
      .array(Key)
      .max(MAX_UNSET)
      .default([])
      .meta({ description: 'Keys to remove', example: ['phone'] }),
    removeItems: z
      .array(z.strictObject({ key: Key, timestamp: z.string(code('notText')).min(1).max(100) }))
      .max(MAX_REMOVED_ITEMS)
      .default([])
      .meta({
        description: 'Items of lists to remove, by the `timestamp` of each',
        example: [{ key: 'visits', timestamp: '2026-01-31T08:30:00.000Z' }],
      }),
  })
  .superRefine(checkEdit)
  .meta({ id: 'UserChange' });

const NewEmail = component('UserEmail', {
  email: z.string(code('notText')).max(1_000, code('tooLongText')).meta({ example: 'ada@example.com' }),
});

const Revert = component('UserRevert', {
  revision: z
    .int(code('notWholeFrom', { min: 1 }))
    .min(1, code('notWholeFrom', { min: 1 }))
    .meta({ example: 3 }),
  paths: z
    .array(z.string(code('notText')).max(200))
    .min(1)
    .max(MAX_UNSET)
    .optional()
    .meta({ description: 'Only these changes of the revision', example: ['data.phone'] }),
});

const shared = {
  auth: 'session or key',
  load: 'light',
  scope: 'users:write',
  scoped: true,
  tag: 'Users',
  params: UserPath,
  query: z.strictObject({ sourceAppId: ScopeParameter }),
  headers: z.object({
    'if-match': z.string().optional().meta({
      description: 'The ETag of the record, or its `updatedAt` in quotes',
      example: '"2026-01-31T08:30:00.000Z"',
    }),
  }),
  responseHeaders: RECORD_ETAG,
  errors: [409, 412],
} as const;

/** The endpoints that change a record (spec 4.3). */
export const editingEndpoints = (detailed: DetailedUser) =>
  ({
    revertUser: {
      ...shared,
      response: detailed.schema,
      method: 'post',
      path: '/auth/users/:id/revert',
      audit: 'user.reverted',
      summary: "Undo a change of one of the session's users",
      description:
        'Restores the values before an edit, an import or a revert, in one atomic change, checked by the newest schema. 409 names the values that changed since. It is an entry of the history itself.',
      body: jsonBody(Revert, 'invalidRevert'),
    },
    changeUserEmail: {
      ...shared,
      response: detailed.schema,
      method: 'put',
      path: '/auth/users/:id/email',
      audit: 'user.email',
      summary: "Change the email of one of the session's users",
      description:
        'One atomic change: the record keeps its id, its values and its history, and `confirmedAt` goes. 409 names the record that has the email. The same email changes nothing.',
      body: jsonBody(NewEmail, 'invalidChange'),
    },
    editUser: {
      ...shared,
      response: detailed.schema,
      method: 'patch',
      path: '/auth/users/:id',
      audit: 'user.changed',
      tool: true,
      summary: "Change one of the session's users",
      description:
        'One atomic change, checked by the newest schema. What it does not name stays as it is. With `If-Match` it takes place only if the record is in that state, otherwise the response is 412.',
      body: jsonBody(Edit, 'invalidChange'),
    },
  }) as const satisfies Endpoints;

function checkEdit(
  { set, unset, removeItems }: { set: object; unset: string[]; removeItems: { key: string }[] },
  context: z.RefinementCtx,
): void {
  const parts = [Object.keys(set), unset, [...new Set(removeItems.map(({ key }) => key))]];
  const keys = parts.flat();
  if (keys.length === 0) context.addIssue({ code: 'custom', path: [], message: code('noChange') });
  if (new Set(keys).size < keys.length) {
    context.addIssue({ code: 'custom', path: [], message: code('keyTwice') });
  }
}

export const editingRoutes = (
  { editor, changeEmail }: Pick<Records, 'editor' | 'changeEmail'>,
  detailed: DetailedUser,
): Route[] =>
  routes(editingEndpoints(detailed), {
    changeUserEmail: async ({ app, principal, params, headers, body, leftMs, res }) => {
      const email = normalizeEmail(body.email);
      if (email === undefined) throw new InvalidInput('invalidChange', [{ path: 'email', ...say('notEmail') }]);
      const by = authorOf(principal, 'edit');
      const tags = parseTags(headers['if-match']);
      return detailed.answer(await changeEmail(app, params.id, email, by, leftMs, tags), res);
    },

    editUser: async ({ app, principal, params, headers, body, leftMs, res }) => {
      const by = authorOf(principal, 'edit');
      const tags = parseTags(headers['if-match']);
      return detailed.answer(await editor.edit(app, params.id, body, by, leftMs, tags), res);
    },

    revertUser: async ({ app, principal, params, headers, body, leftMs, res }) => {
      const by = { ...authorOf(principal, 'revert'), reverted: body.revision };
      const tags = parseTags(headers['if-match']);
      return detailed.answer(await editor.revert(app, params.id, body, by, leftMs, tags), res);
    },
  });

/** The author of a change in the history. Neither account nor key: a shared log-in. */
export function authorOf(principal: AppPrincipal, kind: HistoryAuthor['kind']): HistoryAuthor {
  if (principal.kind === 'key') return { kind, key: principal.keyId };
  return { kind, ...(principal.account && { account: principal.account.id.toHexString() }) };
}
