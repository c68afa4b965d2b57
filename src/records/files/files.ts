import type { Feature } from '../../apps/feature.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createDatabaseContent } from './file-content.ts';
import { createChunkModel, createFileModel } from './files.model.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the files that records name. */
export function createFiles({ connection }: { connection: Connection }) {
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  return {
    files: models.files.collection,
    content: createDatabaseContent(models.chunks.collection),
    feature: { models: Object.values(models) } satisfies Feature,
  };
}
