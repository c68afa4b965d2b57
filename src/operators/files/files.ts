import type { Cursors } from '../../api/cursors.ts';
import type { OperatorLoad } from '../../api/operator-load.ts';
import type { Feature } from '../../apps/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Files } from '../../records/files/files.ts';
import type { Records } from '../../records/records.ts';
import { fileRoutes } from './files.routes.ts';
import { createFileService, type FindHeld } from './files.service.ts';

/** Creates the reading of files by operators. */
export function createFileReading(deps: {
  config: Pick<Config, 'publicUrl'>;
  files: Files;
  records: Records;
  findHeld: FindHeld;
  load: OperatorLoad;
  cursors: Cursors;
}) {
  const { config, records, files, findHeld, load, cursors } = deps;
  const { findFilePlace: findPlace } = records;
  const service = createFileService({ ...files, findPlace, findHeld, load, cursors });
  return { routes: fileRoutes(service, config.publicUrl) } satisfies Feature;
}
