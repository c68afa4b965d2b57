import { FormEntries } from '../../api/body/form-entries.ts';
import { type Route, routes } from '../../api/endpoint.ts';
import { prefersPage } from '../../api/negotiation.ts';
import { Redirect } from '../../api/reply.ts';
import type { OriginCounts } from '../../apps/form-settings/refused-origins.ts';
import { AppNotFound } from '../../core/errors.ts';
import type { SchemaLeases } from '../../schemas/schema-leases.ts';
import { UnknownApp } from '../../schemas/schemas.service.ts';
import type { FormPages } from '../pages/form-view.ts';
import type { StoredSubmission } from '../store/submission-store.ts';
import { presentSubmitted } from '../submissions.presenter.ts';
import type { SubmissionService } from '../submissions.service.ts';
import { attemptOf, type FormAttempt } from './form-attempt.ts';
import { createFormRefusals } from './form-refusals.ts';
import { submissionOf } from './form-submission.ts';
import { formEndpoints } from './forms.contract.ts';
import { thanksPath } from './redirect.ts';

/** The routes of `formEndpoints` (spec 4.5). */
export function formRoutes(deps: {
  submissions: SubmissionService;
  leases: Pick<SchemaLeases, 'hold'>;
  /** Counts the addresses to which browsers were not sent, for the operators of the app. */
  ignoredRedirects: Pick<OriginCounts, 'note'>;
  pages: FormPages;
}): Route[] {
  const { submissions, leases, ignoredRedirects } = deps;
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
        // Only a submission that was accepted counts, so the limits of submissions bound strangers.
        if (attempt.ignoredNext) ignoredRedirects.note(lease.app.id, attempt.ignoredNext.origin);
        if (prefersPage(req)) return new Redirect(nextOf(attempt, stored));
        return { ...presentSubmitted(stored), ...(attempt.ownNext !== undefined && { next: attempt.ownNext }) };
      },
    },
    refusals.refuse,
  );
}

/**
 * Where a browser goes after a success. A person whose form was held because it came without a
 * proof of work is told so; what filled a honeypot learns nothing.
 */
function nextOf({ next, lease }: FormAttempt, { heldFor }: StoredSubmission): string {
  return next ?? thanksPath(lease.app.sourceAppId, heldFor === 'no-proof');
}
