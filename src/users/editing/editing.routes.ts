import { type Route, routes } from '../../api/endpoint.ts';
import { tagsOf } from '../../api/if-match.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import { presentDetails } from '../users.presenter.ts';
import { editingEndpoints } from './editing.contract.ts';
import type { RecordEditor } from './record-editor.ts';
import { etagOf } from './record-etag.ts';

/** The endpoint that changes a record (spec 4.3). */
export const editingRoutes = (editor: RecordEditor, scope: AppScope): Route[] =>
  routes(editingEndpoints, {
    editUser: async ({ principal, params, query, headers, body, res }) => {
      const app = await scope(principal, query.sourceAppId);
      const record = await editor.edit(app, params.id, body, tagsOf(headers['if-match']));
      res.setHeader('ETag', etagOf(record));
      return presentDetails(record);
    },
  });
