import type { ReactNode } from 'react';

export const members = {
  roles: { admin: 'admin', shared: 'shared password', viewer: 'viewer', editor: 'editor', manager: 'manager' },
  labels: { viewer: 'Viewer', editor: 'Editor', manager: 'Manager' },
  meanings: {
    viewer: 'Reads people, charts and held submissions.',
    editor: 'Also changes, erases, imports and exports people.',
    manager: 'Also changes the schema, settings, webhooks, API keys and members, and reads the audit log.',
  },

  title: 'Members',
  note: (sourceAppId: string) => `Your team that works on ${sourceAppId}, each with an account of their own`,
  invite: 'Invite',
  none: 'No members yet',
  noneNote: 'Invite your team by email. Each member has a role, and the audit log names them.',
  byGroupNote: 'A role by group comes from the groups of the single sign-on. Change it there.',

  table: 'Table of members',
  member: 'Member',
  role: 'Role',
  secondFactor: 'Second factor',
  added: 'Added',
  suspended: 'Suspended',
  byGroup: 'by group',
  roleOf: (email: string) => `Role of ${email}`,
  on: 'On',
  off: 'Off',
  ownRoleTitle: 'Change your own role?',
  ownRoleNote: 'You can then no longer manage this app. Only another manager or an administrator can undo it.',
  changeOwnRole: 'Change my role',
  remove: (email: string) => `Remove ${email}`,
  removeTitle: 'Remove this member?',
  removeNote: (email: ReactNode, sourceAppId: string) => (
    <>
      <strong>{email}</strong> can no longer open {sourceAppId}. The account stays, and you can invite it again.
    </>
  ),

  invitations: 'Open invitations',
  invitationTable: 'Table of invitations',
  ends: 'Ends',
  withdraw: 'Withdraw',
  withdrawOf: (email: string) => `Withdraw the invitation of ${email}`,

  inviteTo: (sourceAppId: string) => `Invite to ${sourceAppId}`,
  invitationCreated: 'Invitation created',
  linkWarning: 'The service stores only a hash of the link. If the link is lost, invite the person again.',
  sendLink: (email: ReactNode) => (
    <>
      Send this link to <strong>{email}</strong>. It works once, for 7 days.
    </>
  ),
  linkOnlyHere: (origin: string) =>
    `${origin} only works on this computer. In the link that you send, replace it by the public address of the service.`,
  linkByEmail: 'The service sends it by email too, except after many invitations in a short time.',
  // The problem comes from the service: must be a valid email.
  emailProblem: (problem: string) => `The email ${problem}.`,

  sharedLogIn: 'Shared log-in',
  allowShared: 'Allow the log-in with the app ID and its password',
  allowSharedNote: 'Everybody who knows the password can log in, and the audit log cannot tell who it was.',
  refuseTitle: 'Refuse the shared log-in?',
  refuse: 'Refuse it',
  refuseNote: (sourceAppId: string) =>
    `The password of ${sourceAppId} and all sessions that began with it are refused at once. The app needs a manager ` +
    'who can allow the shared log-in again.',
};
