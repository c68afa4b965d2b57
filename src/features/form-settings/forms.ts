import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Connection } from '../../platform/database/client.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { ConditionRules } from '../record-conditions/record-conditions.service.ts';
import type { MailAbilities } from './app-setting.ts';
import { createFormImageModel, createFormImageStore } from './form-images.model.ts';
import { formSettingsRoutes } from './form-settings.routes.ts';
import { createFormSettingsService } from './form-settings.service.ts';
import { createAppOrigins, createOriginCounts } from './origins.ts';
import { createPersonRoutes } from './person-routes.ts';

/** Creates the settings of forms. */
export function createFormSettings(deps: {
  connection: Connection;
  apps: Pick<Apps, 'model' | 'revision'>;
  schemas: Pick<Schemas, 'findApp' | 'store'>;
  abilities: MailAbilities;
  conditionRules: ConditionRules;
}) {
  const { connection, apps, schemas, abilities, conditionRules } = deps;
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
    fieldsOf: schemas.store.fieldsOf,
    conditionRules,
  });
  return {
    ignoredRedirects,
    images,
    feature: {
      routes: formSettingsRoutes(service),
      origins: createAppOrigins({ apps: model, findApp: schemas.findApp, refused }),
      models: [imageModel],
      owned: [ownedBy(imageModel.collection, 'createdAt')],
      personal: [createPersonRoutes(model, revision)],
      close: () => Promise.all([refused.flush(), ignoredRedirects.flush()]),
    } satisfies Feature,
  };
}
