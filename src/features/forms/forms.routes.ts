import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import { writerOf } from '../../core/api/principal.ts';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { UnknownApp } from '../../core/schemas/schemas.service.ts';
import { SubmittedUser } from '../../core/users/submissions.routes.ts';
import type { SubmissionService } from '../../core/users/submissions.service.ts';
import { AppNotFound } from '../../platform/core/errors.ts';
import { Redirect } from '../../platform/http/reply.ts';
import { Ok, prefersPage } from '../../platform/http/validation.ts';
import { jsonOrFormBody } from '../form-bodies/form-bodies.ts';
import { FormEntries } from '../form-bodies/form-body.ts';
import { DEFAULT_FORM_SETTINGS } from '../form-settings/form-settings.ts';
import type { OriginCounts } from '../form-settings/origins.ts';
import { jsonOptions, presentReceipt, Submission, SubmissionHeaders } from '../intake/intake.routes.ts';
import { type FormRefusals, parseAttempt } from './form-answers.ts';
import type { FormFiles } from './form-files.ts';
import { NO_FILES, readSubmission } from './form-submission.ts';
import { thanksPath } from './page.ts';
import { languageToKeep, visitorLanguage } from './visitor-language.ts';

const Next = z.string().optional().meta({
  description: 'The URL that the form named with `_next`, if the app allows it',
  example: 'https://www.example.com/thanks',
});

const IsHeld = z.literal(true).optional().meta({
  description: 'Present if an operator looks at the entries before they are stored',
});

const ofForm = { next: Next, held: IsHeld };
const SubmittedForm = SubmittedUser.extend(ofForm).meta({ id: 'SubmittedForm' });

const formEndpoints = {
  submitForm: {
    method: 'post',
    path: '/v1/forms/:sourceAppId',
    auth: 'form',
    scope: 'submit',
    tag: 'Public',
    summary: 'Submit a user record from an HTML form',
    description:
      'Stores as `POST /v1/users` does; the app is in the path. The texts of a form become values by the schema: the entry `email` is the email, `name`, `data[name]` and `data.name` are fields, repeated names and names with `[]` are items of an array field. Control names such as `_next` and `_key` are in the specification. A JSON body, or a request that prefers JSON, is answered as `POST /v1/users` answers it. Anyone else is redirected after a success, and gets a page that says what to do after a refusal.',
    params: AppPath,
    headers: SubmissionHeaders,
    body: jsonOrFormBody(Submission, 'invalidSubmission'),
    limit: 'submit',
    pages: true,
    response: z.union([SubmittedForm, Ok.extend(ofForm)]),
    errors: [409, 422, 429],
  },
} as const satisfies Endpoints;

/** An app that was deleted meanwhile is 404 here, as the app is in the path. */
function rethrowInPath(error: unknown): never {
  throw error instanceof UnknownApp ? new AppNotFound() : error;
}

export function formRoutes(deps: {
  submissions: SubmissionService;
  leases: Pick<SchemaLeases, 'hold'>;
  /** Counts the redirects that were ignored, for the operators of the app. */
  ignoredRedirects: Pick<OriginCounts, 'note'>;
  refusals: FormRefusals;
  files: FormFiles;
}): Route[] {
  const { submissions, leases, ignoredRedirects, refusals, files } = deps;

  return routes(formEndpoints, {
    submitForm: async ({ principal, headers, body, req }) => {
      const { sourceAppId } = principal;
      const lease = await leases.hold(sourceAppId);
      if (!lease) throw new AppNotFound();
      if (!(body instanceof FormEntries)) {
        const settings = lease.app.form ?? DEFAULT_FORM_SETTINGS;
        const lang = languageToKeep(visitorLanguage(req, settings), settings);
        const options = { ...jsonOptions(principal, headers, body, req), lang };
        return presentReceipt(await submissions.submit(sourceAppId, body, options).catch(rethrowInPath));
      }
      const attempt = parseAttempt(req, body, lease);
      refusals.note(req, attempt);
      if (attempt.problem) throw attempt.problem;
      const writer = writerOf(principal);
      const byKey = principal.kind === 'key' && { ofApp: principal.app.id, hasKey: true };
      const known = lease.validator.publicFileKeys ? await files.known(body, lease) : NO_FILES;
      const stored = await submissions
        .submit(sourceAppId, (newest) => readSubmission(body, newest, known, writer), {
          ...attempt.options,
          ...byKey,
          writer,
        })
        .catch(rethrowInPath);
      // Only an accepted submission counts, so that the limits of submissions bound strangers.
      if (attempt.ignoredNext) ignoredRedirects.note(lease.app.id, attempt.ignoredNext.origin);
      // Only a person learns that the form was held; a bot in a honeypot learns nothing.
      const isHeld = stored.heldFor !== undefined && stored.heldFor !== 'honeypot';
      if (prefersPage(req))
        return new Redirect(attempt.next ?? thanksPath(sourceAppId, { held: isHeld, lang: attempt.visitor.asked }));
      return {
        ...presentReceipt(stored),
        ...(isHeld && { held: isHeld }),
        ...(attempt.ownNext !== undefined && { next: attempt.ownNext }),
      };
    },
  });
}
