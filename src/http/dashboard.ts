import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { NotFound } from '../core/errors.ts';

/** Where the build puts the pages. The same folder is meant from `src/http` and from `dist/http`. */
const BUILT = fileURLToPath(new URL('../../dist/web/', import.meta.url));

const COMPRESSED = /\.(?:js|css|svg)$/;

/**
 * The dashboard at `/dashboard/`; `/` leads there. Assets carry a hash of their content in their names, so they are kept for a year; every other path below is a page of the
 * one HTML file, which is asked for anew each time. The pages speak the HTTP API like any other client.
 *
 * @param folder the built pages; where nothing was built yet, the answer is 404
 */
export function createDashboardRouter(folder = BUILT): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/', '/dashboard'], (_req, res) => res.redirect('/dashboard/'));
  router.use('/dashboard', helmet.contentSecurityPolicy({ useDefaults: false, directives: PAGE_POLICY }));
  router.use(
    '/dashboard/assets',
    preferCompressed,
    express.static(`${folder}assets`, {
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
      throw new NotFound('Not found');
    },
  );
  router.get('/dashboard/{*page}', (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile('index.html', { root: folder, cacheControl: false }, (error) => {
      if (error) next(res.headersSent ? error : new NotFound('The dashboard is not built: run `npm run build`'));
    });
  });
  return router;
}

/** The build lays a compressed copy beside each asset that gains from it. */
const preferCompressed: RequestHandler = (req, _res, next) => {
  if (COMPRESSED.test(req.path) && req.acceptsEncodings('gzip')) req.url = `${req.path}.gz`;
  next();
};

/**
 * Only files of this origin run, style or are fetched; no inline script or style, no `eval`, and no text can be turned into markup or code at all (Trusted Types).
 */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
};
