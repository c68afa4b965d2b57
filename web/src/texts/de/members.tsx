import type { members as en } from '../en/members.tsx';

export const members: typeof en = {
  roles: {
    admin: 'Administrator',
    shared: 'gemeinsames Passwort',
    viewer: 'Betrachter',
    editor: 'Bearbeiter',
    manager: 'Verwalter',
  },
  labels: { viewer: 'Betrachter', editor: 'Bearbeiter', manager: 'Verwalter' },
  meanings: {
    viewer: 'Liest Personen, Diagramme und zurückgehaltene Einsendungen.',
    editor: 'Ändert, importiert und exportiert außerdem Personen und löscht sie endgültig.',
    manager:
      'Ändert außerdem das Schema, die Einstellungen, Webhooks, API-Schlüssel und Mitglieder und liest das Protokoll.',
  },

  title: 'Mitglieder',
  note: (sourceAppId) => `Alle, die an ${sourceAppId} arbeiten, jeweils mit eigenem Konto`,
  invite: 'Einladen',
  none: 'Noch keine Mitglieder',
  noneNote: 'Laden Sie per E-Mail ein. Jedes Mitglied hat eine Rolle und wird im Protokoll genannt.',
  byGroupNote: 'Eine Rolle aus einer Gruppe kommt vom Single Sign-on. Ändern Sie sie dort.',

  table: 'Tabelle der Mitglieder',
  member: 'Mitglied',
  role: 'Rolle',
  secondFactor: 'Zweiter Faktor',
  added: 'Hinzugefügt',
  suspended: 'Gesperrt',
  byGroup: 'aus einer Gruppe',
  roleOf: (email) => `Rolle von ${email}`,
  on: 'Ein',
  off: 'Aus',
  ownRoleTitle: 'Die eigene Rolle ändern?',
  ownRoleNote:
    'Sie können diese App danach nicht mehr verwalten. Nur ein anderer Verwalter oder ein Administrator kann das ' +
    'rückgängig machen.',
  changeOwnRole: 'Meine Rolle ändern',
  remove: (email) => `${email} entfernen`,
  removeTitle: 'Dieses Mitglied entfernen?',
  removeNote: (email, sourceAppId) => (
    <>
      <strong>{email}</strong> kann {sourceAppId} nicht mehr öffnen. Das Konto bleibt bestehen, und Sie können es erneut
      einladen.
    </>
  ),

  invitations: 'Offene Einladungen',
  invitationTable: 'Tabelle der Einladungen',
  ends: 'Gültig bis',
  withdraw: 'Zurückziehen',
  withdrawOf: (email) => `Einladung von ${email} zurückziehen`,

  inviteTo: (sourceAppId) => `Zu ${sourceAppId} einladen`,
  invitationCreated: 'Einladung erstellt',
  linkWarning:
    'Der Dienst speichert nur einen Hash des Links. Wenn der Link verloren geht, laden Sie die Person erneut ein.',
  sendLink: (email) => (
    <>
      Senden Sie diesen Link an <strong>{email}</strong>. Er gilt einmal, 7 Tage lang.
    </>
  ),
  linkOnlyHere: (origin) =>
    `${origin} funktioniert nur auf diesem Computer. Ersetzen Sie es im Link, den Sie senden, durch die öffentliche ` +
    'Adresse des Dienstes.',
  linkByEmail: 'Der Dienst sendet ihn auch per E-Mail, außer nach vielen Einladungen in kurzer Zeit.',
  emailProblem: (problem) => `Die E-Mail ${problem}.`,

  sharedLogIn: 'Gemeinsame Anmeldung',
  allowShared: 'Anmeldung mit der App-ID und ihrem Passwort erlauben',
  allowSharedNote:
    'Alle, die das Passwort kennen, können sich anmelden, und das Protokoll kann nicht sagen, wer es war.',
  refuseTitle: 'Die gemeinsame Anmeldung ablehnen?',
  refuse: 'Ablehnen',
  refuseNote: (sourceAppId) =>
    `Das Passwort von ${sourceAppId} und alle Sitzungen, die damit begonnen wurden, werden sofort abgelehnt. Die App ` +
    'braucht einen Verwalter, der die gemeinsame Anmeldung wieder erlauben kann.',
};
