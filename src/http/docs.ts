import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';
import { createPagePolicy } from './security-headers.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>User Collection Service: API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
`;

/** What the build wrote; the path is the same from `src/http` and from `dist/http`. */
const BUILT = fileURLToPath(new URL('../../dist/', import.meta.url));
const CACHED = { maxAge: '1h' };

/** The files of swagger-ui-dist that the build copies. */
const SWAGGER_UI = `${BUILT}web/swagger-ui/`;
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Creating the OpenAPI document from the declarations took 140 ms of each start. */
const DOCUMENT = `${BUILT}openapi.json`;

/**
 * Serves the API documentation at `/docs`, the OpenAPI document at `/openapi.json`, the pages of
 * docs/ as Markdown below `/docs/`, and their list at `/llms.txt` (spec 4.1.1).
 *
 * @param cookieName the name of the session cookie, which the document states
 */
export function createDocsRouter(cookieName: string): Router {
  const router = Router({ caseSensitive: true });
  // One buffer for all responses.
  const json = readDocument(cookieName);

  router.get('/openapi.json', (_req, res) => {
    res.type('application/json; charset=utf-8').setHeader('Cache-Control', 'no-cache');
    res.send(json);
  });
  router.use('/docs', createPagePolicy({ imgSrc: ["'self'", 'data:'] }));
  router.get('/docs', (_req, res) => void res.type('html').send(PAGE));
  router.get('/docs/start.js', (_req, res) => void res.type('text/javascript').send(START));
  for (const name of ASSETS) {
    router.get(`/docs/${name}`, (_req, res) => res.sendFile(name, { root: SWAGGER_UI, ...CACHED }));
  }
  router.use('/docs', express.static(`${BUILT}docs`, { index: false, redirect: false, ...CACHED }));
  router.get('/llms.txt', (_req, res) => res.sendFile('llms.txt', { root: BUILT, ...CACHED }));
  return router;
}

function readDocument(cookieName: string): Buffer {
  const built = readFileSync(DOCUMENT);
  if (built.includes(`"in":"cookie","name":"${cookieName}"`)) return built;
  const document = JSON.parse(built.toString());
  document.components.securitySchemes.session.name = cookieName;
  return Buffer.from(JSON.stringify(document));
}
