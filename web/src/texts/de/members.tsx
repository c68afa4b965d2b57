import type { members as en } from '../en/members.tsx';

export const members: typeof en = {
  roles: {
    admin: 'Administrator',
    shared: 'gemeinsames Passwort',
    viewer: 'Betrachter',
    editor: 'Bearbeiter',
    manager: 'Verwalter',
  },
};
