import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import type { Files } from '../files/files.ts';
import type { Records } from '../records/records.ts';
import { fileRoutes } from './files.routes.ts';
import { createFileService, type FindHeld } from './files.service.ts';
import { createStaffUploads } from './staff-uploads.ts';

/** Creates the reading of files by operators, and what they add to records. */
export function createFileAccess(deps: {
  config: Pick<Config, 'publicUrl'>;
  files: Files;
  records: Records;
  schemas: Pick<Schemas, 'leases'>;
  findHeld: FindHeld;
  load: OperatorLoad;
  cursors: Cursors;
}) {
  const { config, records, schemas, files, findHeld, load, cursors } = deps;
  const { findFilePlace: findPlace, findDetails, editor } = records;
  const service = createFileService({ ...files, findPlace, findHeld, load, cursors });
  const uploads = createStaffUploads({ leases: schemas.leases, incoming: files.incoming, findDetails, editor });
  return { routes: fileRoutes(service, uploads, config.publicUrl) } satisfies Feature;
}
