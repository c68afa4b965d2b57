import { type Route, routes } from '../api/endpoint.ts';
import { Download } from '../api/reply.ts';
import { AppError, InvalidInput } from '../core/errors.ts';
import { importEndpoints } from './imports.contract.ts';
import type { ImportDocument } from './imports.model.ts';
import type { ImportService } from './imports.service.ts';

export const importRoutes = (service: ImportService): Route[] =>
  routes(importEndpoints, {
    createImport: async ({ app, body }) => ({ id: await service.create(app, body) }),

    listImports: async ({ app }) => ({ imports: (await service.list(app)).map(present) }),

    sendImportContent: async ({ app, params, headers, req, recheck }) => {
      if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
        throw new AppError(415, 'Unsupported Content-Encoding: send the file as it is');
      }
      const from = firstByte(headers['content-range']);
      const size = Number(req.headers['content-length'] ?? 0);
      return { received: await service.receive(app, params.id, from, req, { size, recheck }) };
    },

    startImport: async ({ app, params }) => {
      await service.start(app, params.id);
      return { ok: true as const };
    },

    getImport: async ({ app, params }) => present(await service.get(app, params.id)),

    getImportRejects: async ({ app, params }) =>
      new Download(`${app.sourceAppId}-rejects.csv`, 'text/csv', await service.rejectsOf(app, params.id)),

    deleteImport: async ({ app, params }) => {
      await service.remove(app, params.id);
      return { ok: true as const };
    },
  });

/** @throws {InvalidInput} when the text is not a range */
function firstByte(contentRange: string | undefined): number | undefined {
  if (contentRange === undefined) return undefined;
  const [first = 0, last = 0, total] = contentRange.match(/\d+/g)?.map(Number) ?? [];
  if (last < first || (total !== undefined && total <= last)) {
    const message = 'must be like bytes 0-1023/*';
    throw new InvalidInput('Invalid request headers', [{ path: 'content-range', message }]);
  }
  return first;
}

/** The chunks, runs and hashes of an import are internal. */
export function present(one: ImportDocument) {
  const { settings, counters, firstErrors, received, position, failure, createdAt, startedAt, endedAt } = one;
  const { map, ...rest } = settings;
  return {
    id: one._id.toHexString(),
    state: one.state as Exclude<ImportDocument['state'], 'deleting'>,
    ...counters,
    errors: firstErrors,
    received,
    position: position?.offset ?? 0,
    settings: { ...rest, ...(map && { map: Object.fromEntries(map) }) },
    ...(failure !== undefined && { failure }),
    createdAt: createdAt.toISOString(),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}
