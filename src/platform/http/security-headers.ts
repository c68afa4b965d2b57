import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Sets helmet's headers with the strictest policy, which pages replace (`createPagePolicy`). */
export function createSecurityHeaders(production: boolean): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: production,
    // These headers concern pages or outdated browsers, not data.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  return (req, res, next) => {
    // Responses under /auth, errors included, belong to one session: no cache may store them.
    if (req.path.startsWith('/auth')) res.setHeader('Cache-Control', 'no-store');
    setHeaders(req, res, next);
  };
}

/** The Content-Security-Policy of pages. @param additions directives to add or to replace */
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
