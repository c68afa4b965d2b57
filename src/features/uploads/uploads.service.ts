import { createHmac } from 'node:crypto';
import { holdsFiles } from '../../core/fields/definition.ts';
import { MAX_FILES } from '../../core/fields/kinds/file.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { createSubmitLimiter } from '../../core/users/submit-limiter.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { AppNotFound, Forbidden, NotFound } from '../../platform/core/errors.ts';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { Arrival } from '../files/arrival.ts';
import type { ArrivedFile, Continued, Incoming, UploadPart } from '../files/incoming.ts';
import { DEFAULT_FORM_SETTINGS, isClosed } from '../form-settings/form-settings.ts';

/** A file that somebody sends to a form. */
export interface Upload {
  lease: Lease;
  /** The key of a field of files that the public may set. */
  field: string;
  name: string;
  /** The address of the client. */
  network: string;
  /** The number of bytes, if the client says it. */
  declared?: number | undefined;
  /** Whether it belongs to a stored entry, which a form that is closed takes too. */
  isOfEntry?: boolean;
}

/** Parts of a file, for each submission that a limit allows. */
const PARTS = 10;

export type Uploads = ReturnType<typeof createUploads>;

/** Receives the files of strangers for forms (spec 4.14.1). */
export function createUploads(deps: {
  leases: Pick<SchemaLeases, 'hold'>;
  incoming: Incoming;
  /** Hashes networks. */
  secret: string;
  /** The limit of submissions, and the processes that share it. */
  rateLimitSubmit: number;
  workers: number;
}) {
  const { leases, incoming, secret, rateLimitSubmit, workers } = deps;
  const key = deriveSecretKey(secret, 'files');
  const limitFiles = createSubmitLimiter(rateLimitSubmit * MAX_FILES, workers);
  const limitParts = createSubmitLimiter(rateLimitSubmit * MAX_FILES * PARTS, workers);

  const hashOf = (address: string): string =>
    createHmac('sha256', key).update(clientNetwork(address)).digest('base64url').slice(0, 22);

  /** @throws {Forbidden} when the form is closed @throws {NotFound} when it has no such field */
  function toArrival({ lease, field, name, network, declared, isOfEntry = false }: Upload): Arrival {
    const { app, publicSchema } = lease;
    if (!isOfEntry && isClosed(app.form ?? DEFAULT_FORM_SETTINGS)) throw new Forbidden(say('closed'));
    const found = publicSchema.fields.find((one) => one.key === field);
    if (!found || !holdsFiles(found)) throw new NotFound('fileFieldNotFound');
    return {
      appId: app.id,
      field: found,
      version: lease.schema.version,
      name,
      declared,
      network: hashOf(network),
    };
  }

  return {
    /**
     * Counts a request for the limits of strangers, which allow for each submission as many files
     * as a field may have. @throws {TooManyRequests}
     */
    limit({ app }: Lease, address: string, isPart: boolean): void {
      const own = app.form?.submitPerMinute;
      const [limit, factor] = isPart ? [limitParts, MAX_FILES * PARTS] : [limitFiles, MAX_FILES];
      limit(app.sourceAppId, address, own && own * factor);
    },

    /** Resolves with a lease on the app. @throws {AppNotFound} */
    async leaseOn(sourceAppId: string): Promise<Lease> {
      const lease = await leases.hold(sourceAppId);
      if (!lease) throw new AppNotFound();
      return lease;
    },

    /** Receives a whole file; see {@link Incoming}. @throws as {@link toArrival}, too */
    receive: async (upload: Upload, source: AsyncIterable<Buffer>): Promise<ArrivedFile> =>
      incoming.receive(toArrival(upload), source),

    /** Receives a part of a file; see {@link Incoming}. */
    receivePart: async (
      upload: Upload,
      part: UploadPart,
      source: AsyncIterable<Buffer>,
    ): Promise<ArrivedFile | Continued> => incoming.receivePart(toArrival(upload), part, source),
  };
}
