import { type Route, routes } from '../api/endpoint.ts';
import type { MailAbilities } from '../apps/form-settings/form-settings.service.ts';
import { mailStatusEndpoints } from './mail-status.contract.ts';

/** The endpoint that tells what emails of the service can do (spec 4.12). */
export const mailStatusRoutes = ({ mail, links }: MailAbilities): Route[] =>
  routes(mailStatusEndpoints, { getMailStatus: () => ({ mail, links }) });
