import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import { Unauthenticated } from '../platform/core/errors.ts';
import type { MetricsRegistry } from '../platform/metrics/metrics.ts';

/** Serves the metrics with a token (spec 4.10). */
export function createMetricsRouter(metrics: Pick<MetricsRegistry, 'contentType' | 'text'>, token: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const expected = digest(token);
  router.get('/metrics', async (req, res) => {
    // Digests have one length, so the comparison takes the same time for every token.
    if (!timingSafeEqual(digest(bearerToken(req)), expected)) {
      res.setHeader('WWW-Authenticate', 'Bearer realm="metrics", Basic realm="metrics"');
      throw new Unauthenticated('metricsToken');
    }
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', metrics.contentType);
    res.end(await metrics.text());
  });
  return router;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The token of `Bearer`, or the password of `Basic`; empty without one. */
function bearerToken({ headers }: Request): string {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const decoded = Buffer.from(credentials, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1);
}
