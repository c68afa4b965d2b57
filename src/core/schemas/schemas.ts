import { systemClock } from '../../platform/core/clock-readings.ts';
import { type Connection, monitorPrimary } from '../../platform/database/client.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../feature.ts';
import { createSchemaLeases } from './schema-leases.ts';
import { createSchemaParts, type SchemaPart } from './schema-part.ts';
import { createSchemaModel, createSchemaStore, type ReadConcern } from './schemas.model.ts';
import { schemaRoutes } from './schemas.routes.ts';
import { createSchemaService, type SchemaStep } from './schemas.service.ts';

/** Creates the storage of schema versions. */
export function createSchemaStorage(connection: Connection, ofFeatures: readonly SchemaPart[]) {
  const parts = createSchemaParts(ofFeatures);
  const model = createSchemaModel(connection, parts);
  return { parts, model, store: createSchemaStore(model, parts) };
}

export type Schemas = ReturnType<typeof createSchemas>;

/** Creates the schemas of apps and the leases on them. */
export function createSchemas(deps: {
  storage: ReturnType<typeof createSchemaStorage>;
  apps: Apps;
  connection: Connection;
  /** Returns what features do when a schema is replaced, in their order. */
  steps(): readonly SchemaStep[];
  leaseMs: number | undefined;
  fileLimit: number;
}) {
  const { storage, connection, apps, steps, leaseMs, fileLimit } = deps;
  const { parts, model, store } = storage;
  const { service: appService, revision } = apps;
  const source = {
    findApp: appService.find,
    newestSchema: (app: App, readConcern: ReadConcern) => store.newest(app.id, readConcern),
    readRevision: () => revision.read(),
  };
  const leases = createSchemaLeases(source, { apps: apps.parts, schemas: parts }, systemClock, leaseMs);
  monitorPrimary(connection, () => leases.revokeAll());
  const service = createSchemaService({
    apps: appService,
    store,
    leases,
    revision,
    parts,
    steps,
    fileLimit,
  });
  return {
    model,
    store,
    leases,
    service,
    /** The largest file of a form, in bytes. */
    fileLimit,
    /** Resolves with the state of an app that is in force. */
    findApp: async (sourceAppId: string): Promise<App | undefined> => (await leases.hold(sourceAppId))?.app,
    feature: { models: [model], owned: [store], routes: schemaRoutes(service) } satisfies Feature,
  };
}
