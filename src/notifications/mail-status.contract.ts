import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';

/** What emails of the service can do (spec 4.12). */
export const mailStatusEndpoints = {
  getMailStatus: {
    method: 'get',
    path: '/auth/mail',
    auth: 'session',
    load: 'light',
    tag: 'Forms',
    summary: 'Whether the service sends email',
    response: z
      .strictObject({
        mail: z.boolean().meta({ description: 'Whether the service sends email (`SMTP_URL`)' }),
        links: z.boolean().meta({ description: 'Whether its emails have links to it (`PUBLIC_URL`)' }),
      })
      .meta({ id: 'MailStatus' }),
    errors: [],
  },
} as const satisfies Endpoints;
