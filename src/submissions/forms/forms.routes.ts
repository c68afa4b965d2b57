import { FormEntries } from '../../api/body/form-entries.ts';
import { type Route, routes } from '../../api/endpoint.ts';
import { prefersPage } from '../../api/negotiation.ts';
import { Redirect } from '../../api/reply.ts';
import { AppNotFound } from '../../core/errors.ts';
import type { SchemaLeases } from '../../schemas/schema-leases.ts';
import { UnknownApp } from '../../schemas/schemas.service.ts';
import type { FormPages } from '../pages/form-view.ts';
import type { StoredSubmission } from '../store/submission-store.ts';
import { presentSubmitted } from '../submissions.presenter.ts';
import type { SubmissionService } from '../submissions.service.ts';
import { attemptOf } from './form-attempt.ts';
import { createFormRefusals } from './form-refusals.ts';
import { submissionOf } from './form-submission.ts';
import { formEndpoints } from './forms.contract.ts';

/** The routes of `formEndpoints` (spec 4.5). */
export function formRoutes(deps: {
  submissions: SubmissionService;
  leases: Pick<SchemaLeases, 'hold'>;
  pages: FormPages;
}): Route[] {
  const { submissions, leases } = deps;
  const refusals = createFormRefusals(deps);

  /** Submits; an app that was deleted meanwhile is 404 here, as the app is in the path. */
  async function submit(...submission: Parameters<SubmissionService['submit']>): Promise<StoredSubmission> {
    try {
      return await submissions.submit(...submission);
    } catch (error) {
      throw error instanceof UnknownApp ? new AppNotFound() : error;
    }
  }

  return routes(
    formEndpoints,
    {
      submitForm: async ({ principal, headers, body, req }) => {
        const { sourceAppId } = principal;
        const keyOf = principal.kind === 'key' ? principal.app.id : undefined;
        const keyHeader = headers['idempotency-key'];
        if (!(body instanceof FormEntries)) {
          const options = { idempotencyKey: keyHeader, proof: body.altcha ?? headers['x-altcha'], keyOf };
          return presentSubmitted(await submit(sourceAppId, body, options));
        }
        const lease = await leases.hold(sourceAppId);
        if (!lease) throw new AppNotFound();
        const attempt = attemptOf(req, body, lease, keyHeader);
        refusals.note(req, attempt);
        if (attempt.problem) throw attempt.problem;
        const stored = await submit(sourceAppId, (newest) => submissionOf(body, newest), { ...attempt.options, keyOf });
        return prefersPage(req) ? new Redirect(attempt.next) : presentSubmitted(stored);
      },
    },
    refusals.refuse,
  );
}
