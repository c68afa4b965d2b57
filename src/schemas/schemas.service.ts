import type { App, AppService } from '../apps/apps.service.ts';
import type { AppRevision } from '../apps/revision.ts';
import { InvalidInput, NotFound, PreconditionFailed, Unavailable } from '../core/errors.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { completeDefinition, definitionIssues, type FieldDefinitionInput } from '../fields/definition.ts';
import type { SchemaLeases } from './schema-leases.ts';
import type { AppSchema, SchemaStore, SchemaVersion } from './schema-store.ts';

/** 400: the id names no app. The public learns no more than for an id of a wrong form (spec 5.1). */
export class UnknownApp extends InvalidInput {
  constructor() {
    super('Invalid x-app-id header');
  }
}

export type SchemaService = ReturnType<typeof createSchemaService>;

/** The rules of schemas (spec 2.3 and 4.4). */
export function createSchemaService(deps: {
  apps: AppService;
  store: SchemaStore;
  leases: SchemaLeases;
  revision: AppRevision;
}) {
  const { apps, store, leases, revision } = deps;

  async function ofApp({ id }: Pick<App, 'id'>, version?: number): Promise<AppSchema> {
    const stored = version === undefined ? await store.newest(id) : await store.version(id, version);
    if (!stored) throw new NotFound(version === undefined ? 'App not found' : 'Schema version not found');
    return stored.schema;
  }

  /**
   * Checks that an app was still there when its new version took effect. If it was deleted meanwhile,
   * perhaps before the version came, takes that version back; nobody else removes it.
   * @throws {NotFound} @throws {Unavailable} when the app is missing and nothing says that it was deleted
   */
  async function ensureLive(appId: App['id'], versionId: App['id']): Promise<void> {
    const fate = await apps.stateOf(appId);
    if (fate === 'live') return;
    if (fate === 'missing') throw new Unavailable();
    await store.remove(versionId);
    throw new NotFound('App not found');
  }

  return {
    /** The newest schema of a known app, or the one of `version`. @throws {NotFound} */
    ofApp,

    /** The newest schema for the public (spec 4.1). @throws {UnknownApp} */
    async current(sourceAppId: string): Promise<AppSchema> {
      const lease = await leases.hold(sourceAppId);
      if (!lease) throw new UnknownApp();
      return lease.schema;
    },

    /** The newest schema for an admin, or the one of `version`. @throws {NotFound} */
    async get(sourceAppId: string, version?: number): Promise<AppSchema> {
      return ofApp(await apps.get(sourceAppId), version);
    },

    /** All versions of an app's schema, newest first, read as they are consumed. @throws {NotFound} */
    async history(sourceAppId: string): Promise<AsyncIterable<SchemaVersion>> {
      return store.history((await apps.get(sourceAppId)).id);
    },

    /**
     * Replaces an app's schema by a new version and returns it. When this resolves, no server checks a later submission against an older version
     * (invariant 4): it commits, then waits until every lease on the old one has run out.
     *
     * @param over replaces only one of these versions. Of several servers that replace the same one, one does: the unique index decides.
     * @throws {InvalidInput} when the definitions contradict themselves @throws {NotFound}
     * @throws {PreconditionFailed} when the newest version is none of `over`; nothing is stored
     */
    async replace(
      sourceAppId: string,
      input: { rejectUnknown: boolean; fields: FieldDefinitionInput[] },
      over?: readonly number[],
    ): Promise<AppSchema> {
      const { id } = await apps.get(sourceAppId);
      const issues = definitionIssues(input.fields);
      if (issues.length > 0) throw new InvalidInput('Invalid schema', issues);
      const fields = input.fields.map(completeDefinition);
      for (;;) {
        const newest = (await store.newest(id))?.schema;
        if (!newest) throw new NotFound('App not found');
        if (over && !over.includes(newest.version)) {
          throw new PreconditionFailed(`The schema was changed meanwhile: its newest version is ${newest.version}`);
        }
        const schema: AppSchema = { version: newest.version + 1, rejectUnknown: input.rejectUnknown, fields };
        let added: App['id'];
        try {
          added = await store.add(id, schema);
        } catch (error) {
          if (isDuplicateKey(error)) continue; // another PUT took that version; this one comes after it
          throw error;
        }
        leases.forget(sourceAppId);
        await revision.publish();
        await ensureLive(id, added);
        return schema;
      }
    },
  };
}
