import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet's headers under the strictest policy: answers are data, and nothing in them may load, run or be framed. The pages of the service set policies of their own. The
 * headers are the same for each answer, so helmet is asked once and not each time.
 *
 * @param production also ask browsers to come back by HTTPS only
 */
export function createSecurityHeaders(production: boolean): RequestHandler {
  const headers = recordHeaders(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      strictTransportSecurity: production,
      // These say something about pages, or to browsers of long ago, and nothing about an answer that is data.
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  );
  return (req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    // What is under /auth is for who is logged in: no cache keeps it, refusals included.
    if (req.path.startsWith('/auth')) res.setHeader('Cache-Control', 'no-store');
    next();
  };
}

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
