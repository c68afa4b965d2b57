import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';

const LinkPath = AppPath.extend({
  token: z.string().meta({ description: 'From the link of the email', example: 'AZUT-LSqfsW2QYpQYHr3qgGX5dNUAA' }),
});

const PAGE_HEADERS = {
  'Content-Security-Policy': 'The policy of this page',
  'Cache-Control': '`no-store`',
};

/** The pages behind the link of a confirmation email (spec 4.12). */
export const confirmationEndpoints = {
  getConfirmationPage: {
    method: 'get',
    path: '/f/:sourceAppId/confirm/:token',
    auth: 'form',
    tag: 'Forms',
    summary: 'The page behind the link of a confirmation email',
    description: 'Shows a button and confirms nothing, because programs that check emails open their links.',
    params: LinkPath,
    response: z.string(),
    isPage: true,
    responseHeaders: PAGE_HEADERS,
    errors: [410],
  },
  confirmEmail: {
    method: 'post',
    path: '/f/:sourceAppId/confirm/:token',
    auth: 'form',
    tag: 'Forms',
    summary: 'Confirm an email address',
    description: 'Sets `confirmedAt` of the record. A repeat changes nothing. A body is ignored.',
    params: LinkPath,
    response: z.string(),
    isPage: true,
    responseHeaders: PAGE_HEADERS,
    errors: [410],
  },
} as const satisfies Endpoints;
