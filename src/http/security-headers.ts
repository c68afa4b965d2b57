import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Sets helmet's headers with the strictest policy: responses are data that may not load, run or be
 * framed. Pages replace the policy (`createPagePolicy`). The headers do not depend on the request,
 * so helmet runs once.
 *
 * @param production also require HTTPS (Strict-Transport-Security)
 */
export function createSecurityHeaders(production: boolean): RequestHandler {
  const headers = recordHeaders(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      strictTransportSecurity: production,
      // These headers concern pages or outdated browsers, not data.
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  );
  return (req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    // Responses under /auth, errors included, belong to one session: no cache may store them.
    if (req.path.startsWith('/auth')) res.setHeader('Cache-Control', 'no-store');
    next();
  };
}

/**
 * The Content-Security-Policy of pages: scripts, styles, images and requests of this origin only;
 * no inline script or style, no `eval`, no frames, no forms.
 *
 * @param additions directives to add or to replace
 */
export function createPagePolicy(additions: Record<string, string[]>): RequestHandler {
  return helmet.contentSecurityPolicy({ useDefaults: false, directives: { ...PAGE_POLICY, ...additions } });
}

const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

function recordHeaders(
  middleware: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void,
): [string, string][] {
  const headers = new Map<string, string>();
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return [...headers];
}
