import type { Request, Response } from 'express';
import type { Metrics } from '../../metrics/metrics.ts';

/** In seconds. The last ones are for exports and other long answers. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Measures a request whose response was closed. */
export type MeasureRequest = (req: Request, res: Response, durationMs: number) => void;

/**
 * Counts requests by method, route and status, and measures their durations by route. The route is
 * the path of the declaration, so labels do not grow with apps. Undefined when metrics are off.
 */
export function createRequestMetrics(metrics: Metrics): MeasureRequest | undefined {
  if (!metrics.isOn) return undefined;
  const count = metrics.counter('http_requests_total', {
    help: 'Requests by method, route and status; the status of a request whose client left is "aborted"',
    labels: ['method', 'route', 'status'],
  });
  const observe = metrics.histogram('http_request_duration_seconds', {
    help: 'The time from the headers of a request to the end of its response',
    labels: ['route'],
    buckets: BUCKETS,
  });
  return (req, res, durationMs) => {
    const path: unknown = req.route?.path;
    // Pages, files and unknown paths.
    const route = typeof path === 'string' ? path : 'other';
    count({ method: req.method, route, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
    observe(durationMs / 1_000, { route });
  };
}
