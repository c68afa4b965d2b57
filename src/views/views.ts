import type { Accounts } from '../accounts/accounts.ts';
import type { Apps } from '../apps/apps.ts';
import { type Feature, ownedBy } from '../apps/feature.ts';
import type { Connection } from '../database/client.ts';
import type { RenameStore } from '../schemas/pending-renames.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import { createPersonViews } from './person-views.ts';
import { createViewModel, createViewStore } from './view-store.ts';
import { viewRoutes } from './views.endpoints.ts';
import { createViewService } from './views.service.ts';

/** The stored views. Accounts need it: an erased one loses its views. */
export function createViewStorage(connection: Connection) {
  const model = createViewModel(connection);
  return { model, store: createViewStore(model) };
}

/** Creates the views of lists (spec 4.3.4). */
export function createViews(deps: {
  storage: ReturnType<typeof createViewStorage>;
  accounts: Pick<Accounts, 'store' | 'status'>;
  apps: Pick<Apps, 'scope'>;
  schemas: { service: Pick<SchemaService, 'ofApp'>; renames: Pick<RenameStore, 'since'> };
}): Feature {
  const { storage, accounts, apps, schemas } = deps;
  const service = createViewService({
    store: storage.store,
    renamesSince: schemas.renames.since,
    accounts: { guard: accounts.store.guard, settle: accounts.status.settle },
  });
  return {
    models: [storage.model],
    owned: [ownedBy(storage.model.collection, 'createdAt')],
    personal: [createPersonViews(storage.model, storage.store)],
    routes: viewRoutes(service, schemas.service, apps.scope),
  };
}
