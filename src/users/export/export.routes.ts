import type { Readable } from 'node:stream';
import { type Route, routes } from '../../api/endpoint.ts';
import { Download } from '../../api/reply.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import type { UserService } from '../users.service.ts';
import { exportEndpoints } from './export.contract.ts';
import type { ExportFormat } from './export.ts';

/**
 * The routes of `exportEndpoints` (spec 4.3).
 *
 * @param scope resolves with the app that a request names
 */
export const exportRoutes = (users: Pick<UserService, 'export' | 'exportSelected'>, scope: AppScope): Route[] =>
  routes(exportEndpoints, {
    exportUsers: async ({ principal, query: { sourceAppId, ...request }, closed, audit }) => {
      const app = await scope(principal, sourceAppId);
      const { format, bom } = request;
      audit({ detail: { format } });
      const content = await users.export(app, { ...request, bom: bom !== undefined }, { signal: closed() });
      return fileOf(app.sourceAppId, format, content);
    },

    exportSelectedUsers: async ({ principal, query, body: { ids, ...request }, audit }) => {
      const app = await scope(principal, query.sourceAppId);
      audit({ detail: { format: request.format } });
      return fileOf(app.sourceAppId, request.format, await users.exportSelected(app, ids, request));
    },
  });

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

function fileOf(sourceAppId: string, format: ExportFormat, content: Readable): Download {
  const date = new Date().toISOString().slice(0, 10);
  return new Download(`${sourceAppId}-${date}.${format}`, MEDIA_TYPES[format], content);
}
