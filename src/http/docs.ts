import { Router } from 'express';
import helmet from 'helmet';
// Only where its files are: the package itself would load the whole page into this process, some 15 MB.
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js';

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

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/**
 * The documentation for people at `/docs` and for programs at `/openapi.json`. The page is served whole by the service: no request leaves its origin and no inline script
 * runs.
 */
export function createDocsRouter(document: object): Router {
  const router = Router({ caseSensitive: true });
  const json = JSON.stringify(document);
  const folder = folderOfSwaggerUi();

  router.get('/openapi.json', (_req, res) => {
    res.type('application/json').setHeader('Cache-Control', 'no-cache');
    res.send(json);
  });
  router.use('/docs', helmet.contentSecurityPolicy({ useDefaults: false, directives: PAGE_POLICY }));
  router.get('/docs', (_req, res) => void res.type('html').send(PAGE));
  router.get('/docs/start.js', (_req, res) => void res.type('text/javascript').send(START));
  for (const name of ASSETS) {
    router.get(`/docs/${name}`, (_req, res) => res.sendFile(name, { root: folder, maxAge: '1h' }));
  }
  return router;
}

const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};
