import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../api/endpoint.ts';
import type { MailAbilities } from '../apps/form-settings.service.ts';

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

/** The endpoint that tells what emails of the service can do (spec 4.12). */
export const mailStatusRoutes = ({ mail, links }: MailAbilities): Route[] =>
  routes(mailStatusEndpoints, { getMailStatus: () => ({ mail, links }) });
