import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';

const hex = z.string().regex(/^[0-9a-f]+$/);

const Challenge = z
  .strictObject({
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
  })
  .meta({ id: 'Challenge' });

/** The endpoint for challenges (spec 4.5). */
export const challengeEndpoints = {
  getChallenge: {
    method: 'get',
    path: '/v1/forms/:sourceAppId/challenge',
    auth: 'form',
    cors: 'app',
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
