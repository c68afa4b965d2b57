import type { Request } from 'express';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath, ScopeParameter } from '../../core/api/parameters.ts';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { AppNotFound, Unauthenticated } from '../../platform/core/errors.ts';
import { component, JsonObject, Ok, parseTags, prefersPage, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { ShownEntry as ShownConsent } from '../consents/consents.ts';
import { jsonOrFormBody } from '../form-bodies/form-bodies.ts';
import { FormEntries } from '../form-bodies/form-body.ts';
import { DEFAULT_FORM_SETTINGS } from '../form-settings/form-settings.ts';
import { parseAttempt } from '../forms/form-answers.ts';
import { readForm } from '../forms/form-submission.ts';
import { languageToKeep, visitorLanguage } from '../forms/visitor-language.ts';
import { jsonOptions, SubmissionHeaders } from '../intake/intake.routes.ts';
import { Key, MAX_UNSET } from '../people/editing.ts';
import { UserPath } from '../search/users.routes.ts';
import { type EntryService, InvalidEntryLink, type LinkRequest, type OpenedEntry } from './entries.service.ts';
import { downloadOf } from './entry-download.ts';
import type { EntryPages } from './entry-pages.ts';

const ENTRY_ETAG = { ETag: 'Identifies the state of the entry, for `If-Match` of a change' };

const Entry = component('Entry', {
  email: z.string().meta({ example: 'ada@example.com' }),
  data: z.record(z.string(), z.unknown()).meta({
    description: 'The values of the fields, without those of the staff',
    example: { name: 'Ada' },
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  confirmedAt: Timestamp.optional().meta({ description: 'Absent: the address was not confirmed' }),
  consents: z.array(ShownConsent).optional().meta({ description: 'Absent without any' }),
  fields: z.array(z.string()).meta({ description: 'The keys of the fields that can be changed', example: ['name'] }),
});

const EntryChange = z
  .strictObject({
    set: JsonObject.default({}).meta({
      description: 'Values that replace the stored ones. Of a field of files: ids of its files, and tokens of uploads',
      example: { name: 'Ada' },
    }),
    unset: z
      .array(Key)
      .max(MAX_UNSET)
      .default([])
      .meta({ description: 'Keys to remove', example: ['phone'] }),
  })
  .superRefine(({ set, unset }, context) => {
    const keys = [...Object.keys(set), ...unset];
    if (keys.length === 0) context.addIssue({ code: 'custom', path: [], message: code('noChange') });
    if (new Set(keys).size < keys.length) context.addIssue({ code: 'custom', path: [], message: code('keyTwice') });
  })
  .meta({ id: 'EntryChange' });

const LinkRequestBody = z
  .strictObject({
    email: z.string(code('notText')).max(1_000, code('tooLongText')).meta({ example: 'ada@example.com' }),
    altcha: z.string(code('notText')).optional().meta({ description: 'As the header `x-altcha`' }),
    captcha: z.string(code('notText')).optional().meta({ description: 'As the header `x-captcha`' }),
  })
  .meta({ id: 'EntryLinkRequest' });

const XEntry = z.object({
  'x-entry': z.string().optional().meta({ description: 'The token of the link, the last part of its path' }),
});

const ofEntry = {
  path: '/v1/forms/:sourceAppId/entry',
  auth: 'form',
  tag: 'Public',
  params: AppPath,
  limit: 'submit',
  headers: XEntry,
  errors: [401, 410, 429],
} as const;

/** The endpoints of the own entry (spec 4.16). */
export const entryEndpoints = {
  askEntryLink: {
    method: 'post',
    path: '/v1/forms/:sourceAppId/entry-link',
    auth: 'form',
    scope: 'submit',
    tag: 'Public',
    summary: 'Ask for a link to the own entry',
    description:
      'Sends an email with a link to the address, if it has an entry. The answer is the same for every address. It needs the proof or the token that a submission to the form needs. A browser that sends an HTML form gets a page.',
    params: AppPath,
    headers: SubmissionHeaders.omit({ 'idempotency-key': true }),
    body: jsonOrFormBody(LinkRequestBody),
    limit: 'submit',
    response: Ok,
    status: 202,
    downloads: ['text/html'],
    errors: [403, 429],
  },
  getEntry: {
    ...ofEntry,
    method: 'get',
    summary: 'The own entry',
    description: 'For the person who has the link of an email. Without the fields of the staff.',
    response: Entry,
    responseHeaders: { ...ENTRY_ETAG, 'Cache-Control': '`no-store`' },
  },
  changeEntry: {
    ...ofEntry,
    method: 'patch',
    headers: XEntry.extend({
      'if-match': z.string().optional().meta({
        description: 'The ETag of the entry, or its `updatedAt` in quotes',
        example: '"2026-01-31T08:30:00.000Z"',
      }),
    }),
    summary: 'Change the own entry',
    description:
      'One atomic change of the `fields` of the entry, checked by the newest schema. What it does not name stays as it is. 403 with the code `notOwn`: a key is not one of `fields`.',
    body: jsonBody(EntryChange, 'invalidChange'),
    response: Entry,
    responseHeaders: { ...ENTRY_ETAG, 'Cache-Control': '`no-store`' },
    errors: [401, 403, 409, 410, 412, 429],
  },
  eraseEntry: {
    ...ofEntry,
    method: 'delete',
    load: 'long',
    summary: 'Erase the own entry',
    description: 'Permanent: erases all that the app holds of the person.',
    response: Ok,
    slow: true,
    errors: [401, 403, 410, 429],
  },
  exportEntry: {
    ...ofEntry,
    method: 'get',
    path: '/v1/forms/:sourceAppId/entry/export',
    load: 'long',
    summary: 'Take away the own entry',
    description:
      'The record with its consents, and the submissions of it that the app keeps, without the fields of the staff. If it has files, a ZIP archive with the JSON as `entry.json` and the files, unless `Accept` excludes `application/zip`.',
    response: z.strictObject({
      entries: z.array(z.looseObject({ kind: z.enum(['record', 'submission']) }).meta({ id: 'EntryData' })),
      email: z.string(),
      at: Timestamp,
    }),
    downloads: ['application/zip'],
    slow: true,
    errors: [401, 403, 410, 429],
  },
  sendEntryLink: {
    method: 'post',
    path: '/auth/users/:id/entry-link',
    auth: 'session or key',
    scope: 'users:write',
    scoped: true,
    load: 'light',
    audit: 'entry.asked',
    tag: 'Users',
    summary: "Send one of the session's users a link to the own entry",
    description: 'Within the limits of the links that people ask for.',
    params: UserPath,
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: Ok,
    status: 202,
    errors: [409, 429],
  },
} as const satisfies Endpoints;

export function entryRoutes(deps: {
  entries: EntryService;
  leases: Pick<SchemaLeases, 'hold'>;
  pages: EntryPages;
}): Route[] {
  const { entries, leases, pages } = deps;

  /** @throws {Unauthenticated} without a token, or with one that opens nothing @throws {Gone} */
  async function open(sourceAppId: string, token: string | undefined, { ip }: Request): Promise<OpenedEntry> {
    if (!token) throw new Unauthenticated('entryLinkInvalid');
    return entries.open(sourceAppId, token, ip).catch(unauthenticated);
  }

  return routes(entryEndpoints, {
    askEntryLink: async ({ principal, headers, body, req, res }) => {
      const { sourceAppId } = principal;
      const lease = await leases.hold(sourceAppId);
      if (!lease) throw new AppNotFound();
      const settings = lease.app.form ?? DEFAULT_FORM_SETTINGS;
      const byKey = principal.kind === 'key' && { ofApp: principal.app.id, hasKey: true };
      await entries.ask(sourceAppId, body instanceof FormEntries ? ofForm(body) : ofJson(body));
      res.status(202);
      return body instanceof FormEntries && prefersPage(req) ? pages.asked(lease, req) : { ok: true as const };

      function ofForm(form: FormEntries): LinkRequest {
        const { options, problem } = parseAttempt(req, form, lease as NonNullable<typeof lease>);
        if (problem) throw problem;
        const { email = '' } = readForm(form, new Set(['email']));
        return { email, options: { ...options, ...byKey } };
      }

      function ofJson({ email, ...proofs }: z.output<typeof LinkRequestBody>): LinkRequest {
        const lang = languageToKeep(visitorLanguage(req, settings), settings);
        return { email, options: { ...jsonOptions(principal, headers, proofs, req), lang } };
      }
    },

    getEntry: async ({ principal, headers, req, res }) =>
      answer(await open(principal.sourceAppId, headers['x-entry'], req), res),

    changeEntry: async ({ principal, headers, body, leftMs, req, res }) => {
      const entry = await open(principal.sourceAppId, headers['x-entry'], req);
      const settings = entry.lease.app.form ?? DEFAULT_FORM_SETTINGS;
      const lang = languageToKeep(visitorLanguage(req, settings), settings);
      const options = { tags: parseTags(headers['if-match']), leftMs, lang };
      return answer(await entries.change(entry, body, options).catch(unauthenticated), res);
    },

    eraseEntry: async ({ principal, headers, req }) => {
      const entry = await open(principal.sourceAppId, headers['x-entry'], req);
      await entries.erase(entry).catch(unauthenticated);
    },

    exportEntry: async ({ principal, headers, closed, req, res }) => {
      const entry = await open(principal.sourceAppId, headers['x-entry'], req);
      res.setHeader('Cache-Control', 'no-store');
      return downloadOf(entry, await entries.export(entry, closed()), req);
    },

    sendEntryLink: async ({ app, params, res }) => {
      await entries.send(app, params.id);
      res.status(202);
    },
  });
}

/** A link that opens nothing is no authentication in JSON, and a page that does not exist. */
function unauthenticated(error: unknown): never {
  throw error instanceof InvalidEntryLink ? new Unauthenticated('entryLinkInvalid') : error;
}

function answer(entry: OpenedEntry, res: { setHeader(name: string, value: string): unknown }) {
  const { email, data, createdAt, updatedAt, confirmedAt, consents, fields, etag } = entry;
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-store');
  return {
    email,
    data,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(confirmedAt && { confirmedAt: confirmedAt.toISOString() }),
    ...(consents.length > 0 && { consents: [...consents] }),
    fields: [...fields],
  };
}
