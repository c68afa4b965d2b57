import type { RequestHandler } from 'express';
import { forwardedAddress } from '../core/client-network.ts';
import { InvalidInput } from '../core/errors.ts';

/**
 * Refuses requests that a proxy may read differently: with more than one `Host` (RFC 9112, 3.2), of
 * which Node keeps the first, or with a transfer coding besides `chunked`, which Node ignores.
 * The connection ends: the handler of errors closes it when the request is not read to its end.
 */
export const refuseAmbiguous: RequestHandler = (req, _res, next) => {
  const { rawHeaders } = req;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  const coding = req.headers['transfer-encoding'];
  if (hosts <= 1 && (coding === undefined || coding.toLowerCase() === 'chunked')) return next();
  throw new InvalidInput('invalidHeaders');
};

/**
 * Replaces the entries of `X-Forwarded-For`, before Express decides which of them it trusts, by the
 * addresses in them: some proxies add ports and quotes.
 */
export const readForwardedFor: RequestHandler = (req, _res, next) => {
  const given = req.headers['x-forwarded-for'];
  if (given !== undefined) {
    const entries = String(given).split(',');
    req.headers['x-forwarded-for'] = entries.flatMap((entry) => forwardedAddress(entry) ?? []).join(', ');
  }
  next();
};
