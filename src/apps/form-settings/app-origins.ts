import type { App } from '../app.ts';
import type { AppCollection } from '../apps.model.ts';
import { allowsOrigin } from './form-settings.ts';
import type { OriginCounts } from './refused-origins.ts';

export type AppOrigins = ReturnType<typeof createAppOrigins>;

/**
 * Decides whether pages of an origin may call the public endpoints of an app (spec 5.3).
 *
 * @param deps.findApp resolves with the app's state in force, from a lease
 */
export function createAppOrigins(deps: {
  apps: AppCollection;
  findApp(sourceAppId: string): Promise<App | undefined>;
  refused: Pick<OriginCounts, 'note'>;
}) {
  return {
    /** Resolves with whether the app lists the origin. Counts a refusal for its operators. */
    async allows(sourceAppId: string, origin: string): Promise<boolean> {
      const app = await deps.findApp(sourceAppId);
      if (!app) return false;
      if (app.form && allowsOrigin(app.form, origin)) return true;
      deps.refused.note(app.id, origin);
      return false;
    },

    /**
     * Resolves with whether any app lists the origin: a preflight does not contain the app id. The
     * request that follows is checked against its own app.
     */
    async isListedByAny(origin: string): Promise<boolean> {
      const filter = origin === 'null' ? { 'form.nullOrigin': true } : { 'form.origins': { $in: [origin, '*'] } };
      return (await deps.apps.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
  };
}
