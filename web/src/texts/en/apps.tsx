import type { ReactNode } from 'react';
import { plural } from '../format.ts';

export const apps = {
  title: 'Apps',
  note: 'Each app has its own people and its own schema',
  newFromTemplate: 'New app from a template',
  createApp: 'Create app',
  list: 'List of apps',
  search: 'Search apps',
  noMatch: 'No apps match',
  noMatchNote: 'The search matches any part of the app ID.',
  showAll: 'Show all apps',
  showMore: 'Show more apps',
  firstTitle: 'Create your first app',
  firstNote:
    'Forms, sites and devices send what people enter to an app. A template has the fields of a common form and gives you a ' +
    'page to send it. Or create an empty app and define its fields yourself.',
  startFromTemplate: 'Start from a template',

  table: 'Table of apps',
  app: 'App',
  adminLogIn: (sourceAppId: string) => `Administrators log in as ${sourceAppId}.`,
  users: 'People',
  lastSubmission: 'Last submission',

  pages: {
    inbox: 'Inbox',
    users: 'People',
    form: 'Form',
    fields: 'Fields',
    texts: 'Texts',
    design: 'Design',
    versions: 'Versions',
    share: 'Share',
    connect: 'Link and code',
    importForm: 'Import a form',
    automation: 'Automation',
    webhooks: 'Webhooks',
    emails: 'Emails',
    privacy: 'Privacy',
    keys: 'API keys',
    audit: 'Audit log',
    team: 'Team',
    members: 'Members',
    settings: 'Settings',
    held: 'Held',
  },
  viewUsers: 'View people',
  connectForm: 'Share the form',
  privacyAndRetention: 'Privacy and retention',
  heldSubmissions: 'Held submissions',

  created: (sourceAppId: string) => `${sourceAppId} was created`,
  defineFields: 'Define fields',
  create: 'Create',
  appId: 'App ID',
  appIdNote:
    "Use 1 to 80 letters, digits, dots, underscores and hyphens. Forms send the ID with every submission. You can't " +
    'change it later.',
  appIdTaken: 'An app with this ID already exists. Choose another ID.',
  tryAgain: (problem: string) => `${problem}. Try again.`,

  passwordNote: (sourceAppId: ReactNode) => <>Operators of {sourceAppId} log in with this password.</>,
  passwordWarning:
    "The service stores only a hash of the password. Save it in a password manager now. A lost password can't be " +
    'recovered, only replaced.',

  rotatePassword: 'Rotate password',
  newPassword: 'New password',
  rotateNote: (sourceAppId: ReactNode) => (
    <>
      The current password of {sourceAppId} stops working immediately. All its sessions end. Forms are not affected:
      they do not use the password.
    </>
  ),
  rotateOwnNote: (sourceAppId: ReactNode) => (
    <>
      The current password of {sourceAppId} stops working immediately. All its sessions end, including this one. Forms
      are not affected: they do not use the password.
    </>
  ),
  currentPassword: 'Current password',
  currentPasswordProblem: (problem: string) => `The current password ${problem}.`,

  deleteApp: 'Delete app',
  deleteAppAndUsers: (users: number) =>
    plural(users, { one: 'Delete app and # person', other: 'Delete app and # people' }),
  deleteNote: () => (
    <>
      This deletes the app, all versions of its schema and <strong>all its people</strong>. The service rejects later
      submissions to this app.
    </>
  ),
  deleteCountedNote: (users: number) => (
    <>
      This deletes the app, all versions of its schema and{' '}
      <strong>{plural(users, { one: 'its # person', other: 'its # people' })}</strong>. The service rejects later
      submissions to this app.
    </>
  ),
  deleted: (sourceAppId: string) => `App ${sourceAppId} was deleted`,
  usersDeleted: (users: number) => plural(users, { one: '# person was deleted', other: '# people were deleted' }),

  allUsers: 'All people',
  allUsersNote: 'People of every app, newest first',
  listOfUsers: 'List of people',
  searchUsers: 'Search the data of all apps',
  noUsers: 'No people yet',
  noUsersNote: 'People appear here when a form submits them.',
  noUsersOnPage: 'No people on this page',
  noUsersOnPageNote: 'The list has fewer pages.',
  goToFirstPage: 'Go to first page',
  noUsersSoFar: 'No people found so far',
  noUsersMatch: 'No people match',
  noUsersMatchNote: 'The search matches the beginnings of words.',
  searchOn: 'Search on',
  tableOfUsers: 'Table of people',
  schemaVersion: 'Schema version',
};
