import { AppNotFound, InvalidInput, NotFound, PreconditionFailed, Unavailable } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { AppRevision } from '../apps/revision.ts';
import { completeDefinition, definitionIssues, fileLimitIssues } from '../fields/definition.ts';
import type { Lease, SchemaLeases } from './schema-leases.ts';
import type { NextVersion, SchemaChange, SchemaParts } from './schema-part.ts';
import type { AppSchema, SchemaStore, StoredSchema, VersionAuthor } from './schemas.model.ts';

/** 400: no app has this id. The message is the one for an invalid format (spec 5.1). */
export class UnknownApp extends InvalidInput {
  constructor() {
    super('invalidAppId');
  }
}

/** What a feature does when the schema of an app is replaced. Both are idempotent. */
export interface SchemaStep {
  /** Runs before the version is stored. Another server may store that version first. */
  before?(appId: App['id'], change: SchemaChange, next: NextVersion, until: Until): Promise<void>;
  /** Runs after the version is stored, and before the answer. */
  after?(appId: App['id'], change: SchemaChange, next: NextVersion): Promise<void>;
}

export type SchemaService = ReturnType<typeof createSchemaService>;

/** The operations on schemas (spec 2.3 and 4.4). */
export function createSchemaService(deps: {
  apps: AppService;
  store: SchemaStore;
  leases: SchemaLeases;
  revision: AppRevision;
  parts: Pick<SchemaParts, 'extend'>;
  steps(): readonly SchemaStep[];
  /** The largest file, in bytes. */
  fileLimit: number;
}) {
  const { apps, store, leases, revision, parts, steps, fileLimit } = deps;

  async function read({ id }: Pick<App, 'id'>, version?: number): Promise<StoredSchema> {
    const stored = version === undefined ? await store.newest(id) : await store.version(id, version);
    if (!stored) throw version === undefined ? new AppNotFound() : new NotFound('schemaNotFound');
    return stored;
  }

  const ofApp = async (app: Pick<App, 'id'>, version?: number): Promise<AppSchema> => (await read(app, version)).schema;

  /**
   * Resolves when the app exists after its new version took effect; otherwise removes that version.
   * @throws {NotFound} when the app was deleted
   * @throws {Unavailable} when the app is missing without a tombstone
   */
  async function ensureLive(appId: App['id'], versionId: App['id']): Promise<void> {
    const state = await apps.stateOf(appId);
    if (state === 'live') return;
    if (state === 'missing') throw new Unavailable();
    await store.remove(versionId);
    throw new AppNotFound();
  }

  return {
    /** Resolves with the newest version of an app, or with that `version`. @throws {NotFound} */
    stored: read,

    /** As `stored`, with its schema. @throws {NotFound} */
    ofApp,

    /** Resolves with a lease on the newest schema. @throws {UnknownApp} @throws {Unavailable} */
    async current(sourceAppId: string): Promise<Lease> {
      const lease = await leases.hold(sourceAppId);
      if (!lease) throw new UnknownApp();
      return lease;
    },

    /** Resolves with any app's newest schema, or with that `version`. @throws {NotFound} */
    async get(sourceAppId: string, version?: number): Promise<AppSchema> {
      return ofApp(await apps.get(sourceAppId), version);
    },

    /**
     * Replaces an app's schema by a new version and resolves with both (spec 4.4). After that no
     * server validates a submission against an older version (invariant 4): it waits until every
     * lease on the previous version has expired. On one of the errors below nothing is stored;
     * after another one the version may be.
     *
     * @param over the only versions to replace; the unique index lets one of several servers win
     * @param by whose id is that of the app of a session, or "command line"
     * @throws {InvalidInput} when the definitions are inconsistent @throws {NotFound}
     * @throws {PreconditionFailed} when the newest version is not in `over`
     * @throws {AppError} when a part refuses it
     */
    async replace(
      sourceAppId: string,
      change: SchemaChange,
      { over, by, until }: { over?: readonly number[] | undefined; by: VersionAuthor; until: Until },
    ): Promise<{ schema: AppSchema; replaced: AppSchema }> {
      const { rejectUnknown, fields: input } = change;
      const { id } = await apps.get(sourceAppId);
      const issues = [...definitionIssues(input), ...fileLimitIssues(input, fileLimit)];
      if (issues.length > 0) throw new InvalidInput('invalidSchema', issues);
      const fields = input.map(completeDefinition);
      for (;;) {
        const stored = await store.newest(id);
        if (!stored) throw new AppNotFound();
        // An insert has no filter: the index refuses a late one, whose version was stored since.
        await until();
        const { schema: newest } = stored;
        if (over && !over.includes(newest.version)) {
          throw new PreconditionFailed(say('schemaChanged', { version: newest.version }));
        }
        const version = newest.version + 1;
        const schema: AppSchema = { version, rejectUnknown, fields };
        const ofParts = parts.extend(change, schema, stored);
        for (const step of steps()) await step.before?.(id, change, schema, until);
        let added: App['id'];
        try {
          added = await store.add(id, schema, { ...ofParts, ...by });
        } catch (error) {
          if (isDuplicateKey(error)) continue; // another PUT stored that version
          throw error;
        }
        for (const step of steps()) await step.after?.(id, change, schema);
        leases.forget(sourceAppId);
        await revision.publish();
        await ensureLive(id, added);
        return { schema, replaced: newest };
      }
    },
  };
}
