import { type Route, routes } from '../api/endpoint.ts';
import { submissionEndpoints } from './submissions.contract.ts';
import { presentSubmitted } from './submissions.presenter.ts';
import type { SubmissionService } from './submissions.service.ts';

/** The routes of `submissionEndpoints` (spec 4.1). */
export const submissionRoutes = (submissions: SubmissionService): Route[] =>
  routes(submissionEndpoints, {
    submitUser: async ({ principal, headers, body }) =>
      presentSubmitted(
        await submissions.submit(principal.sourceAppId, body, {
          idempotencyKey: headers['idempotency-key'],
          proof: body.altcha ?? headers['x-altcha'],
          keyOf: principal.kind === 'key' ? principal.app.id : undefined,
        }),
      ),
  });
