import { type Route, routes } from '../../api/endpoint.ts';
import { Download } from '../../api/reply.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import type { LongReads } from '../long-reads.ts';
import type { UserService } from '../users.service.ts';
import { exportEndpoints } from './export.contract.ts';
import type { ExportFormat } from './export.ts';

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

/**
 * The route of `exportEndpoints` (spec 4.3).
 *
 * @param longReads limits exports, beside unpaged listings and bulk erasures
 */
export const exportRoutes = (users: Pick<UserService, 'export'>, longReads: LongReads, scope: AppScope): Route[] =>
  routes(exportEndpoints, {
    exportUsers: async ({ principal, query: { sourceAppId, ...request }, req, res, audit }) => {
      const app = await scope(principal, sourceAppId);
      const { format, bom } = request;
      audit({ detail: { format } });
      const signal = longReads.begin(req, res);
      const content = await users.export(app, { ...request, bom: bom !== undefined }, { signal });
      const date = new Date().toISOString().slice(0, 10);
      return new Download(`${app.sourceAppId}-${date}.${format}`, MEDIA_TYPES[format], content);
    },
  });
