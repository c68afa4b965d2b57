import { z } from 'zod';
import { JsonObject, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { UserId } from '../api/parameters.ts';
import { writerOf } from '../api/principal.ts';
import type { StoredSubmission } from './submission-writes.ts';
import type { SubmissionService } from './submissions.service.ts';

/** The members of a submission (spec 4.1). */
export const submissionFields = { email: z.string(code('notText')), data: JsonObject.optional() };

export const SubmittedUser = z
  .strictObject({ id: UserId, createdAt: Timestamp, updatedAt: Timestamp })
  .meta({ id: 'SubmittedUser' });

export const submissionEndpoints = {
  submitUser: {
    method: 'post',
    path: '/v1/users',
    auth: 'app id',
    scope: 'submit',
    tag: 'Public',
    summary: 'Submit a user record',
    description:
      "Creates the record of that email, or changes it: fields sent replace, fields not sent stay, items of array fields are appended. A submission that was answered with 200 is durable. `data` must conform to the app's schema.",
    body: jsonBody(z.strictObject(submissionFields), 'invalidSubmission'),
    limit: 'submit',
    tool: true,
    response: SubmittedUser,
    errors: [409, 429],
  },
} as const satisfies Endpoints;

/** Presents a submission, also one that is not stored yet: in the same way. */
export function presentSubmitted({ id, createdAt, updatedAt }: StoredSubmission) {
  const created = createdAt.toISOString();
  // Both times of a new record are the same, and each conversion takes half a microsecond.
  const isNew = updatedAt.getTime() === createdAt.getTime();
  return { id: id.toString(), createdAt: created, updatedAt: isNew ? created : updatedAt.toISOString() };
}

export const submissionRoutes = (submissions: SubmissionService): Route[] =>
  routes(submissionEndpoints, {
    submitUser: async ({ principal, body }) =>
      presentSubmitted(await submissions.submit(principal.sourceAppId, body, { writer: writerOf(principal) })),
  });
