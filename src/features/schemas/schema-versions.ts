import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import type { SchemaDocument, SchemaModel } from '../../core/schemas/schemas.model.ts';
import { ofAnyApp } from '../../core/schemas/schemas.routes.ts';
import { JsonStream } from '../../platform/http/reply.ts';
import { Timestamp } from '../../platform/http/validation.ts';
import type { ReadNames } from '../audit/names.ts';
import { RenameEntry } from '../renames/renames.routes.ts';

/** A version in the list. `fields` is their number. */
type SchemaVersion = Pick<SchemaDocument, 'version' | 'createdAt' | 'author' | 'account' | 'key' | 'renames'> & {
  fields: number;
};

export const schemaVersionEndpoints = {
  listSchemaVersions: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/schema/versions',
    ...ofAnyApp,
    summary: "The versions of any app's schema",
    description: 'All versions, newest first, each with the number of its fields, who stored it, and what it renamed.',
    response: z.strictObject({
      versions: z.array(
        z.strictObject({
          version: z.int().positive(),
          createdAt: Timestamp,
          fields: z.int().nonnegative().meta({ example: 2 }),
          author: z.string().optional().meta({
            description: 'The app or the account whose session stored it, or "command line"',
            example: 'admin',
          }),
          account: z.string().optional().meta({ description: 'The id of the account that stored it' }),
          key: z.string().optional().meta({ description: 'The id of the API key that stored it' }),
          name: z.string().optional().meta({
            description: 'The name of that account or key now, if it exists',
            example: 'Ada Lovelace',
          }),
          renames: z.array(RenameEntry).optional(),
        }),
      ),
    }),
    errors: [404],
  },
} as const satisfies Endpoints;

/** The list of the versions of a schema, with the names of their authors. */
export const schemaVersionRoutes = (
  apps: Pick<AppService, 'get'>,
  versions: SchemaModel,
  readNames: ReadNames,
): Route[] =>
  routes(schemaVersionEndpoints, {
    listSchemaVersions: async ({ params }) => {
      const { id } = await apps.get(params.sourceAppId);
      return JsonStream.of('versions', named(newestFirst(versions, id), readNames), (version) => version);
    },
  });

/** Returns all versions, newest first, from a cursor. */
const newestFirst = ({ collection }: SchemaModel, appId: ObjectId): AsyncIterable<SchemaVersion> =>
  collection
    .find({ appId })
    .project<SchemaVersion>({
      _id: 0,
      version: 1,
      createdAt: 1,
      author: 1,
      account: 1,
      key: 1,
      renames: 1,
      fields: { $size: '$fields' },
    })
    .sort({ version: -1 });

const NAMED_AT_ONCE = 200;

/** Yields the versions with the names of their authors, read for many versions at a time. */
async function* named(versions: AsyncIterable<SchemaVersion>, readNames: ReadNames) {
  const page: SchemaVersion[] = [];
  for await (const version of versions) {
    page.push(version);
    if (page.length === NAMED_AT_ONCE) yield* await withNames(page.splice(0), readNames);
  }
  yield* await withNames(page, readNames);
}

async function withNames(versions: readonly SchemaVersion[], readNames: ReadNames) {
  const { accounts, keys } = await readNames({
    accounts: versions.flatMap(({ account }) => account ?? []),
    keys: versions.flatMap(({ key }) => key ?? []),
  });
  return versions.map((version) => {
    const name = accounts.get(version.account ?? '')?.name ?? keys.get(version.key ?? '');
    return { ...version, ...(name !== undefined && { name }) };
  });
}
