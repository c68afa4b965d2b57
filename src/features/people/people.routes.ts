import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { AppPrincipal, AppScope, ScopedApp } from '../../core/api/principal.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { Download, JsonStream } from '../../platform/http/reply.ts';
import { component, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { type ZipEntry, zipOf } from '../exports/zip.ts';
import type { PeopleService } from './people.service.ts';
import type { PersonFile } from './person-data.ts';

const Email = z.string(code('notText')).max(1_000, code('tooLongText')).meta({ example: 'ada@example.com' });
const Scope = z.strictObject({ sourceAppId: ScopeParameter });

const PersonalDataEntry = z
  .looseObject({
    kind: z.string().meta({
      description:
        '`record`, `history`, `change`, `held`, `delivery`, `mail`, `import-line`, `import-reject`, `submission`, `view`, `condition`, `suppression`',
      example: 'record',
    }),
    sourceAppId: z.string().optional(),
  })
  .meta({ id: 'PersonEntry' });

const shared = {
  method: 'post',
  auth: 'session or key',
  load: 'long',
  tag: 'People',
  query: Scope,
  slow: true,
  errors: [404, 429],
} as const;

/** The endpoints for the data of one person (spec 4.6). */
export const peopleEndpoints = {
  exportPerson: {
    ...shared,
    path: '/auth/people/export',
    scope: 'export',
    audit: 'person.exported',
    summary: 'Everything that is held of a person',
    description:
      "In the session's app; for admins in all apps, or in the one that `sourceAppId` names. One JSON document, streamed; if files belong to the person, a ZIP archive with it as `person.json` and the files, unless `Accept` excludes `application/zip`.",
    body: jsonBody(z.strictObject({ email: Email })),
    response: z.strictObject({ entries: z.array(PersonalDataEntry), email: z.string(), at: Timestamp }),
    downloads: ['application/zip'],
  },
  erasePerson: {
    ...shared,
    path: '/auth/people/erase',
    scope: 'users:write',
    audit: 'person.erased',
    summary: 'Erase everything that is held of a person',
    description:
      "Permanent. In the session's app; for admins in all apps, or in the one that `sourceAppId` names. With `suppress` a keyed hash of the email is kept, so that no import brings the person back.",
    body: jsonBody(z.strictObject({ email: Email, suppress: z.boolean(code('notBoolean')).default(false) })),
    response: component('ErasureReceipt', {
      id: z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
      at: Timestamp,
      erased: z
        .record(z.string(), z.int().nonnegative())
        .meta({ description: 'The erased documents by kind', example: { records: 1, held: 0, deliveries: 4 } }),
    }),
  },
} as const satisfies Endpoints;

export const peopleRoutes = (people: PeopleService, scope: AppScope): Route[] => {
  /** Resolves with the app of the session or of the request; undefined: all apps. */
  async function resolveScope(
    principal: AppPrincipal,
    sourceAppId: string | undefined,
  ): Promise<ScopedApp | undefined> {
    if (sourceAppId === undefined && principal.role === 'admin') return undefined;
    return scope(principal, sourceAppId);
  }

  return routes(peopleEndpoints, {
    exportPerson: async ({ principal, query, body, closed, audit, req }) => {
      const app = await resolveScope(principal, query.sourceAppId);
      if (!app) audit({ app: null });
      const found = people.export(body.email, app, closed());
      const rest = { email: normalizeEmail(body.email), at: new Date().toISOString() };
      const json = JsonStream.of('entries', found, (entry) => entry, rest);
      if (!req.accepts('application/zip')) return json;
      const files = people.files(body.email, app, closed());
      const first = await files.next();
      if (first.done) return json;
      return archiveOf('person', json, first.value, files);
    },

    erasePerson: async ({ principal, query, body, audit }) => {
      const app = await resolveScope(principal, query.sourceAppId);
      const { id, at, erased } = await people.erase(body.email, app, body);
      audit({ target: id, detail: { ...erased, suppress: body.suppress }, ...(!app && { app: null }) });
      return { id, at: at.toISOString(), erased };
    },
  });
};

/**
 * Returns an archive of the data of a person, and of the files that it names.
 * @param name of the archive and of the data in it
 */
export function archiveOf(
  name: string,
  data: JsonStream,
  first: PersonFile,
  others: AsyncIterable<PersonFile>,
): Download {
  return new Download(`${name}.zip`, 'application/zip', zipOf(archive(`${name}.json`, data, first, others)));
}

async function* archive(
  path: string,
  data: JsonStream,
  first: PersonFile,
  others: AsyncIterable<PersonFile>,
): AsyncGenerator<ZipEntry> {
  yield { path, content: data.text(), modified: new Date(), isText: true };
  yield entryOf(first);
  for await (const file of others) yield entryOf(file);
}

const entryOf = ({ path, content, modified }: PersonFile): ZipEntry => ({ path, content, modified, isText: false });
