import type { Request } from 'express';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { type KeyPrincipal, type PublicPrincipal, writerOf } from '../../core/api/principal.ts';
import {
  presentSubmitted,
  SubmittedUser,
  submissionEndpoints,
  submissionFields,
} from '../../core/users/submissions.routes.ts';
import type { SubmissionService } from '../../core/users/submissions.service.ts';
import { Ok } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { IntakeOptions, TakenSubmission } from './intake-options.ts';

/** The body of a submission (spec 4.1). */
export const Submission = z
  .strictObject({
    ...submissionFields,
    altcha: z.string(code('notText')).optional().meta({ description: 'As the header `x-altcha`' }),
    captcha: z.string(code('notText')).optional().meta({ description: 'As the header `x-captcha`' }),
  })
  .meta({ id: 'Submission', example: { email: 'Ada@Example.com', data: { name: 'Ada' } } });

/** The second: an app that hides who is known (spec 4.5.5). */
export const Submitted = z.union([SubmittedUser, Ok]);

export const KEY_PATTERN = /^(?!""$)[\x21-\x7e]{1,255}$/;

export const SubmissionHeaders = z.object({
  'idempotency-key': z.string().regex(KEY_PATTERN, code('keyFormat')).optional().meta({
    description: 'A text that the client chooses, unique for each submission',
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  }),
  'x-altcha': z.string().optional().meta({
    description:
      'For apps with the bot protection `proof-of-work`: the solution of a challenge (`GET /v1/forms/{sourceAppId}/challenge`)',
  }),
  'x-captcha': z.string().optional().meta({
    description: 'For apps with the bot protection of a provider: the token of a solved challenge',
  }),
});

/** Returns an `Idempotency-Key` without quotes around it, which do not count (spec 4.5). */
export const withoutQuotes = (key: string): string => key.replace(/^"(.*)"$/, '$1');

/** Returns the options of a submission in JSON: of its caller, its headers and its body. */
export function jsonOptions(
  principal: PublicPrincipal | KeyPrincipal,
  headers: z.infer<typeof SubmissionHeaders>,
  { altcha, captcha }: Pick<z.infer<typeof Submission>, 'altcha' | 'captcha'>,
  { hostname, ip }: Request,
): IntakeOptions {
  const key = headers['idempotency-key'];
  const hasKey = principal.kind === 'key';
  return {
    idempotencyKey: key && withoutQuotes(key),
    proof: altcha ?? headers['x-altcha'],
    captcha: captcha ?? headers['x-captcha'],
    host: hostname,
    address: ip,
    ofApp: hasKey ? principal.app.id : undefined,
    hasKey,
    writer: writerOf(principal),
  };
}

const intakeEndpoints = {
  submitUser: {
    ...submissionEndpoints.submitUser,
    description:
      "Creates the record of that email, or changes it: fields sent replace, fields not sent stay, items of array fields are appended. A submission that was answered with 200 is durable. A request that got no answer, or a 503, can be sent again with the same `Idempotency-Key` and is applied once. `data` must conform to the app's schema.",
    headers: SubmissionHeaders,
    body: jsonBody(Submission, 'invalidSubmission'),
    response: Submitted,
    errors: [409, 422, 429],
  },
} as const satisfies Endpoints;

/** Presents a public submission: without a receipt if the app hides who is known. */
export function presentReceipt(stored: TakenSubmission): z.output<typeof Submitted> {
  return stored.isHidden ? { ok: true } : presentSubmitted(stored);
}

/** Extends the submission of the core. */
export const intakeRoutes = (submissions: SubmissionService): Route[] =>
  routes(intakeEndpoints, {
    submitUser: async ({ principal, headers, body, req }) =>
      presentReceipt(await submissions.submit(principal.sourceAppId, body, jsonOptions(principal, headers, body, req))),
  });
