import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { themeOf, themeStyle } from '../features/display/theme.ts';
import type { PageAssets } from '../features/forms/page.ts';
import { NotFound } from '../platform/core/errors.ts';

/** The built files; the path is the same from `src/http` and from `dist/http`. */
const BUILT = fileURLToPath(new URL('../../dist/web/embed/', import.meta.url));

/** How long a browser uses the script of a fixed address without a request, and during one. */
const FIXED_ADDRESS = 'public, max-age=3600, stale-while-revalidate=86400';
const HASHED_ADDRESS = 'public, max-age=31536000, immutable';

export interface Embed {
  router: Router;
  assets: PageAssets;
}

/**
 * Serves the embed script at `/embed/v1.js`, where `v1` is the version of its interface, and the
 * style sheet of form pages at `/embed/v1.css` (spec 4.5), each also under an address with the hash
 * of its content. `theme.css` is the one of a theme, which its query names. `v1-form.js`,
 * `v1-steps.js`, `v1-challenge.js`, `v1-files.js` and `v1-page.js` are what the script loads for
 * forms that need it.
 */
export function createEmbed(): Embed {
  const router = Router({ caseSensitive: true, strict: true });
  const serve = (name: string, extension: 'js' | 'css', type: string): string => {
    const file = load(name, extension, type);
    router.get(`/${name}.${extension}`, answer(file, FIXED_ADDRESS));
    if (file) router.get(`/${file.hashedName}`, answer(file, HASHED_ADDRESS));
    return `/embed/${file?.hashedName ?? `${name}.${extension}`}`;
  };
  const script = serve('v1', 'js', 'text/javascript');
  const steps = serve('v1-steps', 'js', 'text/javascript');
  for (const part of ['form', 'challenge', 'files', 'page']) serve(`v1-${part}`, 'js', 'text/javascript');
  router.get('/theme.css', (req, res, next) => {
    const theme = themeOf(req.query);
    if (!theme) return void next();
    answer(toFile('theme', 'css', 'text/css', Buffer.from(themeStyle(theme))), FIXED_ADDRESS)(req, res, next);
  });
  return { router, assets: { script, steps, style: serve('v1', 'css', 'text/css') } };
}

/** A built file, and its name that contains the hash of its content; undefined: not built. */
function load(name: string, extension: string, type: string) {
  const path = `${BUILT}${name}.${extension}`;
  if (!existsSync(path)) return undefined;
  return toFile(name, extension, type, readFileSync(path));
}

function toFile(name: string, extension: string, type: string, content: Buffer) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const hashedName = `${name}-${hash}.${extension}`;
  return { type, content, compressed: gzipSync(content, { level: 9 }), etag: `"${hash}"`, hashedName };
}

function answer(file: ReturnType<typeof load>, cacheControl: string): RequestHandler {
  return (req, res) => {
    if (!file) throw new NotFound('embedNotBuilt');
    res.set({
      'Cache-Control': cacheControl,
      ETag: file.etag,
      // Every site may load the script, also one that isolates itself from other origins.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    res.vary('Accept-Encoding').type(file.type);
    if (req.fresh) return void res.status(304).end();
    const isCompressed = req.acceptsEncodings('gzip') === 'gzip';
    if (isCompressed) res.set('Content-Encoding', 'gzip');
    res.send(isCompressed ? file.compressed : file.content);
  };
}
