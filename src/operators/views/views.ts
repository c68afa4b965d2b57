import type { Accounts } from '../../access/accounts/accounts.ts';
import { type Feature, ownedBy } from '../../apps/feature.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { RenameStore } from '../../schemas/pending-renames.ts';
import type { SchemaService } from '../../schemas/schemas.service.ts';
import { createPersonViews } from './person-views.ts';
import { createViewModel, createViewStore } from './views.model.ts';
import { viewRoutes } from './views.routes.ts';
import { createViewService } from './views.service.ts';

/** Creates the views of lists (spec 4.3.4). */
export function createViews(deps: {
  connection: Connection;
  accounts: Pick<Accounts, 'store' | 'status'>;
  schemas: { service: Pick<SchemaService, 'ofApp'>; renames: Pick<RenameStore, 'since'> };
}) {
  const { connection, accounts, schemas } = deps;
  const model = createViewModel(connection);
  const store = createViewStore(model);
  const service = createViewService({
    store,
    renamesSince: schemas.renames.since,
    accounts: { guard: accounts.store.guard, settle: accounts.status.settle },
  });
  return {
    namedShared: store.namedShared,
    feature: {
      models: [model],
      owned: [ownedBy(model.collection, 'createdAt')],
      ofAccounts: [store],
      personal: [createPersonViews(model, store)],
      routes: viewRoutes(service, schemas.service),
    } satisfies Feature,
  };
}
