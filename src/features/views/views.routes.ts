import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import { component, Id, Ok, parseTags, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { QuerySchema } from '../search/conditions.ts';
import { SHARED, type ViewDocument } from './views.model.ts';
import { missingParts, type ViewService } from './views.service.ts';

const MAX_NAME = 60;
/** Less than what a server reads of an address. */
const MAX_QUERY = 8_000;
const MAX_COLUMNS = 300;

const text = (most: number) => z.string(code('notText')).max(most, code('tooLong', { max: most }));

const content = {
  name: z
    .string(code('notText'))
    .trim()
    .min(1, code('empty'))
    .max(MAX_NAME, code('tooLong', { max: MAX_NAME }))
    .meta({ example: 'Paying users' }),
  query: text(MAX_QUERY).meta({
    description: 'The parameters `q`, `where`, `by` and `size` of the list, as in the query of an address',
    example: 'where=data.plan%3Aeq%3Apro',
  }),
  columns: z
    .array(text(60), code('notListOfColumns'))
    .max(MAX_COLUMNS, code('tooManyItems', { max: MAX_COLUMNS }))
    .meta({ description: 'The columns of the list. Empty: the usual ones', example: ['email', 'data.name'] }),
  sort: text(100).meta({
    description: '`<path>:asc` or `<path>:desc`. Empty: the usual order',
    example: 'data.name:asc',
  }),
  shared: z.boolean(code('notBoolean')).meta({ description: 'Whether everybody of the app sees it' }),
};

const NewView = component('NewView', {
  ...content,
  query: content.query.default(''),
  columns: content.columns.default([]),
  sort: content.sort.default(''),
  shared: content.shared.default(false),
});

const ViewChange = z
  .strictObject(content)
  .partial()
  .refine((change) => Object.keys(change).length > 0, code('noChange'))
  .meta({ id: 'ViewChange', example: { name: 'Paying users' } });

const View = component('View', {
  id: Id,
  ...content,
  revision: z.string().meta({ description: 'The ETag without quotes', example: '65f0c0ffee65f0c0ffee65f1' }),
  updatedAt: Timestamp,
  missing: z
    .array(z.strictObject({ part: z.enum(['where', 'columns', 'sort']), value: z.string() }))
    .meta({ description: 'The parts that the newest schema does not have', example: [] }),
});

const shared = {
  auth: 'session',
  scope: 'users:read',
  scoped: true,
  load: 'light',
  tag: 'Users',
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

const RIGHTS =
  'Managers and admins change shared views. Without an account, views that are not shared belong to all who log in with the password of the same app.';

/** The endpoints of views (spec 4.3.4). No API key may call them. */
export const viewEndpoints = {
  listViews: {
    ...shared,
    method: 'get',
    path: '/auth/views',
    summary: "The views of the session's app",
    description: 'The shared ones and the own ones, by name.',
    response: z.strictObject({ views: z.array(View) }),
  },
  createView: {
    ...shared,
    method: 'post',
    audit: 'view.created',
    path: '/auth/views',
    summary: "Save a view of the session's app",
    description: RIGHTS,
    body: jsonBody(NewView, 'invalidView'),
    response: View,
    errors: [409],
  },
  changeView: {
    ...shared,
    method: 'patch',
    audit: 'view.changed',
    path: '/auth/views/:id',
    summary: "Change a view of the session's app",
    description: `${RIGHTS} With \`If-Match\` it takes place only if the view is in that state, otherwise the response is 412.`,
    params: z.object({ id: Id }),
    headers: z.object({
      'if-match': z.string().optional().meta({
        description: 'The `revision` in quotes',
        example: '"65f0c0ffee65f0c0ffee65f1"',
      }),
    }),
    body: jsonBody(ViewChange, 'invalidView'),
    response: View,
    errors: [409, 412],
  },
  deleteView: {
    ...shared,
    method: 'delete',
    audit: 'view.deleted',
    path: '/auth/views/:id',
    summary: "Delete a view of the session's app",
    description: RIGHTS,
    params: z.object({ id: Id }),
    response: Ok,
  },
} as const satisfies Endpoints;

export const viewRoutes = (views: ViewService, schemas: Pick<SchemaService, 'ofApp'>): Route[] =>
  routes(viewEndpoints, {
    listViews: async ({ app, principal }) => {
      const found = await views.list(app.id, principal);
      if (found.length === 0) return { views: [] };
      const schema = await schemas.ofApp(app);
      return { views: found.map((view) => present(view, schema)) };
    },

    createView: async ({ app, principal, body, res, audit }) => {
      const schema = await schemas.ofApp(app);
      const view = await views.create(app.id, principal, { ...body, version: schema.version });
      audit({ target: view._id.toHexString(), detail: { shared: body.shared } });
      res.setHeader('ETag', `"${view.revision.toHexString()}"`);
      return present(view, schema);
    },

    changeView: async ({ app, principal, params, headers, body, until, res }) => {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const revisions = parseTags(headers['if-match'])?.map((tag) => tag.slice(1, -1));
      const schema = await schemas.ofApp(app);
      const view = await views.change(app.id, principal, params.id, given, schema.version, until, revisions);
      res.setHeader('ETag', `"${view.revision.toHexString()}"`);
      return present(view, schema);
    },

    deleteView: ({ app: { id }, principal, params, until }) => views.remove(id, principal, params.id, until),
  });

function present(view: ViewDocument, schema: QuerySchema) {
  const { _id, name, query, columns, sort, owner, revision, updatedAt } = view;
  return {
    id: _id.toHexString(),
    name,
    query,
    columns,
    sort,
    shared: owner === SHARED,
    revision: revision.toHexString(),
    updatedAt: updatedAt.toISOString(),
    missing: missingParts(view, schema),
  };
}
