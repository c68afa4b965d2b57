import { Unavailable } from '../../platform/core/errors.ts';
import type { FilesBucket } from '../../platform/core/files-url.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { createDatabaseContent, type FileContent, type RemovalTime } from './file-content.ts';
import type { ChunkCollection, FileDocument, FileMetadata } from './files.model.ts';
import { createS3Content } from './s3-content.ts';

/** A file whose content is removed. */
type Removed = Pick<FileDocument, '_id' | 'length'> & { metadata: Pick<FileMetadata, 'store'> };

export type FileStores = ReturnType<typeof createFileStores>;

/** The stores of a service. A file stays in the one that it was stored in. */
export function createFileStores(chunks: ChunkCollection, bucket: FilesBucket | undefined, logger: Logger) {
  const database = createDatabaseContent(chunks);
  const s3 = bucket && createS3Content(bucket, logger);

  /** The store of a file. @throws {Unavailable} for the bucket without `FILES_URL` */
  function of({ store }: Pick<FileMetadata, 'store'>): FileContent {
    if (store === 'database') return database;
    if (!s3) throw new Unavailable('noFileStore');
    return s3;
  }

  return {
    /** Where the content of new files goes. */
    store: (s3 ? 's3' : 'database') as FileMetadata['store'],
    of,
    /** Undefined without `FILES_URL`. */
    s3,
    /** Also what has arrived of files for the bucket. */
    database,

    /** For a server, before it listens. */
    load: async (): Promise<void> => s3?.load(),

    /**
     * Removes all content of files, in both stores. Idempotent. @throws {Unavailable}
     * @param time as {@link FileContent.remove}
     */
    async remove(files: readonly Removed[], time?: RemovalTime): Promise<void> {
      await database.remove(files, time);
      const others = files.filter(({ metadata }) => metadata.store === 's3');
      if (others.length > 0) await of({ store: 's3' }).remove(others, time);
    },
  };
}
