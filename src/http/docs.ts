import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';
import { createPagePolicy } from '../platform/http/security-headers.ts';
import { renderApiPage, STYLE } from './docs-page.ts';
import { SCRIPT } from './docs-script.ts';

/** What the build wrote; the path is the same from `src/http` and from `dist/http`. */
const BUILT = fileURLToPath(new URL('../../dist/', import.meta.url));
const CACHED = { maxAge: '1h' };

/** Creating the OpenAPI document from the declarations took 140 ms of each start. */
const DOCUMENT = `${BUILT}openapi.json`;

/**
 * Serves the API documentation at `/docs`, the OpenAPI document at `/openapi.json`, the pages of
 * docs/ as Markdown below `/docs/`, and their list at `/llms.txt` (spec 4.1.1).
 *
 * @param cookieName the name of the session cookie, which the document states
 */
export function createDocsRouter(cookieName: string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // One buffer for all responses.
  const json = readDocument(cookieName);
  // Rendered for the first request, so that the start does not wait for it.
  let page: Buffer | undefined;

  router.get('/openapi.json', (_req, res) => {
    res.type('application/json; charset=utf-8').setHeader('Cache-Control', 'no-cache');
    res.send(json);
  });
  router.get(
    '/docs',
    createPagePolicy({
      scriptSrc: [hashOf(SCRIPT)],
      styleSrc: [hashOf(STYLE)],
      connectSrc: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    }),
    (_req, res) => {
      page ??= Buffer.from(renderApiPage(JSON.parse(json.toString())));
      res.type('html').setHeader('Cache-Control', 'no-cache');
      res.send(page);
    },
  );
  router.use('/docs', express.static(`${BUILT}docs`, { index: false, redirect: false, ...CACHED }));
  router.get('/llms.txt', (_req, res) => res.sendFile('llms.txt', { root: BUILT, ...CACHED }));
  return router;
}

/** The source of a policy that allows an element with exactly this text. */
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function readDocument(cookieName: string): Buffer {
  const built = readFileSync(DOCUMENT);
  if (built.includes(`"in":"cookie","name":"${cookieName}"`)) return built;
  const document = JSON.parse(built.toString());
  document.components.securitySchemes.session.name = cookieName;
  return Buffer.from(JSON.stringify(document));
}
