import type { KeyScope } from '../../api/endpoints.ts';

export const keys = {
  title: 'API keys',
  note: (sourceAppId: string) =>
    `Programs use API keys to read, change and submit people of ${sourceAppId} without a password.`,
  create: 'Create API key',
  nothing: 'No API keys yet',
  nothingNote:
    'A key lets a server or a script call this service for the app. It can only do what you allow, and you can ' +
    'delete it at any time.',
  deleteTitle: 'Delete this API key?',
  deleteNote: (name: string) => (
    <>
      Programs that use <strong>{name}</strong> are refused from now on. This cannot be undone.
    </>
  ),

  table: 'Table of API keys',
  allowedTo: 'Allowed to',
  lastUsed: 'Last used',
  ends: 'Ends',
  fromNetworks: (networks: string) => `From ${networks}`,
  deleteKey: (name: string) => `Delete ${name}`,
  neverUsed: 'Never used',
  fromAddress: (address: string) => `from ${address}`,
  neverEnds: 'Never ends',
  ended: 'Ended',

  created: (name: string) => `${name} was created`,
  nameNote: 'What uses the key, for example a server or a script.',
  nameExample: 'Nightly export',
  allowed: 'What the key may do',
  allowNothing: 'Choose at least one thing that the key may do.',
  in30Days: 'In 30 days',
  in90Days: 'In 90 days',
  inAYear: 'In a year',
  never: 'Never',
  networks: 'Networks',
  networksNote: 'Only these addresses and networks may use the key, separated by commas or lines. Leave empty for all.',
  // The problem is a message of the service, in English, for example `must be …`.
  wrongNetwork: (problem: string) => `Each entry ${problem}.`,
  submit: 'Create',

  use: () => (
    <>
      Programs send this key with each request, as <code>Authorization: Bearer uck_…</code>
    </>
  ),
  tryIt: 'Try it in a terminal:',
  warning:
    'The service stores only a hash of the key. Save it where your program reads its secrets. ' +
    "A lost key can't be recovered: delete it and create another.",

  assistants: {
    title: 'Assistants',
    note:
      'An assistant with a key of this page can search and read people, and change or submit them if the key may. ' +
      'It also reads what strangers submitted, which may try to give it orders: give it a key that may only do what ' +
      'it has to.',
    cursor: 'Cursor',
    vsCode: 'VS Code',
    key: 'API key',
    inFile: (file: string) => `In the file ${file}:`,
  },

  scopes: {
    submit: { name: 'Submit', meaning: 'Send submissions without a proof of work.' },
    'users:read': { name: 'Read people', meaning: 'List, search and read people, held submissions and statistics.' },
    'users:write': { name: 'Change people', meaning: 'Change and erase people, release and delete held submissions.' },
    import: { name: 'Import', meaning: 'Import people from files.' },
    export: { name: 'Export', meaning: 'Export all people, or everything about a person.' },
    'schema:write': { name: 'Replace the schema', meaning: 'Read and replace the schema of the app.' },
    webhooks: { name: 'Webhooks', meaning: 'Manage the webhooks of the app.' },
  } satisfies Record<KeyScope, { name: string; meaning: string }>,
};
