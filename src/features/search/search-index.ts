import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import { component } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { shownState } from '../indexes/index-slots.ts';
import type { WordStore } from '../indexes/word-index.ts';

const Count = z.int().nonnegative();

const SearchIndex = component('SearchIndex', {
  enabled: z.boolean().meta({ example: true }),
  state: z.enum(['off', 'building', 'ready', 'dropping']).meta({ example: 'building' }),
  done: Count.meta({ description: 'The records that were processed', example: 12_000 }),
  total: Count.meta({ example: 50_000 }),
});

const SearchIndexInput = z
  .strictObject({ enabled: z.boolean(code('notBoolean')).meta({ example: true }) })
  .meta({ id: 'SearchIndexInput' });

const shared = {
  path: '/auth/apps/:sourceAppId/search',
  params: AppPath,
  load: 'light',
  tag: 'Users',
  response: SearchIndex,
} as const;

/** The endpoints of the index of words (spec 4.3). */
export const searchIndexEndpoints = {
  getSearchIndex: {
    ...shared,
    method: 'get',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    summary: "The index of words of an app's records",
    description:
      'For the operators of the app and for admins. With `ready`, `q` is answered from the index; otherwise by reading the records.',
  },
  replaceSearchIndex: {
    ...shared,
    method: 'put',
    auth: 'session',
    scope: 'manage',
    scoped: true,
    audit: 'search.replaced',
    summary: "Build or drop the index of words of an app's records",
    description:
      'For the managers of the app and for admins. The index is built and dropped in the background. Matches are the same with it and without it.',
    body: jsonBody(SearchIndexInput, 'invalidSearch'),
  },
} as const satisfies Endpoints;

export const searchIndexRoutes = (words: Pick<WordStore, 'of' | 'enable'>): Route[] => {
  async function view(id: Parameters<WordStore['of']>[0]): Promise<z.infer<typeof SearchIndex>> {
    const use = await words.of(id);
    const state = use ? shownState(use) : 'off';
    const { done = 0, total = 0 } = use ?? {};
    return { enabled: state === 'building' || state === 'ready', state, done, total };
  }

  return routes(searchIndexEndpoints, {
    getSearchIndex: ({ app }) => view(app.id),

    replaceSearchIndex: async ({ app: { id }, body: { enabled }, until, audit }) => {
      const wasEnabled = await words.enable(id, enabled, until);
      audit({ changed: { before: { enabled: wasEnabled }, after: { enabled } } });
      return view(id);
    },
  });
};
