import { type Route, routes } from '../../api/endpoint.ts';
import type { App } from '../../apps/app.ts';
import { AppNotFound } from '../../core/errors.ts';
import { type ChallengeLimiter, createChallengeLimiter } from './challenge-limiter.ts';
import { challengeEndpoints } from './challenges.contract.ts';
import type { Challenges } from './challenges.ts';

/**
 * The routes of `challengeEndpoints` (spec 4.5).
 *
 * @param findApp resolves with an app from a lease
 */
export const challengeRoutes = (
  challenges: Challenges,
  findApp: (sourceAppId: string) => Promise<App | undefined>,
  limit: ChallengeLimiter = createChallengeLimiter(),
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
