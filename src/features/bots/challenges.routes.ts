import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { App } from '../../core/apps/app.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { AppNotFound, TooManyRequests } from '../../platform/core/errors.ts';
import { createWindowLimit } from '../../platform/core/window-limit.ts';
import { component } from '../../platform/http/validation.ts';
import type { Challenges } from './challenges.ts';

const hex = z.string().regex(/^[0-9a-f]+$/);

const Challenge = component('Challenge', {
  parameters: z.strictObject({
    algorithm: z.string().meta({ example: 'PBKDF2/SHA-256' }),
    cost: z.int().positive().meta({ example: 5000 }),
    expiresAt: z.int().meta({ description: 'In seconds since 1970', example: 1_769_848_200 }),
    keyLength: z.int().positive().meta({ example: 32 }),
    keyPrefix: hex,
    keySignature: hex,
    nonce: hex,
    salt: hex,
  }),
  signature: hex,
});

const challengeEndpoints = {
  getChallenge: {
    method: 'get',
    path: '/v1/forms/:sourceAppId/challenge',
    auth: 'form',
    tag: 'Public',
    summary: 'A proof-of-work challenge',
    description:
      'A challenge of the ALTCHA protocol, version 2, for this app. Its solution counts for one submission, for 20 minutes. Send the base64 of `{ challenge, solution }` as JSON in `altcha` or `x-altcha`.',
    params: AppPath,
    response: Challenge,
    responseHeaders: { 'Cache-Control': '`no-store`' },
    errors: [429],
  },
} as const satisfies Endpoints;

const WINDOW_MS = 60_000;

/** Challenges per minute, app and client network: one for each submission of the usual limit. */
export const CHALLENGES_PER_MINUTE = 600;

/** The limit of one network over all apps, as a multiple of its limit for one app. */
const NETWORK_FACTOR = 3;

/** Counts one challenge. A higher own limit of submissions raises the limit of challenges. */
type ChallengeLimiter = (sourceAppId: string, address: string, submitPerMinute?: number) => void;

/**
 * Limits challenges per app and client network, and per network over all apps. Without the second
 * limit one network could request as many as the service can make. An app with a higher limit of
 * its own is outside of it.
 *
 * @param workers the processes that share each limit
 */
export function createChallengeLimiter(perMinute = CHALLENGES_PER_MINUTE, workers = 1): ChallengeLimiter {
  const share = (limit: number): number => Math.ceil(limit / workers);
  const ofApp = createWindowLimit(share(perMinute), WINDOW_MS);
  const ofNetwork = createWindowLimit(share(perMinute * NETWORK_FACTOR), WINDOW_MS);
  return (sourceAppId, address, submitPerMinute = 0) => {
    const network = clientNetwork(address);
    const key = `${sourceAppId} ${network}`;
    const isRaised = submitPerMinute > perMinute;
    const ownMs = ofApp.waitMs(key, share(isRaised ? submitPerMinute : perMinute));
    const waitMs = isRaised ? ownMs : Math.max(ownMs, ofNetwork.waitMs(network));
    if (waitMs > 0) throw new TooManyRequests('tooManyChallenges', Math.ceil(waitMs / 1000));
    ofApp.count(key);
    if (!isRaised) ofNetwork.count(network);
  };
}

/** The routes of challenges. @param findApp resolves with an app from a lease */
export const challengeRoutes = (
  challenges: Challenges,
  findApp: (sourceAppId: string) => Promise<App | undefined>,
  limit: ChallengeLimiter,
): Route[] =>
  routes(challengeEndpoints, {
    getChallenge: async ({ principal: { sourceAppId }, req, res }) => {
      const app = await findApp(sourceAppId);
      if (!app) throw new AppNotFound();
      limit(sourceAppId, req.ip ?? '', app.form?.submitPerMinute);
      const { parameters, signature } = await challenges.issue(app.id);
      res.setHeader('Cache-Control', 'no-store');
      const { expiresAt = 0, keySignature = '' } = parameters;
      const { algorithm, cost, keyLength, keyPrefix, nonce, salt } = parameters;
      return {
        parameters: { algorithm, cost, expiresAt, keyLength, keyPrefix, keySignature, nonce, salt },
        signature,
      };
    },
  });
