import type { Feature } from '../../apps/feature.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createDatabaseContent } from './file-content.ts';
import { createChunkModel, createFileModel } from './files.model.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the collections of files and their content. */
export function createFiles({ connection }: { connection: Connection }) {
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  const chunks = models.chunks.collection;
  return {
    files: models.files.collection,
    chunks,
    content: createDatabaseContent(chunks),
    feature: { models: Object.values(models) } satisfies Feature,
  };
}
