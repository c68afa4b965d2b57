import type { Feature } from '../../apps/feature.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { FileDocument } from './files.model.ts';
import { createChunkModel, createFileModel } from './files.model.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the collections of files and their content. */
export function createFiles({ connection }: { connection: Connection }) {
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  const chunks = models.chunks.collection;
  return {
    files: models.files.collection,
    chunks,
    content: {
      async remove(files: readonly Pick<FileDocument, '_id'>[]): Promise<void> {
        await chunks.deleteMany({ files_id: { $in: files.map(({ _id }) => _id) } });
      },
    },
    feature: { models: Object.values(models) } satisfies Feature,
  };
}
