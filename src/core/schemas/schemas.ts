import { type Connection, monitorPrimary } from '../../platform/database/client.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../feature.ts';
import { createRenameStore } from './pending-renames.ts';
import { createSchemaLeases, systemClock } from './schema-leases.ts';
import { createSchemaModel, createSchemaStore, type ReadConcern } from './schemas.model.ts';
import { schemaRoutes } from './schemas.routes.ts';
import { createSchemaService, type SchemaPart } from './schemas.service.ts';

/** Creates the storage of schema versions. */
export function createSchemaStorage(connection: Connection, leaseMs?: number) {
  const model = createSchemaModel(connection);
  return { model, store: createSchemaStore(model), renames: createRenameStore(model, leaseMs) };
}

export type Schemas = ReturnType<typeof createSchemas>;

/** Creates the schemas of apps and the leases on them. */
export function createSchemas(deps: {
  storage: ReturnType<typeof createSchemaStorage>;
  apps: Apps;
  connection: Connection;
  /** Returns what features do when a schema is replaced, in their order. */
  parts(): readonly SchemaPart[];
  leaseMs: number | undefined;
  fileLimit: number;
}) {
  const { storage, connection, apps, parts, leaseMs, fileLimit } = deps;
  const { model, store, renames } = storage;
  const { service: appService, revision } = apps;
  const source = {
    findApp: appService.find,
    newestSchema: (app: App, readConcern: ReadConcern) => store.newest(app.id, readConcern),
    readRevision: () => revision.read(),
  };
  const leases = createSchemaLeases(source, apps.parts, systemClock, leaseMs);
  monitorPrimary(connection, () => leases.revokeAll());
  const service = createSchemaService({
    apps: appService,
    store,
    leases,
    revision,
    parts,
    fileLimit,
  });
  return {
    store,
    renames,
    leases,
    service,
    /** The largest file of a form, in bytes. */
    fileLimit,
    /** Resolves with the state of an app that is in force. */
    findApp: async (sourceAppId: string): Promise<App | undefined> => (await leases.hold(sourceAppId))?.app,
    feature: { models: [model], owned: [store], routes: schemaRoutes(service) } satisfies Feature,
  };
}
