import { createHash } from 'node:crypto';
import { z } from 'zod';
import { code } from '../../platform/languages/problems.ts';
import { THEME_PRESETS } from '../display/presets.ts';
import {
  IMAGE_BYTES,
  IMAGE_TYPES,
  type ImageName,
  type ImageType,
  THEME_CORNERS,
  THEME_FONTS,
  THEME_SCHEMES,
  type Theme,
} from '../display/theme.ts';
import { given, oneOf, orAbsent, StoredId, text, unset } from './app-setting.ts';

/** An image as it was sent. */
export interface SentImage {
  type: ImageType;
  content: Buffer;
  hash: string;
}

/** The reference to a stored image (form-images.model.ts), with the hash of its content. */
const StoredImage = z.strictObject({ id: StoredId, type: z.enum(IMAGE_TYPES), hash: z.string() });
export type FormImage = z.output<typeof StoredImage>;

/** The appearance of an app's forms (spec 4.5.1). */
export interface FormTheme<Image = FormImage> extends Theme, Partial<Record<ImageName, Image>> {
  logoAlt?: string;
}

const DATA_URL = new RegExp(`^data:(${IMAGE_TYPES.join('|')});base64,(?=[A-Za-z0-9+/]+={0,2}$)`);

/** The first bytes of each type, in hexadecimal. */
const SIGNATURES: Readonly<Record<ImageType, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/webp': /^52494646.{8}57454250/,
};

/** Returns the image of a data URL; undefined unless its bytes are of the type that it names. */
function parseDataUrl(text: string): SentImage | undefined {
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

function image(name: ImageName) {
  const max = IMAGE_BYTES[name];
  const value = z.string(code('notText')).transform((text, context): SentImage => {
    const sent = parseDataUrl(text);
    if (sent && sent.content.length <= max) return sent;
    const message = sent ? code('imageTooLarge', { max: max / 1024 }) : code('notImage');
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
  return unset(value.meta({ description: `A PNG, JPEG or WebP image of at most ${max / 1024} kB, as a data URL` }));
}

const style = {
  preset: unset(oneOf(THEME_PRESETS)),
  accent: unset(
    z
      .string(code('notText'))
      .regex(/^#[0-9a-f]{6}$/i, code('notColor'))
      .transform((color) => color.toLowerCase())
      .meta({ example: '#1f5fd6' }),
  ),
  scheme: unset(oneOf(THEME_SCHEMES)),
  font: unset(oneOf(THEME_FONTS)),
  corners: unset(oneOf(THEME_CORNERS)),
};

/** The name and the theme of forms, and what their page keeps. */
export const appearanceSettings = {
  /** One line, because it is in subjects of emails and in lists. */
  name: orAbsent(
    z
      .string(code('notText'))
      .transform((name) => name.replace(/[\s\p{Cc}]+/gu, ' ').trim())
      .pipe(text(80))
      .meta({ example: 'Newsletter' }),
    { description: "What people read in place of the app's id; absent without one" },
  ),
  /** A theme without a member is unset. */
  theme: orAbsent(
    z
      .strictObject({
        ...style,
        logo: image('logo'),
        logoDark: image('logoDark'),
        logoAlt: unset(text(200)),
        cover: image('cover'),
      })
      .transform(given),
    {
      description: 'The appearance of the forms; absent without one',
      stored: z
        .strictObject({ ...style, logo: StoredImage, logoDark: StoredImage, logoAlt: z.string(), cover: StoredImage })
        .partial()
        .transform(given),
    },
  ),
  drafts: orAbsent(z.boolean(code('notBoolean')), {
    description: 'Whether the hosted form keeps what a visitor typed until it is sent; absent: it does',
  }),
};
