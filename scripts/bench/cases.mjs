// The benchmark cases: the request, the numbers of connections, and the minimum duration.
const APP = 'bench';
let counter = 0;

export const schema = {
  rejectUnknown: true,
  fields: [
    { key: 'name', label: 'Name', kind: 'text', required: true, maxLength: 100 },
    { key: 'age', label: 'Age', kind: 'number', min: 0, max: 150 },
    { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
    { key: 'agreed', label: 'Agreed', kind: 'checkbox', required: true },
    { key: 'visits', label: 'Visits', kind: 'array' },
  ],
};

const fields = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
/** A request that submits `data` under an email to an app. */
export const submission = (app, email, data) => ({
  method: 'POST',
  path: '/v1/users',
  headers: { 'content-type': 'application/json', 'x-app-id': app },
  body: JSON.stringify({ email, data }),
});

export const HOT_USERS = 1000;

/** Inserts: a new email each time. */
const newUser = () => {
  counter += 1;
  return submission(APP, `person-${process.pid}-${counter}@example.com`, fields);
};

/**
 * Updates: one of a thousand emails, with an array item. Each run uses different emails, so that
 * arrays start empty for both servers.
 */
const update = ({ run }) => {
  counter += 1;
  return submission(APP, `hot-${run}-${counter % HOT_USERS}@example.com`, { ...fields, visits: [`page-${counter}`] });
};

export const cases = {
  new: { request: newUser, connections: [1, 32, 256] },
  update: { request: update, connections: [1, 32, 256] },
  schema: {
    request: () => ({ method: 'GET', path: '/v1/schema', headers: { 'x-app-id': APP } }),
    connections: [1, 32, 256],
  },
  list: {
    request: ({ cookie }) => ({ method: 'GET', path: '/auth/users', headers: { cookie } }),
    connections: [1, 8],
    // With eight connections one request takes most of a second.
    minSeconds: 4,
  },
};
