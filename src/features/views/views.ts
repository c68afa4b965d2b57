import { ObjectId } from 'mongodb';
import type { Feature } from '../../core/feature.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import type { Connection } from '../../platform/database/client.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { createLookModel, createLookStore, lookRoutes } from './looks.ts';
import { createPersonViews } from './person-views.ts';
import { createViewModel, createViewStore } from './views.model.ts';
import { viewRoutes } from './views.routes.ts';
import { createViewService } from './views.service.ts';

/** Creates the views of lists (spec 4.3.4). */
export function createViews(deps: {
  connection: Connection;
  accounts: Pick<Accounts, 'store' | 'status'>;
  schemas: { service: Pick<SchemaService, 'ofApp'> };
  renames: Pick<RenameStore, 'since'>;
}): Feature {
  const { connection, accounts, schemas, renames } = deps;
  const model = createViewModel(connection);
  const store = createViewStore(model);
  const lookModel = createLookModel(connection);
  const looks = createLookStore(lookModel);
  const existing = { guard: accounts.store.guard, settle: accounts.status.settle };
  const service = createViewService({ store, renamesSince: renames.since, accounts: existing });
  return {
    models: [model, lookModel],
    owned: [ownedBy(model.collection, 'createdAt'), ownedBy(lookModel.collection, '_id', { valueAt: firstId })],
    ofAccounts: [store, looks],
    names: { views: store.namedShared },
    personal: [createPersonViews(model, store)],
    routes: [...viewRoutes(service, schemas.service), ...lookRoutes(looks, existing)],
  };
}

/** The lowest id of a document that was created in the second of `time` or later. */
const firstId = (time: Date): ObjectId => ObjectId.createFromTime(Math.floor(time.getTime() / 1_000));
