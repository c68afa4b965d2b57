import type { ReactNode } from 'react';

export const accounts = {
  title: 'Accounts',
  note: 'Everybody who logs in with their email, in all apps',
  invite: 'Invite',
  list: 'List of accounts',
  search: 'Search accounts by email',
  none: 'No accounts yet',
  noneNote: 'Invite administrators here. Managers invite the members of their app on its Members page.',
  noMatch: 'No accounts match',
  noMatchNote: 'The search matches any part of the email.',
  more: 'Show more accounts',
  inviteTitle: 'Invite somebody to the service',
  asAdministrator: 'As an administrator',
  asAdministratorNote:
    'An administrator can do everything in all apps. Others see only the apps that they are invited to.',

  table: 'Table of accounts',
  account: 'Account',
  secondFactor: 'Second factor',
  sessions: 'Sessions',
  administrator: 'Administrator',
  suspended: 'Suspended',
  on: 'On',
  off: 'Off',

  actions: {
    makeAdmin: {
      name: 'Make administrator',
      title: 'Make administrator?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> can then do everything in all apps.
        </>
      ),
    },
    removeAdmin: {
      name: 'Remove as administrator',
      title: 'Remove as administrator?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> then keeps only the roles in single apps.
        </>
      ),
    },
    suspend: {
      name: 'Suspend',
      title: 'Suspend?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> cannot log in while suspended. All sessions end now.
        </>
      ),
    },
    restore: {
      name: 'End suspension',
      title: 'End suspension?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> can then log in again.
        </>
      ),
    },
    endSessions: {
      name: 'End all sessions',
      title: 'End all sessions?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> has to log in again on every device.
        </>
      ),
    },
    erase: {
      name: 'Erase account',
      title: 'Erase this account?',
      note: (email: ReactNode) => (
        <>
          <strong>{email}</strong> can no longer log in, and loses all roles. The audit log keeps only the id of the
          account.
        </>
      ),
    },
  },
};
