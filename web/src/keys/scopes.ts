import type { KeyScope } from '../api/endpoints.ts';

/** The names of the scopes. */
export const SCOPES: Record<KeyScope, { name: string; meaning: string; needsSchema?: true }> = {
  submit: { name: 'Submit', meaning: 'Send submissions without a proof of work.' },
  'users:read': { name: 'Read users', meaning: 'List, search and read users, held submissions and statistics.' },
  'users:write': { name: 'Change users', meaning: 'Change and erase users, release and delete held submissions.' },
  import: { name: 'Import', meaning: 'Import users from files.' },
  export: { name: 'Export', meaning: 'Export all users, or everything about a person.' },
  'schema:write': { name: 'Replace the schema', meaning: 'Read and replace the schema of the app.', needsSchema: true },
  webhooks: { name: 'Webhooks', meaning: 'Manage the webhooks of the app.' },
};

export const ALL_SCOPES = Object.keys(SCOPES) as KeyScope[];
