import type { ObjectId } from 'mongodb';
import type { Cursors } from '../api/cursors.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Logger } from '../platform/core/logger.ts';
import type { Connection } from '../platform/database/client.ts';
import type { DatabaseClock } from '../platform/database/clock.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createAppActivity, createPace } from './activity.ts';
import type { App } from './app.ts';
import { createAppConsumers } from './app-consumers.ts';
import { createAppCreation } from './app-creation.ts';
import { createAppRemoval } from './app-removal.ts';
import { createAppScope } from './app-scope.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from './apps.model.ts';
import { appRoutes } from './apps.routes.ts';
import { createAppService } from './apps.service.ts';
import { type AppOwned, type Feature, ownedBy } from './feature.ts';
import { createFormImageModel, createFormImageStore } from './form-images.model.ts';
import { formSettingsRoutes } from './form-settings.routes.ts';
import { createFormSettingsService } from './form-settings.service.ts';
import { createHistorySettings } from './history-settings.ts';
import { createAppOrigins, createOriginCounts } from './origins.ts';
import { createPasswordHasher } from './passwords.ts';
import { createAppRevision } from './revision.ts';
import type { MailAbilities } from './settings/app-setting.ts';

export type Apps = ReturnType<typeof createApps>;

/**
 * Creates what the other features need of apps; {@link createAppAdministration} comes last.
 * @param deps.initialData stored for a new app before it is visible
 * @param deps.passwordCost the bcrypt cost; lower in tests only
 * @param deps.leaseMs that of every server on the database; shorter in tests only
 */
export function createApps(deps: {
  connection: Connection;
  initialData: readonly AppOwned[];
  clock: DatabaseClock;
  metrics: Metrics;
  passwordCost: number | undefined;
  leaseMs: number | undefined;
}) {
  const { connection, initialData, clock, metrics, passwordCost, leaseMs } = deps;
  const models = {
    apps: createAppModel(connection),
    deletedApps: createDeletedAppModel(connection),
    revisions: createRevisionModel(connection),
  };
  const { apps, deletedApps, revisions } = models;
  const revision = createAppRevision(revisions, leaseMs);
  const activity = createAppActivity(apps);
  const hasher = createPasswordHasher(passwordCost, metrics);
  const service = createAppService({
    apps,
    deletedApps,
    createApp: createAppCreation({ apps, owned: initialData, clock }),
    hasher,
  });
  return {
    model: apps,
    deletedApps,
    service,
    hasher,
    revision,
    activity,
    pace: createPace(apps, activity),
    consumers: createAppConsumers(apps, revision),
    historySettings: createHistorySettings(apps, revision),
    scope: createAppScope(service),
    feature: {
      models: Object.values(models),
      close: () => activity.flush(),
    } satisfies Feature,
  };
}

/** Creates the administration of apps. A deletion reaches the data of all features. */
export function createAppAdministration(deps: {
  apps: Apps;
  users: AppOwned;
  others(): readonly AppOwned[];
  confirmPassword: Parameters<typeof appRoutes>[2];
  cursors: Cursors;
  clock: DatabaseClock;
  logger: Logger;
  sweepEveryMs: number | undefined;
}) {
  const { apps, users, others, confirmPassword, cursors, clock, logger, sweepEveryMs } = deps;
  const { model, deletedApps, service, revision } = apps;
  const removal = createAppRemoval({
    apps: model,
    deletedApps,
    users,
    others,
    revision,
    clock,
    logger,
    sweepEveryMs,
  });
  return {
    removal,
    feature: {
      routes: appRoutes(service, removal, confirmPassword, cursors),
      jobs: [removal.job],
    } satisfies Feature,
  };
}

/** Creates the settings of forms. @param deps.findApp resolves with the state of an app in force */
export function createFormSettings(deps: {
  connection: Connection;
  apps: Pick<Apps, 'model' | 'revision'>;
  findApp(sourceAppId: string): Promise<App | undefined>;
  /** Resolves with the fields of the newest schema. */
  fieldsOf(appId: ObjectId): Promise<readonly Pick<FieldDefinition, 'key'>[]>;
  abilities: MailAbilities;
}) {
  const { connection, apps, findApp, fieldsOf, abilities } = deps;
  const { model, revision } = apps;
  const imageModel = createFormImageModel(connection);
  const images = createFormImageStore(imageModel);
  const refused = createOriginCounts(model, 'refusedOrigins');
  const ignoredRedirects = createOriginCounts(model, 'ignoredRedirects');
  const service = createFormSettingsService({
    apps: model,
    images,
    revision,
    refused,
    ignored: ignoredRedirects,
    abilities,
    fieldsOf,
  });
  return {
    origins: createAppOrigins({ apps: model, findApp, refused }),
    ignoredRedirects,
    images,
    feature: {
      routes: formSettingsRoutes(service),
      models: [imageModel],
      owned: [ownedBy(imageModel.collection, 'createdAt')],
      close: () => Promise.all([refused.flush(), ignoredRedirects.flush()]),
    } satisfies Feature,
  };
}
