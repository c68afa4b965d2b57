import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import { NotFound } from '../platform/core/errors.ts';
import { createPagePolicy } from '../platform/http/security-headers.ts';

/** The built pages; the path is the same from `src/http` and from `dist/http`. */
const BUILT = fileURLToPath(new URL('../../dist/web/', import.meta.url));

/** The pages never turn text into markup or code. They show images that were not sent yet. */
const POLICY = {
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
  imgSrc: ["'self'", 'data:'],
};

const COMPRESSED = /\.(?:js|css|svg)$/;

/**
 * Serves the dashboard at `/dashboard/`; `/` redirects to it. Asset names contain a content hash,
 * so assets are cached for a year. Every other path is a page of the single HTML file, which is
 * revalidated each time.
 */
export function createDashboardRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/', '/dashboard'], (_req, res) => res.redirect('/dashboard/'));
  router.use('/dashboard', createPagePolicy(POLICY));
  router.use(
    '/dashboard/assets',
    preferCompressed,
    express.static(`${BUILT}assets`, {
      immutable: true,
      maxAge: '1y',
      index: false,
      redirect: false,
      setHeaders: (res, path) => {
        res.vary('Accept-Encoding');
        if (!path.endsWith('.gz')) return;
        res.setHeader('Content-Encoding', 'gzip');
        res.type(extname(path.slice(0, -'.gz'.length)));
      },
    }),
    () => {
      throw new NotFound('notFound');
    },
  );
  router.get('/dashboard/{*page}', (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile('index.html', { root: BUILT, cacheControl: false }, (error) => {
      if (error) next(res.headersSent ? error : new NotFound('dashboardNotBuilt'));
    });
  });
  return router;
}

/** The build writes a compressed copy of each asset that becomes smaller. */
const preferCompressed: RequestHandler = (req, _res, next) => {
  if (COMPRESSED.test(req.path) && req.acceptsEncodings('gzip')) req.url = `${req.path}.gz`;
  next();
};
