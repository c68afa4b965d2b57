import { createHash } from 'node:crypto';
import { IMAGE_TYPES, type ImageType } from '../fields/theme.ts';

/** An image as it was sent. */
export interface SentImage {
  type: ImageType;
  content: Buffer;
  hash: string;
}

const DATA_URL = new RegExp(`^data:(${IMAGE_TYPES.join('|')});base64,(?=[A-Za-z0-9+/]+={0,2}$)`);

/** The first bytes of each type, in hexadecimal. */
const SIGNATURES: Readonly<Record<ImageType, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/webp': /^52494646.{8}57454250/,
};

/** Returns the image of a data URL; undefined unless its bytes are of the type that it names. */
export function parseDataUrl(text: string): SentImage | undefined {
  const [prefix, type] = DATA_URL.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  const base64 = text.slice(prefix.length);
  const content = Buffer.from(base64, 'base64');
  // A response shows the text that was sent.
  if (content.toString('base64') !== base64) return undefined;
  const of = type as ImageType;
  if (!SIGNATURES[of].test(content.toString('hex', 0, 12))) return undefined;
  return { type: of, content, hash: createHash('sha256').update(content).digest('base64url').slice(0, 22) };
}

export const dataUrl = (type: ImageType, content: Buffer): string =>
  `data:${type};base64,${content.toString('base64')}`;
