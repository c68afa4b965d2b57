import { z } from 'zod';
import { type Endpoints, jsonOrFormBody } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';
import { Submission, SubmissionHeaders, SubmittedUser } from '../submissions.contract.ts';

const SubmittedForm = SubmittedUser.extend({
  next: z.string().optional().meta({
    description: 'The URL that the form named with `_next`, if the app allows it',
    example: 'https://www.example.com/thanks',
  }),
}).meta({ id: 'SubmittedForm' });

/** The endpoint for submissions from any form (spec 4.5). */
export const formEndpoints = {
  submitForm: {
    method: 'post',
    path: '/v1/forms/:sourceAppId',
    auth: 'form',
    scope: 'submit',
    cors: 'app',
    tag: 'Public',
    summary: 'Submit a user record from an HTML form',
    description:
      'Stores as `POST /v1/users` does; the app is in the path. The texts of a form become values by the schema: the entry `email` is the email, `name`, `data[name]` and `data.name` are fields, repeated names and names with `[]` are items of an array field. Control names such as `_next` and `_key` are in the specification. A JSON body, or a request that prefers JSON, is answered as `POST /v1/users` answers it. Anyone else is redirected after a success, and gets a page that says what to do after a refusal.',
    params: AppPath,
    headers: SubmissionHeaders,
    body: jsonOrFormBody(Submission, 'Invalid submission'),
    limit: 'submit',
    pages: true,
    response: SubmittedForm,
    errors: [409, 422, 429],
  },
} as const satisfies Endpoints;
