import { type Route, routes } from '../../api/endpoint.ts';
import type { AppPrincipal } from '../../api/principal.ts';
import { JsonStream } from '../../api/reply.ts';
import type { AppScope, ScopedApp } from '../../apps/app-scope.ts';
import { normalizeEmail } from '../../core/email.ts';
import { peopleEndpoints } from './people.contract.ts';
import type { PeopleService } from './people.service.ts';

/** The endpoints for the data of one person (spec 4.6). */
export const peopleRoutes = (people: PeopleService, scope: AppScope): Route[] => {
  /** The app of the session or of the request; undefined stands for all apps. */
  async function scopeOf(principal: AppPrincipal, sourceAppId: string | undefined): Promise<ScopedApp | undefined> {
    if (sourceAppId === undefined && principal.app.role === 'admin') return undefined;
    return scope(principal, sourceAppId);
  }

  return routes(peopleEndpoints, {
    exportPerson: async ({ principal, query, body, closed, audit }) => {
      const app = await scopeOf(principal, query.sourceAppId);
      if (!app) audit({ app: null });
      const found = people.export(body.email, app, closed());
      const rest = { email: normalizeEmail(body.email), at: new Date().toISOString() };
      return JsonStream.of('entries', found, (entry) => entry, rest);
    },

    erasePerson: async ({ principal, query, body, audit }) => {
      const app = await scopeOf(principal, query.sourceAppId);
      const { id, at, erased } = await people.erase(body.email, app, body);
      audit({ target: id, detail: { ...erased, suppress: body.suppress }, ...(!app && { app: null }) });
      return { id, at: at.toISOString(), erased };
    },
  });
};
