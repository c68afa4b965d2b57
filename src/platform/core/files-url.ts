import { isWebOrigin } from './web-origin.ts';

/** What {@link parseFilesUrl} expects, for error messages. */
export const FILES_URL_FORMAT =
  's3://bucket, s3://bucket/prefix, or either with ?endpoint=https://host&region=name; credentials are the variables of AWS';

/** The bucket of an S3 store. */
export interface FilesBucket {
  bucket: string;
  /** Before the id of each file: empty, or with a slash at its end. */
  prefix: string;
  /** An origin; undefined: that of AWS. */
  endpoint: string | undefined;
  /** Undefined: the one in the variables or the profile of AWS. */
  region: string | undefined;
}

const BUCKET = /^[a-z0-9](?:[a-z0-9.-]{1,61}[a-z0-9])$/;
const PREFIX = /^(?:[\w!'()*.-]+\/)*$/;
const REGION = /^[a-z0-9-]{1,50}$/;
/** Stores other than AWS ignore it, or call theirs so. */
const REGION_OF_OTHERS = 'us-east-1';

export function parseFilesUrl(text: string): FilesBucket | undefined {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?#@]+)\/?([^?#]*)(?:\?([^#]*))?$/.exec(text) ?? [];
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  const parameters = [...new URLSearchParams(query)];
  const { endpoint, region, ...others } = Object.fromEntries(parameters);
  if (!BUCKET.test(bucket) || !PREFIX.test(prefix) || prefix.length > 500) return undefined;
  if (Object.keys(others).length > 0 || parameters.length > new Set(parameters.map(([name]) => name)).size) {
    return undefined;
  }
  const origin = endpoint?.replace(/\/$/, '');
  if (origin !== undefined && !isWebOrigin(origin)) return undefined;
  if (region !== undefined && !REGION.test(region)) return undefined;
  return { bucket, prefix, endpoint: origin, region: region ?? (origin && REGION_OF_OTHERS) };
}

/** The same for values of `FILES_URL` that name the same place. */
export const nameOfBucket = ({ bucket, prefix, endpoint = 'AWS' }: FilesBucket): string =>
  `${bucket}/${prefix} at ${endpoint}`;
